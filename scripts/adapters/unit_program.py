"""Makes an inference library a unit of tandem's backend "command": the protocol of docs/command_protocol.md, options, inputs and
outputs, for adapters in Python. An adapter is a file like adapter_rknn.py beside this one: a Runtime, and a call of serve().
"""
import argparse
import hashlib
import json
import os
import pathlib
import sys
import time


class Trouble(Exception):
    """What went wrong, in a sentence for whoever reads tandem's message."""


class Runtime:
    """What an adapter fills in. A net, which load() returns, has
      inputs    [(name, shape, numpy type), ...]
      set(arrays)    takes arrays of these shapes, before the first run
      run()          an inference, and what is timed
      outputs()      of the last run, as arrays
      close()        gives back what it holds
    """
    name = ""      # "adapter_rknn"
    suffix = ""    # of the files that it loads
    remedy = ""    # how such a file is made
    takes_shapes = False   # --shape is an option of it
    channels_last = False  # the library takes images as batch, height, width, channels

    def options(self, parser):
        """Adds options of its own."""

    def open(self, options):
        """Imports the library; returns {"LIBRARY": "VERSION"} for the greeting."""
        raise NotImplementedError

    def load(self, path, batch, shapes):
        """A net. `shapes` are those that --shape or an opaque model's file says, by their inputs' names, in the library's order."""
        raise NotImplementedError


def shape_option(text):
    name, equals, extents = text.rpartition("=")
    try:
        shape = [int(extent) for extent in extents.split(",")]
    except ValueError:
        shape = []
    if not shape or min(shape) < 1:
        raise argparse.ArgumentTypeError(f"expected [INPUT=]N,C,H,W, found {text!r}")
    return (name if equals else ""), shape


def opaque_inputs(path):
    """The shapes of a model/1 file's inputs: all that it knows of an engine that lies beside it."""
    try:
        layers = json.loads(path.read_text(encoding="utf-8"))["layers"]
        return {layer["name"]: layer["shape"] for layer in layers if layer["op"] == "input"}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Trouble(f"{path}: is no model/1 file ({error})") from None


class Program:
    def __init__(self, runtime, options):
        self.runtime, self.options, self.nets = runtime, options, {}
        try:
            import numpy
        except ImportError:
            raise Trouble("Python has no numpy (Debian: python3-numpy)") from None
        self.numpy = numpy
        self.libraries = {**runtime.open(options), "numpy": numpy.__version__}

    def greeting(self):
        words = (f"{name}={'-'.join(str(version).split())}" for name, version in self.libraries.items())
        return f"tandem-unit/1 {self.runtime.name} 1 " + " ".join(words)

    def path_of(self, model, batch):
        """The file of a model: of a name of the zoo in --models (NAME_bN for a batch of N, where that is there), of another kind of
        file the one beside it."""
        suffix, path = self.runtime.suffix, pathlib.Path(model)
        if "/" not in model and not model.endswith(suffix):
            if not self.options.models:
                raise Trouble(f"where is {model}{suffix}? --models DIR says it")
            folder = pathlib.Path(self.options.models)
            path = folder / f"{model}_b{batch}{suffix}"
            if batch == 1 or not path.exists():
                path = folder / f"{model}{suffix}"
        elif not model.endswith(suffix):
            stem = path.name[:-len(".model.json")] if model.endswith(".model.json") else path.stem
            path = path.with_name(stem + suffix)
            if not path.is_file():
                raise Trouble(f"{model} is no {suffix} file, and there is no {path} beside it; {self.runtime.remedy}")
        if not path.is_file():
            raise Trouble(f"{path}: no such file; {self.runtime.remedy}")
        return path

    def inputs_for(self, net, path):
        random = self.numpy.random.RandomState(self.options.seed)
        types = [(name, shape, self.numpy.dtype(kind)) for name, shape, kind in net.inputs]
        sizes = [int(self.numpy.prod(shape)) * kind.itemsize for _, shape, kind in types]
        if self.options.input:
            data = pathlib.Path(self.options.input).read_bytes()
            if len(data) != sum(sizes):
                shapes = ", ".join(f"{name} {'x'.join(map(str, shape))} {kind}" for name, shape, kind in types)
                raise Trouble(f"{self.options.input}: has {len(data)} bytes, the inputs of {path.name} ({shapes}) take {sum(sizes)}")
        arrays, at = [], 0
        for (_, shape, kind), size in zip(types, sizes):
            if self.options.input:
                array = self.numpy.frombuffer(data[at:at + size], kind).reshape(shape)
            elif kind.kind == "f":
                array = random.uniform(-1, 1, shape).astype(kind)
            else:
                array = self.numpy.frombuffer(random.bytes(size), kind).reshape(shape)
            arrays.append(array)
            at += size
        return arrays

    def load(self, handle, batch, model):
        if handle in self.nets:
            raise Trouble(f"a model is loaded as {handle} already")
        path = self.path_of(model, int(batch))
        net = self.runtime.load(path, int(batch), self.shapes_of(model, int(batch)))
        try:
            net.set(self.inputs_for(net, path))
            net.run()  # the first run makes what later ones find ready
        except BaseException:
            net.close()
            raise
        self.nets[handle] = net

    def shapes_of(self, model, batch):
        shapes = opaque_inputs(pathlib.Path(model)) if model.endswith(".model.json") else {}
        shapes = {name: [batch, *shape[1:]] for name, shape in shapes.items()}
        if self.runtime.channels_last:
            shapes = {name: [n, *rest[1:], *rest[:1]] for name, (n, *rest) in shapes.items()}
        for name, shape in getattr(self.options, "shape", None) or []:
            if name or not shapes:
                shapes[name] = shape
            else:
                shapes = dict.fromkeys(shapes, shape)
        return shapes

    def net(self, handle):
        if handle not in self.nets:
            raise Trouble(f"no model is loaded as {handle}")
        return self.nets[handle]

    def outputs(self, handle):
        """What tells the outputs of the last run apart."""
        data = b"".join(self.numpy.ascontiguousarray(output).tobytes() for output in self.net(handle).outputs())
        if self.options.output:
            pathlib.Path(self.options.output).write_bytes(data)
        return hashlib.sha256(data).hexdigest()

    def answer(self, line):
        request, *words = line.split(" ", 3)
        if len(words) != {"load": 3, "run": 2, "unload": 1}.get(request):
            raise Trouble(f"unknown request {line}")
        begin = time.perf_counter_ns()
        if request == "load":
            self.load(*words)
        elif request == "run":
            net = self.net(words[0])
            for _ in range(int(words[1])):
                net.run()
        else:
            self.net(words[0]).close()
            del self.nets[words[0]]
        spent = time.perf_counter_ns() - begin
        return f"ok {spent} {self.outputs(words[0])}" if request == "run" else f"ok {spent}"


def version_of(module, package):
    """The version of a module that may not tell it by itself."""
    from importlib import metadata
    if getattr(module, "__version__", None):
        return module.__version__
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"


def sentence(error):
    return " ".join(str(error).split()) or type(error).__name__


def serve(runtime, description):
    """What main() of an adapter returns."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", metavar="DIR", help=f"where NAME{runtime.suffix} is")
    parser.add_argument("--cores", metavar="0,1", help="keep to these cores")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the inputs (1)")
    parser.add_argument("--input", metavar="RAW", help="the inputs, one behind the other, instead of random ones")
    parser.add_argument("--output", metavar="RAW", help="where to write the outputs of the last run")
    if runtime.takes_shapes:
        parser.add_argument("--shape", metavar="[INPUT=]N,...", type=shape_option, action="append", help="of inputs whose file does not say it")
    runtime.options(parser)
    options = parser.parse_args()
    # Libraries may print what they like: it goes to standard error, and only answers to standard output.
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    try:
        if options.cores:
            os.sched_setaffinity(0, {int(core) for core in options.cores.split(",")})
        program = Program(runtime, options)
    except Exception as error:  # whatever a library throws, tandem is told
        print("error", sentence(error), file=answers)
        return 1
    print(program.greeting(), file=answers)
    for line in sys.stdin:
        line = line.rstrip("\r\n")
        if line == "quit":
            break
        try:
            print(program.answer(line), file=answers)
        except Exception as error:
            print("error", sentence(error), file=answers)
    for net in program.nets.values():
        net.close()
    return 0
