#include "sim/emit/triton_scripts.h"

#include <algorithm>
#include <set>

#include "sim/emit/stage.h"

namespace tandem::triton_server {
namespace {

// "0-3": a range is all that the setting takes.
std::string CoresText(std::vector<std::int64_t> cores) {
  std::sort(cores.begin(), cores.end());
  return std::to_string(cores.front()) + "-" + std::to_string(cores.back());
}

}  // namespace

std::string_view KindOf(Chip chip) {
  if (chip == Chip::kCpu) return "KIND_CPU";
  return chip == Chip::kOther ? "KIND_MODEL" : "KIND_GPU";
}

// A file of Python is on no chip by itself; what it drives is its own affair.
std::string_view KindOf(const Served& served, Chip chip) {
  return served.stage && chip == Chip::kDla ? KindOf(Chip::kOther) : KindOf(chip);
}

bool HasCores(const Platform& platform, UnitId unit) {
  return ChipOf(platform, unit) == Chip::kCpu && !platform.unit(unit).cores.empty();
}

std::string PolicyName(UnitId unit) { return "unit_" + std::to_string(unit.index()); }

std::string StartScript(const Platform& platform, const std::vector<std::string>& ensembles,
                        const std::vector<Served>& served_list, bool takes_turns,
                        const std::map<std::string, std::int64_t>& resources) {
  std::string text =
      "#!/bin/sh\n# Starts tritonserver with all models, and the rate limiter as it was simulated.\n"
      "set -e\ncd \"$(dirname \"$0\")\"\n";
  if (std::any_of(served_list.begin(), served_list.end(), [](const Served& each) { return each.engine; }))
    text += "./build_engines.sh\n";
  text += "exec \"${TRITONSERVER:-tritonserver}\" --model-repository=models --model-control-mode=explicit";
  const auto add = [&](const std::string& word) { text += " \\\n  " + ShellText(word); };
  for (const std::string& name : ensembles) add("--load-model=" + name);
  for (const Served& served : served_list) add("--load-model=" + served.name);
  add(std::string("--rate-limit=") + (takes_turns ? "execution_count" : "off"));
  for (const auto& [name, count] : resources)
    add("--rate-limit-resource=" + name + ":" + std::to_string(count));
  std::set<UnitId> units;
  for (const Served& served : served_list) {
    for (const Serving::Group& group : served.groups) units.insert(group.unit);
  }
  for (const UnitId unit : units) {
    if (HasCores(platform, unit)) {
      add("--host-policy=" + PolicyName(unit) + ",cpu-cores=" + CoresText(platform.unit(unit).cores));
    }
  }
  return text + " \\\n  \"$@\"\n";
}

std::string EngineScript(const Scenario& scenario, const std::vector<Served>& served_list) {
  std::string text =
      "#!/bin/sh\n# Builds the engines for DLAs that are not there yet, here on the board that is to run "
      "them.\nset -e\n"
      "cd \"$(dirname \"$0\")\"\n"
      "trtexec=${TRTEXEC:-$(command -v trtexec || echo /usr/src/tensorrt/bin/trtexec)}\n";
  for (const Served& engine : served_list) {
    if (!engine.engine) continue;
    const UnitId unit = engine.groups[0].unit;
    const Platform& platform = *scenario.platform;
    const bool int8 = PrecisionOf(scenario, unit) == "int8";
    const std::string plan = ShellText("models/" + engine.name + "/1/model.plan");
    text += "mkdir -p " + ShellText("models/" + engine.name + "/1") + "\n[ -f " + plan +
            " ] || \"$trtexec\" " + ShellText("--onnx=onnx/" + engine.name + ".onnx") +
            " --saveEngine=" + plan + " --useDLACore=" + std::to_string(NumberOf(platform, unit)) +
            " --allowGPUFallback" + (int8 ? " --int8" : "") + " --fp16\n";
  }
  return text;
}

std::string StageScript(const Model& model, const DeployedPart& part) {
  return StageComment(model, part.inputs, part.outputs, "# ") +
         R"py(import triton_python_backend_utils as utils


class TritonPythonModel:
    def initialize(self, args):
        pass  # FILL IN: load what runs the stage; args["model_instance_name"] ends with the name of the unit.

    def execute(self, requests):
        return [utils.InferenceResponse(output_tensors=self.run(request)) for request in requests]

    def run(self, request):
        """From utils.get_input_tensor_by_name(request, NAME).as_numpy() to a list of utils.Tensor(NAME, array)."""
        raise utils.TritonModelException("the stage is not filled in")  # FILL IN
)py";
}

// YAML; its strings are written as JSON has them, which YAML takes.
std::string AnalyzerConfig(const Platform& platform, const std::vector<Served>& served_list) {
  std::string text =
      "# For `model-analyzer profile -f model_analyzer.yaml`: measures what was simulated.\n"
      "model_repository: models\nprofile_models:\n";
  for (const Served& served : served_list) {
    text += "  \"" + served.name + "\":\n    parameters:\n      batch_sizes: [1]\n      concurrency: [1]\n";
    text += "    model_config_parameters:\n      instance_group:\n      -";
    for (const Serving::Group& group : served.groups) {
      const Chip chip = ChipOf(platform, group.unit);
      text += " - kind: " + std::string(KindOf(served, chip)) + "\n          count: [" +
              std::to_string(group.count) + "]\n       ";
    }
    text.resize(text.find_last_not_of(' ') + 1);
  }
  return text;
}

}  // namespace tandem::triton_server
