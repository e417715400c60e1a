// tandem profiles estimate SPEC | --evaluate
#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"
#include "profiles/estimate/estimator.h"
#include "profiles/estimate/evaluation.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"

namespace tandem::profiles_estimate {
namespace {

struct EstimateArguments {
  std::string spec, output;
  bool evaluate = false, force = false;
  bool json = false;
};

nlohmann::ordered_json ErrorsJson(const std::vector<UnitError>& units) {
  auto list = nlohmann::ordered_json::array();
  for (const UnitError& unit : units) {
    auto models = nlohmann::ordered_json::array();
    for (const ModelError& model : unit.models) {
      nlohmann::ordered_json json = {{"model", model.model},
                                     {"batch", model.batch},
                                     {"measured_ms", model.measured_s * 1e3},
                                     {"error", model.error}};
      json["fitted_error"] = model.fitted_error ? nlohmann::ordered_json(*model.fitted_error) : nullptr;
      models.push_back(std::move(json));
    }
    list.push_back(
        {{"unit", unit.unit},
         {"layers", unit.layers},
         {"layer_error", {{"median", unit.layer_median}, {"p90", unit.layer_p90}}},
         {"layer_error_fitted", {{"median", unit.layer_median_fitted}, {"p90", unit.layer_p90_fitted}}},
         {"models", std::move(models)}});
  }
  return list;
}

int Evaluate(bool json) {
  const std::vector<KnownUnit> known = ShippedKnownUnits();
  const auto boards = EvaluateEstimator(known, HeldOut::kBoard);
  const auto models = EvaluateEstimator(known, HeldOut::kModel);
  if (json) {
    WriteOutput(JsonOutput({{"board_held_out", ErrorsJson(boards)}, {"model_held_out", ErrorsJson(models)}}));
  } else {
    WriteOutput(EvaluationText(boards, models));
  }
  return kExitDone;
}

int Estimate(const EstimateArguments& arguments) {
  if (arguments.evaluate && !(arguments.spec.empty() && arguments.output.empty())) {
    throw InputError("profiles estimate: --evaluate takes neither a SPEC nor -o");
  }
  if (arguments.evaluate) return Evaluate(arguments.json);
  if (arguments.json)
    throw InputError("profiles estimate: --json goes with --evaluate; a profile is JSON anyway");
  if (arguments.spec.empty()) throw InputError("profiles estimate: needs a SPEC, or --evaluate");
  const auto file = FindFile(arguments.spec, {}, "boards", ".estimate.json");
  const std::string profile = ProfileJson(EstimateProfile(ReadEstimateSpecFile(file)));
  const Outputs outputs({{"-o", arguments.output, {"profile/1"}}}, arguments.force, false);
  WriteFile(arguments.output.empty() ? "-" : arguments.output, profile);
  return kExitDone;
}

void Declare(Command& command, EstimateArguments& arguments) {
  command.Add("SPEC", &arguments.spec, "an estimate/1 file, or a shipped board's name");
  command.Add("-o,--output", &arguments.output, "write the profile to this file").Shown("FILE");
  command.Force(&arguments.force);
  command.Flag("--evaluate", &arguments.evaluate,
               "the error on boards whose layers are known, held out one by one");
  command.Flag("--json", &arguments.json, "print the evaluation as JSON");
  command.Footer(
      "Examples:\n  tandem profiles estimate my-board.estimate.json -o my-board.profile.json\n"
      "  tandem profiles estimate --evaluate");
}

const CommandRegistration kProfilesEstimate{
    {.name = "profiles estimate", .summary = "a profile for a board that is not at hand", .order = 40},
    Declare,
    Estimate};

}  // namespace
}  // namespace tandem::profiles_estimate
