// ONNX Runtime: sessions, models and a script that runs them as the plan says.
#include "sim/emit/emitter.h"

namespace tandem::onnxruntime {
namespace {

Emitted Emit(const Deployment& deployment) {
  Emitted emitted;
  PlainNames names;
  for (const Cut& cut : deployment.problem().cuts()) {
    const ScenarioModel& model = deployment.scenario().model(cut.model);
    const std::string name = names.Of(model.model->name());
    emitted.files.push_back(
        OnnxFile(deployment.scenario(), cut.model, cut.batch, "models/" + name + ".onnx"));
  }
  emitted.Lacks("policy \"" + deployment.plan().policy.label + "\": ONNX Runtime has no scheduler");
  return emitted;
}

const EmitterRegistration kOnnxRuntime{
    {.name = "onnxruntime", .summary = "sessions of ONNX Runtime and a script that runs them", .emit = Emit}};

}  // namespace
}  // namespace tandem::onnxruntime
