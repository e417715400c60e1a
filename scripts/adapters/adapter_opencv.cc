// OpenCV's dnn module as a unit of tandem: a program for the backend "command".
//   {"name": "opencv", "kind": "cpu", "memory": "dram", "backend": "command", "cores": [0],
//    "command": ["adapter_opencv", "--models", "models", "--cores", "0"]}
// Built where OpenCV 4 is found (Debian: libopencv-dnn-dev). Of a model NAME it loads NAME.onnx; OpenCV 4.6
// does not read every operator of ONNX.
#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>

#include "scripts/adapters/onnx_inputs.h"
#include "scripts/adapters/unit_program.h"

namespace {
using namespace unit_program;

class OpenCvNet final : public Net {
 public:
  OpenCvNet(const fs::path& file, std::int64_t batch, const Options& options)
      : inputs_(OnnxInputs(file, batch, options)), net_(cv::dnn::readNetFromONNX(file.string())) {
    for (const Input& input : inputs_)
      values_.emplace_back(std::vector<int>(input.shape.begin(), input.shape.end()), CV_32F);
    names_ = net_.getUnconnectedOutLayersNames();
  }

  std::vector<Input> Inputs() const override { return inputs_; }
  void SetInput(std::size_t index, const std::byte* values) override {
    std::memcpy(values_[index].data, values, inputs_[index].Size());
  }

  void Run() override {
    for (std::size_t i = 0; i < inputs_.size(); ++i) net_.setInput(values_[i], inputs_[i].name);
    net_.forward(outputs_, names_);
  }

  Bytes Outputs() override {
    Bytes bytes;
    for (const cv::Mat& output : outputs_) {
      const cv::Mat dense = output.isContinuous() ? output : output.clone();
      const auto* data = reinterpret_cast<const std::byte*>(dense.data);
      bytes.insert(bytes.end(), data, data + dense.total() * dense.elemSize());
    }
    return bytes;
  }

 private:
  std::vector<Input> inputs_;
  cv::dnn::Net net_;
  std::vector<cv::Mat> values_, outputs_;
  std::vector<cv::String> names_;
};

class OpenCvRuntime final : public Runtime {
 public:
  explicit OpenCvRuntime(const Options& options) : options_(options) { cv::setNumThreads(options.threads); }

  std::string Libraries() const override { return "opencv=" + cv::getVersionString(); }
  std::unique_ptr<Net> Load(const fs::path& file, std::int64_t batch) override {
    return std::make_unique<OpenCvNet>(file, batch, options_);
  }

 private:
  const Options& options_;
};

}  // namespace

int main(int argc, char** argv) {
  return Serve(argc, argv,
               {"adapter_opencv",
                ".onnx",
                "  --shape [INPUT=]N,C,H,W  of inputs whose file leaves it open\n",
                {},
                "`tandem models export` writes one of a model of the zoo",
                [](const Options& options) { return std::make_unique<OpenCvRuntime>(options); }});
}
