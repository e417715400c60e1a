#include "sim/emit/stage.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/model/op_declaration.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

bool IsOpaque(const Model& model, LayerId layer) {
  return Declaration(model.layer(layer).op).kind == OpKind::kOpaque;
}

// As JSON, JavaScript and Python have it, in ASCII alone: no name ends a comment or a string.
std::string Literal(const Json& value) { return value.dump(-1, ' ', true, Json::error_handler_t::replace); }

std::string TensorText(const PartTensor& tensor) {
  return Literal(tensor.of) + ": [" + Joined(tensor.shape, ", ") + "], " +
         std::to_string(Elements(tensor.shape)) + " numbers, " +
         std::string(NameOf(kElementTypeNames, tensor.type));
}

std::string CommandsOf(const Platform& platform, const std::vector<UnitId>& units) {
  Json commands = Json::object();
  for (const UnitId unit : units) commands[platform.unit(unit).name] = platform.unit(unit).command;
  return Literal(commands);
}

constexpr std::string_view kUnfilled = R"js(
// `unit`: the one whose process this is; `cores`: those that it has.
export async function open({unit, cores}) {
  // FILL IN: load what runs the stage.
}

// `inputs`: a Float32Array for each of what is read, by its name. Returns one for each of what is made.
export async function run(inputs) {
  throw new Error('the stage is not filled in');  // FILL IN
}
)js";

std::string ProgramModule(const Deployment& deployment, const Cut& cut, const std::vector<PartTensor>& makes,
                          const std::vector<UnitId>& units) {
  const std::string& name = deployment.scenario().model(cut.model).name;
  const std::filesystem::path file = ResolvePath(name, deployment.scenario().file);
  const std::string model = std::filesystem::absolute(file).lexically_normal().string();
  std::string made;
  for (const PartTensor& tensor : makes) {
    made += (made.empty() ? "" : ", ") + Literal(tensor.of) + ": new Float32Array(" +
            std::to_string(Elements(tensor.shape)) + ")";
  }
  return R"js(//
// FILL IN: as it stands this starts the program that the plan's unit has, which takes as long as the stage does and
// neither takes nor gives tensors: what it makes is all zeros.
import {UnitProgram} from '../unit_program.mjs';

const COMMANDS = )js" +
         CommandsOf(deployment.platform(), units) + ";\nconst MODEL = " + Literal(model) +
         ";  // as the program finds it\nlet program;\n\n" +
         "export async function open({unit, allowCommands}) {\n"
         "  program = await UnitProgram.open(COMMANDS[unit], MODEL, " +
         std::to_string(cut.batch) +
         ", allowCommands);\n}\n\n"
         "export async function run(inputs) {\n  await program.run();\n  return {" +
         made + "};\n}\n";
}

}  // namespace

bool HasStage(const Model& model) { return IsStage(model, WorkingLayers(model)); }

bool IsStage(const Model& model, const std::vector<LayerId>& layers) {
  return std::any_of(layers.begin(), layers.end(), [&](LayerId layer) { return IsOpaque(model, layer); });
}

bool IsStage(const Deployment& deployment, SegmentId segment) {
  const Model& model = *deployment.scenario().model(deployment.problem().model_of(segment)).model;
  return IsStage(model, deployment.LayersOf(segment));
}

bool IsStageOnly(const Model& model) {
  const std::vector<LayerId> layers = WorkingLayers(model);
  return std::all_of(layers.begin(), layers.end(), [&](LayerId layer) { return IsOpaque(model, layer); });
}

std::string StageComment(const Model& model, const std::vector<PartTensor>& reads,
                         const std::vector<PartTensor>& makes, std::string_view mark) {
  const std::string begin(mark);
  std::string text = begin + "A stage that only a program of its own can look into: model " +
                     Literal(model.name()) + ".\n" + begin +
                     "The plan knows its sizes and its times; what runs it is to be filled in here. " +
                     "tandem replaces no\n" + begin + "file of this name that is there already.\n";
  for (const PartTensor& tensor : reads) text += begin + "  reads " + TensorText(tensor) + "\n";
  for (const PartTensor& tensor : makes) text += begin + "  makes " + TensorText(tensor) + "\n";
  return text;
}

EmittedFile StageFile(std::string path, std::string text) {
  EmittedFile file{std::move(path), std::move(text)};
  file.stays = true;
  return file;
}

void SayOfStage(const Model& model, const std::string& place, Emitted& emitted) {
  emitted.Lacks("model " + Quoted(model.name()) + ": only a program of its own can look into it: " + place +
                " is the place for that, to be filled in");
}

bool HavePrograms(const Platform& platform, const std::vector<UnitId>& units) {
  return !units.empty() && std::all_of(units.begin(), units.end(),
                                       [&](UnitId unit) { return !platform.unit(unit).command.empty(); });
}

std::string StageModule(const Deployment& deployment, const Cut& cut, const std::vector<PartTensor>& reads,
                        const std::vector<PartTensor>& makes, const std::vector<UnitId>& units) {
  const Model& model = *deployment.scenario().model(cut.model).model;
  const std::string comment = StageComment(model, reads, makes, "// ");
  if (!HavePrograms(deployment.platform(), units)) return comment + std::string(kUnfilled);
  return comment + ProgramModule(deployment, cut, makes, units);
}

}  // namespace tandem
