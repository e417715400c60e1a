#!/usr/bin/env python3
"""Makes TensorRT, on a GPU or a DLA of NVIDIA's, a unit of tandem's backend "command".

  {"name": "dla0", "kind": "npu", "memory": "dram", "backend": "command",
   "command": ["python3", "scripts/adapters/adapter_tensorrt.py", "--models", "models", "--dla", "0"]}
It needs TensorRT 8.5 or newer with its Python module, and NVIDIA's cuda-python. Of a model NAME it loads NAME.engine (NAME_bN.engine for
a batch of N), as trtexec makes one on the same card with the same TensorRT. Nobody has run this on a card yet, only with a stand-in for
the modules.
"""
import sys

from unit_program import Runtime, Trouble, serve


class Cuda:
    """The few calls of the CUDA runtime that are needed; errors become sentences."""

    def __init__(self):
        try:
            from cuda.bindings import runtime
        except ImportError:
            from cuda import cudart as runtime  # before cuda-python 12.6
        self.runtime = runtime

    def call(self, name, *words):
        error, *results = getattr(self.runtime, name)(*words)
        if int(error) != 0:
            raise Trouble(f"{name} failed: {error}")
        return results[0] if results else None

    def copy(self, to, source, size, to_device):
        kinds = self.runtime.cudaMemcpyKind
        kind = kinds.cudaMemcpyHostToDevice if to_device else kinds.cudaMemcpyDeviceToHost
        self.call("cudaMemcpy", to, source, size, kind)


class Net:
    """An engine, its context, a stream, and a buffer on the card for each tensor."""

    def __init__(self, tensorrt, cuda, engine, context):
        import numpy
        self.numpy, self.tensorrt, self.cuda, self.engine, self.context = numpy, tensorrt, cuda, engine, context
        self.inputs, self.buffers, self.results = [], {}, []
        self.stream = cuda.call("cudaStreamCreate")

    def prepare(self, path, batch, shapes):
        names = [self.engine.get_tensor_name(i) for i in range(self.engine.num_io_tensors)]
        for name in filter(self.is_input, names):
            self.inputs.append((name, self.input_shape(name, path, batch, shapes), self.type_of(name)))
        for name in names:
            self.give_buffer(name)

    def type_of(self, name):
        return self.numpy.dtype(self.tensorrt.nptype(self.engine.get_tensor_dtype(name)))

    def is_input(self, name):
        return self.engine.get_tensor_mode(name) == self.tensorrt.TensorIOMode.INPUT

    def input_shape(self, name, path, batch, shapes):
        shape = shapes.get(name) or shapes.get("") or [int(extent) for extent in self.engine.get_tensor_shape(name)]
        if shape and shape[0] == -1:  # open
            shape[0] = batch
        if min(shape, default=0) < 1:
            raise Trouble(f"input {name} of {path.name} has no fixed shape: --shape {name}=N,... says it")
        if shape[0] != batch:
            raise Trouble(f"input {name} of {path.name} has batch {shape[0]}, asked for is {batch}")
        if not self.context.set_input_shape(name, shape):
            raise Trouble(f"the engine {path.name} was not built for inputs of {'x'.join(map(str, shape))}: trtexec --maxShapes")
        return shape

    def give_buffer(self, name):
        shape = [int(extent) for extent in self.context.get_tensor_shape(name)]
        if min(shape, default=1) < 0:
            raise Trouble(f"the shape of {name} depends on what the inputs are, which this adapter does not know")
        array = self.numpy.zeros(shape, self.type_of(name))
        self.buffers[name] = self.cuda.call("cudaMalloc", max(array.nbytes, 1))
        self.context.set_tensor_address(name, int(self.buffers[name]))
        if not self.is_input(name):
            self.results.append((name, array))

    def set(self, arrays):
        for (name, _, _), array in zip(self.inputs, arrays):
            dense = self.numpy.ascontiguousarray(array)
            self.cuda.copy(self.buffers[name], dense.ctypes.data, dense.nbytes, to_device=True)

    def run(self):
        if not self.context.execute_async_v3(int(self.stream)):
            raise Trouble("TensorRT could not run the engine; its own words are above")
        self.cuda.call("cudaStreamSynchronize", self.stream)

    def outputs(self):
        for name, array in self.results:
            self.cuda.copy(array.ctypes.data, self.buffers[name], array.nbytes, to_device=False)
        return [array for _, array in self.results]

    def close(self):
        for buffer in self.buffers.values():
            self.cuda.call("cudaFree", buffer)
        self.cuda.call("cudaStreamDestroy", self.stream)
        self.buffers = {}


class TensorRt(Runtime):
    name, suffix, takes_shapes = "adapter_tensorrt", ".engine", True
    remedy = "trtexec --onnx=NAME.onnx --saveEngine=NAME.engine makes one, on this card"

    def options(self, parser):
        parser.add_argument("--dla", type=int, metavar="N", help="this DLA, for engines that were built for one (trtexec --useDLACore)")

    def open(self, options):
        try:
            import tensorrt
        except ImportError as error:
            raise Trouble(f"Python has no tensorrt ({error}): TensorRT's own packages bring it") from None
        if not hasattr(tensorrt, "TensorIOMode"):
            raise Trouble(f"this is TensorRT {tensorrt.__version__}; 8.5 or newer is needed")
        try:
            self.cuda = Cuda()
        except ImportError as error:
            raise Trouble(f"Python has no cuda-python ({error}): pip install cuda-python brings it") from None
        self.tensorrt = tensorrt
        self.runtime = tensorrt.Runtime(tensorrt.Logger(tensorrt.Logger.WARNING))
        about = {"tensorrt": tensorrt.__version__}
        if options.dla is not None:
            if not 0 <= options.dla < self.runtime.num_DLA_cores:
                raise Trouble(f"--dla {options.dla}: TensorRT finds {self.runtime.num_DLA_cores} DLAs here")
            self.runtime.DLA_core = options.dla
            about["dla"] = options.dla
        return about

    def load(self, path, batch, shapes):
        engine = self.runtime.deserialize_cuda_engine(path.read_bytes())
        if engine is None:
            raise Trouble(f"TensorRT {self.tensorrt.__version__} cannot read {path}: engines are of one version and one card; {self.remedy}")
        context = engine.create_execution_context()
        if context is None:
            raise Trouble(f"TensorRT has no room to run {path.name}; its own words are above")
        net = Net(self.tensorrt, self.cuda, engine, context)
        try:
            net.prepare(path, batch, shapes)
        except BaseException:
            net.close()
            raise
        return net


if __name__ == "__main__":
    sys.exit(serve(TensorRt(), __doc__))
