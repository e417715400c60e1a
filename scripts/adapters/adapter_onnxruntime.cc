// ONNX Runtime's C++ interface as a unit of tandem: a program for the backend "command".
//   {"name": "ort", "kind": "cpu", "memory": "dram", "backend": "command", "cores": [0],
//    "command": ["adapter_onnxruntime", "--models", "models", "--cores", "0"]}
// Built where ONNX Runtime is found (Debian 13: libonnxruntime-dev, or a folder as its project releases
// them). Of a model NAME it loads NAME.onnx. On the CPU; onnx.py beside this file takes its other providers.
#include <onnxruntime_cxx_api.h>

#include "scripts/adapters/onnx_inputs.h"
#include "scripts/adapters/unit_program.h"

namespace {
using namespace unit_program;

std::size_t SizeOf(ONNXTensorElementDataType type) {
  switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL:
      return 1;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16:
      return 2;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
      return 4;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
      return 8;
    default:
      throw Trouble("a tensor of a type that this adapter does not know");
  }
}

class OrtNet final : public Net {
 public:
  OrtNet(Ort::Env& env, const Ort::SessionOptions& session, const fs::path& file, std::int64_t batch,
         const Options& options)
      : inputs_(OnnxInputs(file, batch, options)), session_(env, file.c_str(), session) {
    for (const Input& input : inputs_) {
      values_.push_back(Ort::Value::CreateTensor<float>(allocator_, input.shape.data(), input.shape.size()));
    }
    for (std::size_t i = 0; i < session_.GetOutputCount(); ++i)
      outputs_of_.emplace_back(session_.GetOutputNameAllocated(i, allocator_).get());
  }

  std::vector<Input> Inputs() const override { return inputs_; }
  void SetInput(std::size_t index, const std::byte* values) override {
    std::memcpy(values_[index].GetTensorMutableRawData(), values, inputs_[index].Size());
  }

  void Run() override {
    std::vector<const char*> in, out;
    for (const Input& input : inputs_) in.push_back(input.name.c_str());
    for (const std::string& name : outputs_of_) out.push_back(name.c_str());
    outputs_ = session_.Run(Ort::RunOptions{nullptr}, in.data(), values_.data(), values_.size(), out.data(),
                            out.size());
  }

  Bytes Outputs() override {
    Bytes bytes;
    for (const Ort::Value& output : outputs_) {
      const auto info = output.GetTensorTypeAndShapeInfo();
      const auto* data = static_cast<const std::byte*>(output.GetTensorRawData());
      bytes.insert(bytes.end(), data, data + info.GetElementCount() * SizeOf(info.GetElementType()));
    }
    return bytes;
  }

 private:
  Ort::AllocatorWithDefaultOptions allocator_;
  std::vector<Input> inputs_;
  Ort::Session session_;
  std::vector<std::string> outputs_of_;
  std::vector<Ort::Value> values_, outputs_;
};

class OrtRuntime final : public Runtime {
 public:
  explicit OrtRuntime(const Options& options) : options_(options), env_(ORT_LOGGING_LEVEL_WARNING, "tandem") {
    session_.SetIntraOpNumThreads(options.threads);
    session_.SetInterOpNumThreads(1);
    session_.SetGraphOptimizationLevel(GraphOptimizationLevel::ORT_ENABLE_ALL);
    // Threads that wait spinning take the core from whatever tandem runs beside them.
    session_.AddConfigEntry("session.intra_op.allow_spinning", "0");
  }

  std::string Libraries() const override {
    return std::string("onnxruntime=") + OrtGetApiBase()->GetVersionString();
  }
  std::unique_ptr<Net> Load(const fs::path& file, std::int64_t batch) override {
    return std::make_unique<OrtNet>(env_, session_, file, batch, options_);
  }

 private:
  const Options& options_;
  Ort::Env env_;
  Ort::SessionOptions session_;
};

}  // namespace

int main(int argc, char** argv) {
  return Serve(argc, argv,
               {"adapter_onnxruntime",
                ".onnx",
                "  --shape [INPUT=]N,C,H,W  of inputs whose file leaves it open\n",
                {},
                "`tandem models export` writes one of a model of the zoo",
                [](const Options& options) { return std::make_unique<OrtRuntime>(options); }});
}
