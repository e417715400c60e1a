// What the values of tandem's options are, for completion.
#include "profiles/program/values.h"

#include "profiles/base/file_kinds.h"
#include "profiles/dumps/dump.h"
#include "profiles/model/zoo.h"
#include "profiles/program/shipped.h"
#include "scenarios/scenario/policy_spec.h"
#include "sim/emit/emitter.h"

namespace tandem::values {
namespace {

using Words = std::vector<std::string>;

Words Scenarios() { return ShippedNames("scenarios", ".scenario.json"); }
Words Boards() { return ShippedNames("boards", ".platform.json"); }
Words Profiles() { return ShippedNames("boards", ".profile.json"); }
Words Sweeps() { return ShippedNames("sweeps", ".sweep.json"); }
Words Baselines() { return ShippedNames("baselines", ".baseline.json"); }

Words Models() {
  Words names;
  for (const ZooEntry& model : Zoo()) names.push_back(model.name);
  return names;
}

Words Policies() {
  Words names;
  for (const PolicyDeclaration& policy : tandem::Policies()) names.emplace_back(policy.name);
  return names;
}

Words Kinds() {
  Words names;
  for (const FileKindDeclaration& kind : FileKinds()) names.emplace_back(kind.Name());
  return names;
}

Words Checkable() {
  Words names = Scenarios();
  for (const Words& more : {Boards(), Profiles()}) names.insert(names.end(), more.begin(), more.end());
  return names;
}

Words Targets() {
  Words names;
  for (const EmitterDeclaration& target : Emitters()) names.push_back(target.name);
  return names;
}

Words Precisions() {
  Words names;
  for (const auto& known : kPrecisions) names.emplace_back(known.name);
  return names;
}

const ValuesRegistration kScenarios{
    {.called = {"SCENARIO"}, .words = Scenarios, .files = {".scenario.json", ".plan.json"}}};
const ValuesRegistration kModels{{.called = {"MODEL", "--model", "--stream"},
                                  .words = Models,
                                  .files = {".json", ".onnx", ".prototxt", ".tflite"}}};
const ValuesRegistration kModelFiles{
    {.called = {"models import FILE"}, .files = {".json", ".onnx", ".prototxt", ".tflite"}}};
const ValuesRegistration kWeights{{.called = {"--weights"}, .files = {".safetensors", ".caffemodel"}}};
const ValuesRegistration kBoards{
    {.called = {"--platform", "--board"}, .words = Boards, .files = {".platform.json"}}};
const ValuesRegistration kProfiles{{.called = {"--profile", "PROFILE", "OLD", "NEW", "profiles show NAME"},
                                    .words = Profiles,
                                    .files = {".profile.json"}}};
const ValuesRegistration kPolicies{{.called = {"--policy", "--versus"}, .words = Policies}};
const ValuesRegistration kSweeps{{.called = {"SPEC"}, .words = Sweeps, .files = {".sweep.json"}}};
const ValuesRegistration kBaselines{
    {.called = {"BASELINE"}, .words = Baselines, .files = {".baseline.json"}}};
const ValuesRegistration kKinds{{.called = {"KIND"}, .words = Kinds}};
const ValuesRegistration kCheckable{{.called = {"check FILE"}, .words = Checkable, .files = {""}}};
const ValuesRegistration kTraces{{.called = {"TRACE", "PREDICTED", "MEASURED"}, .files = {".json"}}};
const ValuesRegistration kFormats{{.called = {"--format"}, .words = DumpFormatNames}};
const ValuesRegistration kPrecisionWords{{.called = {"--precision"}, .words = Precisions}};
const ValuesRegistration kTargets{{.called = {"--emit"}, .words = Targets}};
const ValuesRegistration kFolders{{.called = {"STORE", "--keep", "--all"}, .files = {"/"}}};
const ValuesRegistration kTables{{.called = {"--table"}, .files = {".csv", ".tsv", ".txt"}}};
// Of somebody's own making.
const ValuesRegistration kOwn{
    {.called = {"--name",    "--variant",  "--source", "--vary",  "--figure",
                "--only",    "--fail",     "--warn",   "--unit",  "--memory",
                "--link",    "--deadline", "--shard",  "--run",   "--state",
                "--what-if", "--until",    "--input",  "--range", "profiles measure --board"}}};

}  // namespace
}  // namespace tandem::values
