// The backend "reference": the yardstick as a unit, for boards where nothing else runs and for comparisons.
#include <algorithm>
#include <utility>

#include "device/backends/reference/reference.h"
#include "device/host/clock.h"
#include "device/processor/backend.h"

namespace tandem {
namespace {

class ReferenceExecutable final : public Executable {
 public:
  explicit ReferenceExecutable(const SegmentSpec& spec) : spec_(spec), tensors_(spec.model->size()) {
    for (const LayerId id : spec_.layers) ExpectReferenceKernel(spec_.model->layer(id));
    for (const LayerId input : spec_.inputs) {
      Tensor& tensor = tensors_[input.index()];
      tensor.shape = spec_.model->layer(input).output;
      tensor.values.resize(static_cast<std::size_t>(Elements(tensor.shape)));
    }
  }

  void Run(std::span<const float* const> inputs, std::span<float* const> outputs) override {
    RunNoting(inputs, outputs, {});
  }
  void RunTimed(std::span<const float* const> inputs, std::span<float* const> outputs,
                std::span<Nanos> ends) override {
    RunNoting(inputs, outputs, ends);
  }
  std::vector<ExecutionStep> Steps() const override {
    std::vector<ExecutionStep> steps;
    for (const LayerId id : spec_.layers) steps.push_back({{id}, "plain loops"});
    return steps;
  }

 private:
  void RunNoting(std::span<const float* const> inputs, std::span<float* const> outputs,
                 std::span<Nanos> ends) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      std::vector<float>& values = tensors_[spec_.inputs[i].index()].values;
      std::copy_n(inputs[i], values.size(), values.begin());
    }
    for (std::size_t i = 0; i < spec_.layers.size(); ++i) {
      const Layer& layer = spec_.model->layer(spec_.layers[i]);
      std::vector<const Tensor*> read;
      for (const LayerId input : layer.inputs) read.push_back(&tensors_[input.index()]);
      tensors_[spec_.layers[i].index()] = RunReferenceLayer(layer, *spec_.weights, read);
      if (!ends.empty()) ends[i] = SteadyNow();
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::vector<float>& values = tensors_[spec_.outputs[i].index()].values;
      std::copy(values.begin(), values.end(), outputs[i]);
    }
  }

  SegmentSpec spec_;
  std::vector<Tensor> tensors_;  // by layer; those of other segments stay empty
};

class ReferenceProcessor final : public Processor {
 public:
  std::vector<std::vector<LayerId>> Groups(const Model& model) const override {
    std::vector<std::vector<LayerId>> groups;
    for (const LayerId id : WorkingLayers(model)) groups.push_back({id});
    return groups;
  }
  std::unique_ptr<Executable> Compile(const SegmentSpec& spec) override {
    return std::make_unique<ReferenceExecutable>(spec);
  }
};

class ReferenceBackend final : public DeviceBackend {
 public:
  const BackendDeclaration& about() const override { return DeclaredBackend("reference"); }
  // It is nobody's unit unless a platform asks for it.
  BackendState Look(const HostInfo&, Platform&) const override {
    return {{}, {"plain loops on one core, for comparisons; a platform has to ask for it"}, ""};
  }
  std::unique_ptr<Processor> Open(const OpenRequest&) const override {
    return std::make_unique<ReferenceProcessor>();
  }
};

const BackendRegistration kReference{std::make_unique<ReferenceBackend>()};

}  // namespace
}  // namespace tandem
