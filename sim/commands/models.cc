// tandem models list | show NAME | import FILE | export MODEL
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"
#include "profiles/model/model_export.h"
#include "profiles/model/model_json.h"
#include "profiles/model/model_source.h"
#include "profiles/model/zoo.h"
#include "profiles/program/program.h"
#include "sim/commands/command.h"
#include "sim/study/model_summary.h"

namespace tandem {
namespace {

struct ModelsArguments {
  std::string model, weights, input, out;
  std::int64_t batch = 0;  // 0: as the model says
  std::uint64_t seed = 1;
  bool json = false;
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

int List(bool json) {
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
  WriteOutput(json ? JsonOutput(list) : table.Text(OutputWidth()));
  return kExitDone;
}

void Print(const Model& model, bool json) {
  WriteOutput(json ? ModelSummaryJson(model) : ModelSummaryText(model, OutputWidth()));
}

ImportedModel Load(const ModelsArguments& arguments, bool want_weights) {
  ImportedModel imported = LoadModel(arguments.model, {}, OptionsOf(arguments, want_weights));
  for (const std::string& note : imported.notes) {
    std::fprintf(stderr, "tandem: %s: note: %s\n", arguments.model.c_str(), note.c_str());
  }
  if (arguments.batch > 0) imported.model = imported.model.WithBatch(arguments.batch);
  return imported;
}

int Show(const ModelsArguments& arguments) {
  Print(Load(arguments, false).model, arguments.json);
  return kExitDone;
}

int Import(const ModelsArguments& arguments) {
  const ImportedModel imported = Load(arguments, true);
  if (!arguments.out.empty()) {
    for (const auto& file : WriteModelFiles(arguments.out, imported)) {
      std::fprintf(stderr, "wrote %s\n", file.c_str());
    }
  }
  Print(imported.model, arguments.json);
  return kExitDone;
}

int Export(const ModelsArguments& arguments) {
  const ImportedModel imported = Load(arguments, true);
  const bool random = imported.weights.empty();
  ExportModel(arguments.out, imported.model,
              random ? RandomWeights(imported.model, arguments.seed) : imported.weights);
  std::fprintf(stderr, "wrote %s with %s\n", arguments.out.c_str(),
               random ? ("random weights of seed " + std::to_string(arguments.seed)).c_str()
                      : "the weights of the model");
  Print(imported.model, arguments.json);
  return kExitDone;
}

void AddShapeOptions(CLI::App& command, ModelsArguments& arguments) {
  command
      .add_option("--input", arguments.input, "the input's shape, with its batch, instead of the model's own")
      ->type_name("SHAPE");
  command.add_option("--batch", arguments.batch, "the batch of every input, instead of the model's own")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 20));
  command.add_flag("--json", arguments.json, "print JSON");
}

void AddList(CLI::App& models, Action& action) {
  CLI::App* list = models.add_subcommand("list", "the models that tandem ships");
  const auto json = std::make_shared<bool>(false);
  list->add_flag("--json", *json, "print JSON");
  list->footer("Examples:\n  tandem models list\n  tandem models list --json");
  list->callback([json, &action] { action = [json] { return List(*json); }; });
}

void AddShow(CLI::App& models, Action& action) {
  CLI::App* show =
      models.add_subcommand("show", "a model's layers, shapes, parameters and multiply-accumulates");
  const auto arguments = std::make_shared<ModelsArguments>();
  show->add_option("MODEL", arguments->model, "a name of `tandem models list`, or a model's file")
      ->required();
  AddShapeOptions(*show, *arguments);
  show->footer(
      "Examples:\n  tandem models show resnet50\n  tandem models show alexnet --batch 16 --json\n"
      "  tandem models show squeezenet_1_1 --input 1x3x227x227\n  tandem models show net.onnx");
  show->callback([arguments, &action] { action = [arguments] { return Show(*arguments); }; });
}

void AddImport(CLI::App& models, Action& action) {
  CLI::App* command =
      models.add_subcommand("import", "read a model's file with its weights, judge it, perhaps keep it");
  const auto arguments = std::make_shared<ModelsArguments>();
  command->add_option("FILE", arguments->model, "the model's file, or a name of `tandem models list`")
      ->required();
  command->add_option("--weights", arguments->weights, "a file of weights (.safetensors, .caffemodel)")
      ->type_name("FILE");
  command
      ->add_option("-o,--output", arguments->out,
                   "write OUT.json, and OUT.safetensors where there are weights")
      ->type_name("OUT");
  AddShapeOptions(*command, *arguments);
  command->footer("Formats: " + ModelFormats() +
                  "\nExamples:\n  tandem models import net.onnx --json\n"
                  "  tandem models import deploy.prototxt --weights net.caffemodel -o net\n"
                  "  tandem models import net.json --batch 4");
  command->callback([arguments, &action] { action = [arguments] { return Import(*arguments); }; });
}

void AddExport(CLI::App& models, Action& action) {
  CLI::App* command =
      models.add_subcommand("export", "write a model with weights as ONNX, for other tools to run");
  const auto arguments = std::make_shared<ModelsArguments>();
  command->add_option("MODEL", arguments->model, "a name of `tandem models list`, or a model's file")
      ->required();
  command->add_option("-o,--output", arguments->out, "the file to write")->type_name("OUT")->required();
  command->add_option("--weights", arguments->weights, "a file of weights (.safetensors, .caffemodel)")
      ->type_name("FILE");
  command->add_option("--seed", arguments->seed, "of random weights, where there are none (1)")
      ->type_name("N");
  AddShapeOptions(*command, *arguments);
  command->footer("Formats: " + ModelExportFormats() +
                  "\nExamples:\n  tandem models export resnet50 -o resnet50.onnx\n"
                  "  tandem models export deploy.prototxt --weights net.caffemodel -o net.onnx\n"
                  "  tandem models export squeezenet_1_1 --seed 7 --batch 4 -o squeezenet.onnx --json");
  command->callback([arguments, &action] { action = [arguments] { return Export(*arguments); }; });
}

}  // namespace

void AddModelsCommand(CLI::App& app, Action& action) {
  CLI::App* models = app.add_subcommand("models", "the models that tandem knows, and yours");
  models->footer(
      "Examples:\n  tandem models list\n  tandem models show resnet50\n"
      "  tandem models import net.onnx\n  tandem models export resnet50 -o resnet50.onnx");
  AddList(*models, action);
  AddShow(*models, action);
  AddImport(*models, action);
  AddExport(*models, action);
}

}  // namespace tandem
