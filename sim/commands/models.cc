// tandem models list | show NAME | import FILE | export MODEL
#include <charconv>
#include <nlohmann/json.hpp>

#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"
#include "profiles/model/model_export.h"
#include "profiles/model/model_json.h"
#include "profiles/model/model_source.h"
#include "profiles/model/zoo.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "sim/study/model_summary.h"

namespace tandem::models {
namespace {

struct ModelsArguments {
  std::string model, weights, input, out;
  std::int64_t batch = 0;  // 0: as the model says
  std::uint64_t seed = 1;
  bool force = false, json = false;
};

Shape ParseShape(const std::string& text) {
  Shape shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    const bool good =
        error == std::errc() && extent > 0 && extent <= std::numeric_limits<std::int32_t>::max();
    if (!good || (next != end && *next != 'x')) {
      throw InputError("--input: expected a shape with its batch, such as 1x3x224x224, found " +
                       Quoted(text));
    }
    shape.push_back(extent);
    if (next == end) return shape;
    at = next + 1;
  }
}

ImportOptions OptionsOf(const ModelsArguments& arguments, bool want_weights) {
  ImportOptions options;
  options.weights = arguments.weights;
  if (!arguments.input.empty()) options.input = ParseShape(arguments.input);
  options.want_weights = want_weights;
  return options;
}

int List(const ModelsArguments& arguments) {
  auto list = nlohmann::ordered_json::array();
  Table table(
      {{"model"}, {"layers", true}, {"params", true}, {"macs", true}, {"what it is", false, false, true}});
  for (const ZooEntry& entry : Zoo()) {
    const Model model = entry.build();
    const Counts totals = model.totals();
    list.push_back({{"name", entry.name},
                    {"summary", entry.summary},
                    {"layers", model.size()},
                    {"params", totals.params},
                    {"macs", totals.macs}});
    table.Add({entry.name, std::to_string(model.size()), Rounded(totals.params), Rounded(totals.macs),
               entry.summary});
  }
  WriteOutput(arguments.json ? JsonOutput(list) : table.Text(OutputWidth()));
  return kExitDone;
}

std::string SummaryOf(const Model& model, bool json) {
  return json ? ModelSummaryJson(model) : ModelSummaryText(model, OutputWidth());
}

// Tensors called "LAYER:role", as other tools have none.
bool BeginsAsOurWeights(std::string_view head) {
  const std::size_t key = head.find("{\"");
  if (key == std::string_view::npos) return false;
  const std::size_t colon = head.find(':', key), quote = head.find('"', key + 2);
  return colon < quote;
}

// What is exported names its producer in its first bytes.
bool BeginsAsOurExport(std::string_view head) {
  return head.substr(0, 64).find("tandem") != std::string_view::npos;
}

ImportedModel Load(const ModelsArguments& arguments, bool want_weights) {
  ImportedModel imported = LoadModel(arguments.model, {}, OptionsOf(arguments, want_weights));
  for (const std::string& note : imported.notes) {
    WriteNote("tandem: " + arguments.model + ": note: " + note + "\n");
  }
  if (arguments.batch > 0) imported.model = imported.model.WithBatch(arguments.batch);
  return imported;
}

int Show(const ModelsArguments& arguments) {
  WriteOutput(SummaryOf(Load(arguments, false).model, arguments.json));
  return kExitDone;
}

int Import(const ModelsArguments& arguments) {
  const ImportedModel imported = Load(arguments, true);
  std::vector<std::filesystem::path> files;
  if (!arguments.out.empty()) files = ModelFilesOf(arguments.out, imported);
  std::vector<Output> written;
  if (!files.empty()) written.push_back({"-o", files[0], {"model/1"}});
  if (files.size() > 1) written.push_back({"-o", files[1], {"the model's weights", BeginsAsOurWeights}});
  const Outputs outputs(std::move(written), arguments.force, arguments.json);
  if (!files.empty()) WriteModelFiles(files, imported);
  if (!outputs.ToStandardOutput()) {
    for (const auto& file : files) WriteNote("wrote " + file.string() + "\n");
  } else if (!imported.weights.empty()) {
    WriteNote("tandem: the graph alone: weights need a file, -o OUT\n");
  }
  outputs.Say(SummaryOf(imported.model, arguments.json));
  return kExitDone;
}

int Export(const ModelsArguments& arguments) {
  const ImportedModel imported = Load(arguments, true);
  const Outputs outputs({{"-o", arguments.out, {"an exported model", BeginsAsOurExport}}}, arguments.force,
                        arguments.json);
  const bool random = imported.weights.empty();
  ExportModel(arguments.out, imported.model,
              random ? RandomWeights(imported.model, arguments.seed) : imported.weights);
  WriteNote(
      "wrote " + arguments.out + " with " +
      (random ? "random weights of seed " + std::to_string(arguments.seed) : "the weights of the model") +
      "\n");
  outputs.Say(SummaryOf(imported.model, arguments.json));
  return kExitDone;
}

void AddShapeOptions(Command& command, ModelsArguments& arguments) {
  command.Add("--input", &arguments.input, "the input's shape, with its batch, instead of the model's own")
      .Shown("SHAPE");
  command.Add("--batch", &arguments.batch, "the batch of every input, instead of the model's own")
      .Shown("N")
      .Range(1, 1 << 20);
  command.Flag("--json", &arguments.json, "print JSON");
}

const CommandRegistration kModels{
    {.name = "models", .summary = "the models that tandem knows, and yours", .order = 10},
    "Examples:\n  tandem models list\n  tandem models show resnet50\n"
    "  tandem models import net.onnx\n  tandem models export resnet50 -o resnet50.onnx"};

void DeclareList(Command& command, ModelsArguments& arguments) {
  command.Flag("--json", &arguments.json, "print JSON");
  command.Footer("Examples:\n  tandem models list\n  tandem models list --json");
}

const CommandRegistration kModelsList{
    {.name = "models list", .summary = "the models that tandem ships", .order = 10}, DeclareList, List};

void DeclareShow(Command& command, ModelsArguments& arguments) {
  command.Add("MODEL", &arguments.model, "a name of `tandem models list`, or a model's file").Required();
  AddShapeOptions(command, arguments);
  command.Footer(
      "Examples:\n  tandem models show resnet50\n  tandem models show alexnet --batch 16 --json\n"
      "  tandem models show squeezenet_1_1 --input 1x3x227x227\n  tandem models show net.onnx");
}

const CommandRegistration kModelsShow{
    {.name = "models show",
     .summary = "a model's layers, shapes, parameters and multiply-accumulates",
     .order = 20},
    DeclareShow,
    Show};

void DeclareImport(Command& command, ModelsArguments& arguments) {
  command.Add("FILE", &arguments.model, "the model's file, or a name of `tandem models list`").Required();
  command.Add("--weights", &arguments.weights, "a file of weights (.safetensors, .caffemodel)").Shown("FILE");
  command.Add("-o,--output", &arguments.out, "write OUT.json, and OUT.safetensors where there are weights")
      .Shown("OUT");
  command.Force(&arguments.force);
  AddShapeOptions(command, arguments);
  command.Footer("Formats: " + ModelFormats() +
                 "\nExamples:\n  tandem models import net.onnx --json\n"
                 "  tandem models import deploy.prototxt --weights net.caffemodel -o net\n"
                 "  tandem models import net.json --batch 4");
}

const CommandRegistration kModelsImport{
    {.name = "models import",
     .summary = "read a model's file with its weights, judge it, perhaps keep it",
     .order = 30},
    DeclareImport,
    Import};

void DeclareExport(Command& command, ModelsArguments& arguments) {
  command.Add("MODEL", &arguments.model, "a name of `tandem models list`, or a model's file").Required();
  command.Add("-o,--output", &arguments.out, "the file to write").Shown("OUT").Required();
  command.Force(&arguments.force);
  command.Add("--weights", &arguments.weights, "a file of weights (.safetensors, .caffemodel)").Shown("FILE");
  command.Add("--seed", &arguments.seed, "of random weights, where there are none (1)").Shown("N");
  AddShapeOptions(command, arguments);
  command.Footer("Formats: " + ModelExportFormats() +
                 "\nExamples:\n  tandem models export resnet50 -o resnet50.onnx\n"
                 "  tandem models export deploy.prototxt --weights net.caffemodel -o net.onnx\n"
                 "  tandem models export squeezenet_1_1 --seed 7 --batch 4 -o squeezenet.onnx --json");
}

const CommandRegistration kModelsExport{
    {.name = "models export",
     .summary = "write a model with weights as ONNX, for other tools to run",
     .order = 40},
    DeclareExport,
    Export};

}  // namespace
}  // namespace tandem::models
