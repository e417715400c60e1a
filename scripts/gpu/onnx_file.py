"""Reads an ONNX file as `tandem models export` writes it, with nothing but the standard library: the nodes, and the weights
as they lie in the file."""
import array
import dataclasses
import math
import mmap
import struct

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
FLOAT, UINT8, INT8, INT64 = 1, 2, 3, 7  # of TensorProto.DataType


@dataclasses.dataclass
class Node:
    op: str
    name: str
    inputs: list
    outputs: list
    attributes: dict


@dataclasses.dataclass
class Tensor:
    shape: list
    kind: int  # FLOAT or INT64
    data: memoryview

    def numbers(self):
        """As a list; for the small ones."""
        return array.array({FLOAT: "f", UINT8: "B", INT8: "b", INT64: "q"}[self.kind], bytes(self.data)).tolist()


@dataclasses.dataclass
class Graph:
    nodes: list
    weights: dict  # name to Tensor
    inputs: dict   # name to shape
    outputs: dict


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def fields(data):
    """(number, kind, value) of a message; a value of kind BYTES is a view."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, at = varint(data, at)
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
            value, at = data[at:at + size], at + size
        elif kind == BYTES:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"no protobuf: a field of wire type {kind}")
        yield number, kind, value


def integers(kind, value):
    """One number of a repeated field, or all of a packed one."""
    if kind == VARINT:
        return [signed(value)]
    found, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        found.append(signed(number))
    return found


def text(value):
    return bytes(value).decode()


def attribute(data):
    name, value, numbers = "", None, []
    for number, kind, part in fields(data):
        if number == 1:
            name = text(part)
        elif number == 2:
            value = struct.unpack("<f", part)[0]
        elif number == 3:
            value = signed(part)
        elif number == 4:
            value = text(part)
        elif number == 8:
            numbers += integers(kind, part)
        elif number != 20:  # its type
            raise ValueError(f"attribute {name}: a kind that tandem does not write")
    return name, numbers if value is None else value


def node(data):
    found = Node("", "", [], [], {})
    for number, _, value in fields(data):
        if number in (1, 2):
            (found.inputs if number == 1 else found.outputs).append(text(value))
        elif number == 3:
            found.name = text(value)
        elif number == 4:
            found.op = text(value)
        elif number == 5:
            name, of = attribute(value)
            found.attributes[name] = of
    return found


def tensor(data):
    name, found = "", Tensor([], 0, memoryview(b""))
    for number, kind, value in fields(data):
        if number == 1:
            found.shape += integers(kind, value)
        elif number == 2:
            found.kind = value
        elif number == 8:
            name = text(value)
        elif number == 9:
            found.data = value
    size = {FLOAT: 4, UINT8: 1, INT8: 1, INT64: 8}.get(found.kind)
    if size is None or len(found.data) != size * math.prod(found.shape):
        raise ValueError(f"weight {name}: of a type that tandem does not write, or not in the file")
    return name, found


def only(data, number):
    return next(value for found, _, value in fields(data) if found == number)


def value_info(data):
    dims = [part for number, _, part in fields(only(only(only(data, 2), 1), 2)) if number == 1]
    return text(only(data, 1)), [only(dim, 1) for dim in dims]


def read(path):
    with open(path, "rb") as file:
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    graph = Graph([], {}, {}, {})
    for number, _, value in fields(only(data, 7)):
        if number == 1:
            graph.nodes.append(node(value))
        elif number == 5:
            name, of = tensor(value)
            graph.weights[name] = of
        elif number in (11, 12):
            name, shape = value_info(value)
            (graph.inputs if number == 11 else graph.outputs)[name] = shape
    return graph
