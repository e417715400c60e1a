"""Stands for cuda-python's runtime in the tests: the card's memory is the host's. FAKE_CUDA=lost: every allocation fails. It ends with
an error where memory is given back twice, or not at all.
"""
import atexit
import ctypes
import enum
import os

BLOCKS, STREAMS = {}, set()


class cudaError_t(enum.IntEnum):
    cudaSuccess = 0
    cudaErrorMemoryAllocation = 2


class cudaMemcpyKind(enum.IntEnum):
    cudaMemcpyHostToDevice = 1
    cudaMemcpyDeviceToHost = 2


def cudaMalloc(size):
    if os.environ.get("FAKE_CUDA") == "lost":
        return cudaError_t.cudaErrorMemoryAllocation, 0
    block = ctypes.create_string_buffer(size)
    BLOCKS[ctypes.addressof(block)] = block
    return cudaError_t.cudaSuccess, ctypes.addressof(block)


def cudaFree(place):
    del BLOCKS[place]
    return (cudaError_t.cudaSuccess,)


def cudaMemcpy(to, source, size, kind):
    device = to if kind == cudaMemcpyKind.cudaMemcpyHostToDevice else source
    assert len(BLOCKS[device]) >= size, "beyond the block's end"
    ctypes.memmove(to, source, size)
    return (cudaError_t.cudaSuccess,)


def cudaStreamCreate():
    STREAMS.add(7)
    return cudaError_t.cudaSuccess, 7


def cudaStreamSynchronize(stream):
    return (cudaError_t.cudaSuccess,)


def cudaStreamDestroy(stream):
    STREAMS.discard(stream)
    return (cudaError_t.cudaSuccess,)


@atexit.register
def count():
    print(f"stand-in: {len(BLOCKS)} blocks are left")
