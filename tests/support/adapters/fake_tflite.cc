// Stands for TensorFlow Lite's C library, and for an external delegate, in the tests. A model of the tests is
// a text, "stand-in" and a line for each input: NAME float32|int8|int64 EXTENT... Outputs are 2x + 1 of
// numbers, and -1 - x of bytes; with the delegate 2x + 2. A last line "fixed" forbids other batches.
// FAKE_DELEGATE=lost: the delegate finds no device.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Tensor {
  std::string name;
  int type = 1;
  std::vector<int> shape = {};
  std::vector<char> data = {};
  void Allocate() {
    std::size_t size = type == 1 ? sizeof(float) : type == 4 ? 8 : 1;
    for (const int extent : shape) size *= static_cast<std::size_t>(extent);
    data.resize(size);
  }
};

struct Model {
  std::vector<Tensor> inputs;
  bool fixed = false;
};
struct Options {
  bool delegated = false;
};
struct Interpreter {
  std::vector<Tensor> inputs, outputs;
  bool fixed, delegated;
};

Interpreter& Of(void* interpreter) { return *static_cast<Interpreter*>(interpreter); }

void Compute(const Tensor& from, Tensor& to, float added) {
  for (std::size_t i = 0; from.type != 1 && i < from.data.size(); ++i)
    to.data[i] = static_cast<char>(-1 - from.data[i]);
  for (std::size_t i = 0; from.type == 1 && i < from.data.size(); i += sizeof(float)) {
    float value;
    std::memcpy(&value, &from.data[i], sizeof value);
    value = 2 * value + added;
    std::memcpy(&to.data[i], &value, sizeof value);
  }
}

}  // namespace

extern "C" {

const char* TfLiteVersion() { return "2.14.1-stand-in"; }
void* TfLiteModelCreateFromFile(const char* path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != "stand-in") return nullptr;
  auto* model = new Model;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    Tensor tensor;
    std::string type;
    words >> tensor.name >> type;
    if (tensor.name == "fixed") model->fixed = true;
    tensor.type = type == "int8" ? 9 : type == "int64" ? 4 : 1;
    for (int extent; words >> extent;) tensor.shape.push_back(extent);
    if (!tensor.shape.empty()) model->inputs.push_back(tensor);
  }
  return model;
}
void TfLiteModelDelete(void* model) { delete static_cast<Model*>(model); }
void* TfLiteInterpreterOptionsCreate() { return new Options; }
void TfLiteInterpreterOptionsDelete(void* options) { delete static_cast<Options*>(options); }
void TfLiteInterpreterOptionsSetNumThreads(void*, std::int32_t) {}
void TfLiteInterpreterOptionsAddDelegate(void* options, void*) {
  static_cast<Options*>(options)->delegated = true;
}
void* TfLiteInterpreterCreate(void* model, void* options) {
  const auto* made = static_cast<Model*>(model);
  return new Interpreter{made->inputs, made->inputs, made->fixed, static_cast<Options*>(options)->delegated};
}
void TfLiteInterpreterDelete(void* interpreter) { delete &Of(interpreter); }
int TfLiteInterpreterResizeInputTensor(void* interpreter, std::int32_t i, const int* extents,
                                       std::int32_t count) {
  if (Of(interpreter).fixed) return 1;
  Of(interpreter).inputs[static_cast<std::size_t>(i)].shape.assign(extents, extents + count);
  return 0;
}
int TfLiteInterpreterAllocateTensors(void* interpreter) {
  Of(interpreter).outputs = Of(interpreter).inputs;
  for (Tensor& tensor : Of(interpreter).inputs) tensor.Allocate();
  for (Tensor& tensor : Of(interpreter).outputs) tensor.Allocate();
  return 0;
}
int TfLiteInterpreterInvoke(void* interpreter) {
  for (std::size_t i = 0; i < Of(interpreter).inputs.size(); ++i) {
    Compute(Of(interpreter).inputs[i], Of(interpreter).outputs[i], Of(interpreter).delegated ? 2 : 1);
  }
  return 0;
}
std::int32_t TfLiteInterpreterGetInputTensorCount(void* interpreter) {
  return static_cast<std::int32_t>(Of(interpreter).inputs.size());
}
std::int32_t TfLiteInterpreterGetOutputTensorCount(void* interpreter) {
  return static_cast<std::int32_t>(Of(interpreter).outputs.size());
}
void* TfLiteInterpreterGetInputTensor(void* interpreter, std::int32_t i) {
  return &Of(interpreter).inputs[static_cast<std::size_t>(i)];
}
void* TfLiteInterpreterGetOutputTensor(void* interpreter, std::int32_t i) {
  return &Of(interpreter).outputs[static_cast<std::size_t>(i)];
}
int TfLiteTensorType(void* tensor) { return static_cast<Tensor*>(tensor)->type; }
std::int32_t TfLiteTensorNumDims(void* tensor) {
  return static_cast<std::int32_t>(static_cast<Tensor*>(tensor)->shape.size());
}
std::int32_t TfLiteTensorDim(void* tensor, std::int32_t axis) {
  return static_cast<Tensor*>(tensor)->shape[static_cast<std::size_t>(axis)];
}
std::size_t TfLiteTensorByteSize(void* tensor) { return static_cast<Tensor*>(tensor)->data.size(); }
void* TfLiteTensorData(void* tensor) { return static_cast<Tensor*>(tensor)->data.data(); }
const char* TfLiteTensorName(void* tensor) { return static_cast<Tensor*>(tensor)->name.c_str(); }

void* tflite_plugin_create_delegate(char**, char**, std::size_t, void (*report)(const char*)) {
  const char* state = std::getenv("FAKE_DELEGATE");
  if (state == nullptr || std::strcmp(state, "lost") != 0) return new int(0);
  report("stand-in: no device");
  return nullptr;
}
void tflite_plugin_destroy_delegate(void* delegate) { delete static_cast<int*>(delegate); }

}  // extern "C"
