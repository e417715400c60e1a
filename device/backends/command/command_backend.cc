// The backend "command": a processor that a program of the user's drives, as docs/command_protocol.md says.
// It runs whole models on inputs of its own and tells what their outputs hash to.
#include <map>
#include <utility>

#include "device/backends/command/adapter.h"
#include "device/host/clock.h"
#include "device/processor/backend.h"
#include "profiles/base/input_error.h"
#include "profiles/base/sent_files.h"
#include "profiles/costs/profile.h"

namespace tandem {
namespace {

// A model on the program's unit, as long as any executable wants it.
class LoadedModel {
 public:
  LoadedModel(std::shared_ptr<Adapter> adapter, std::int64_t handle, std::int64_t batch,
              const std::string& model)
      : adapter_(std::move(adapter)), handle_(handle) {
    adapter_->Load(handle, batch, model);
  }
  ~LoadedModel() {
    try {
      adapter_->Unload(handle_);
    } catch (const std::exception&) {  // it is gone, or keeps the model: whoever asks it next is told
    }
  }
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;

  AdapterRun Run() { return adapter_->Run(handle_, 1); }
  const std::string& about() const { return adapter_->about(); }

 private:
  std::shared_ptr<Adapter> adapter_;
  std::int64_t handle_;
};

class CommandExecutable final : public Executable {
 public:
  CommandExecutable(std::vector<LayerId> layers, std::shared_ptr<LoadedModel> model)
      : layers_(std::move(layers)), model_(std::move(model)) {}

  void Run(std::span<const float* const>, std::span<float* const>) override { last_ = model_->Run(); }
  std::vector<ExecutionStep> Steps() const override { return {{layers_, model_->about()}}; }
  // By the program's own clock: without the way there and back.
  void RunTimed(std::span<const float* const> inputs, std::span<float* const> outputs,
                std::span<Nanos> ends) override {
    const Nanos begin = SteadyNow();
    Run(inputs, outputs);
    ends[0] = begin + last_.time;
  }
  std::string OutputHash() const override { return last_.hash; }

 private:
  std::vector<LayerId> layers_;
  std::shared_ptr<LoadedModel> model_;
  AdapterRun last_;
};

class CommandProcessor final : public Processor {
 public:
  explicit CommandProcessor(const Unit& unit)
      : who_("unit \"" + unit.name + "\""), adapter_(std::make_shared<Adapter>(who_, unit.command)) {}

  std::vector<std::vector<LayerId>> Groups(const Model& model) const override {
    return {WorkingLayers(model)};
  }

  std::unique_ptr<Executable> Compile(const SegmentSpec& spec) override {
    if (!spec.WholeModel()) {
      throw EnvironmentError(who_ + ": a program runs whole models alone, so not " +
                             (spec.part ? "a part of layer \"" : "layer \"") +
                             spec.model->layer(spec.layers.at(0)).name + "\" of " + spec.model_name +
                             " by itself");
    }
    const SentFile* sent = FindSentFile(spec.model_name);
    const std::string name = sent != nullptr ? sent->place.string() : ModelKey(spec.model_name, {});
    std::weak_ptr<LoadedModel>& known = loaded_[{name, spec.batch}];
    std::shared_ptr<LoadedModel> model = known.lock();
    if (!model) {
      model = std::make_shared<LoadedModel>(adapter_, ++last_handle_, spec.batch, name);
      known = model;
    }
    return std::make_unique<CommandExecutable>(spec.layers, std::move(model));
  }

 private:
  std::string who_;
  std::shared_ptr<Adapter> adapter_;
  std::int64_t last_handle_ = 0;
  std::map<std::pair<std::string, std::int64_t>, std::weak_ptr<LoadedModel>> loaded_;
};

class CommandBackend final : public DeviceBackend {
 public:
  const BackendDeclaration& about() const override { return DeclaredBackend("command"); }
  BackendState Look(const HostInfo&, Platform&) const override {
    return {{}, {"a program of yours; a platform names it"}, ""};
  }
  std::unique_ptr<Processor> Open(const OpenRequest& request) const override {
    return std::make_unique<CommandProcessor>(request.platform->unit(request.unit));
  }
};

const BackendRegistration kCommand{std::make_unique<CommandBackend>()};

}  // namespace
}  // namespace tandem
