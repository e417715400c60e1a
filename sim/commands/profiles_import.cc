// tandem profiles import FILE
#include <nlohmann/json.hpp>

#include "profiles/base/figures.h"
#include "profiles/base/files.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_output.h"
#include "profiles/base/table.h"
#include "profiles/dumps/import.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"

namespace tandem::profiles_import {
namespace {

struct ImportArguments {
  std::string file, format, model, unit, platform, precision = "fp32", variant, map, range, source, output;
  std::int64_t batch = 1;
  std::optional<std::uint64_t> device;
  bool force = false, json = false;
};

ProfileImport RequestOf(const ImportArguments& arguments) {
  ProfileImport import;
  import.file = arguments.file;
  import.format = arguments.format;
  import.model = arguments.model;
  import.unit = arguments.unit;
  import.platform = arguments.platform;
  import.batch = arguments.batch;
  import.variant = {arguments.variant, arguments.precision};
  import.map = arguments.map;
  import.range = arguments.range;
  if (arguments.device) import.device = static_cast<std::int64_t>(*arguments.device);
  import.source = arguments.source;
  import.output = arguments.output;
  return import;
}

// Of one run, in ms: the totals are integers, so that equal totals print equal.
std::string PerRun(Nanos total, std::size_t runs) {
  return ExactMillis(total / static_cast<std::int64_t>(runs));
}

// Where that is which the tool measured beside the rows: starting the run, waiting between layers.
std::string EndToEndText(const ImportedProfile& imported) {
  if (!imported.dump.end_to_end) return "";
  const Nanos whole = imported.dump.end_to_end->median;
  const Nanos beside = whole - imported.mapping.dump_total / static_cast<std::int64_t>(imported.mapping.runs);
  std::string text = "end to end the tool measured " + ExactMillis(whole) + " ms, ";
  text += ExactMillis(std::chrono::abs(beside)) + (beside < Nanos{0} ? " ms less" : " ms more") +
          " than the rows: ";
  return text + (imported.whole_model ? "the entry of the whole model (\"*\")\n"
                                      : "in no entry, since the map leaves rows out\n");
}

std::string Summary(const ImportedProfile& imported) {
  const DumpMapping& mapping = imported.mapping;
  if (!imported.dump.whole.empty()) {
    return imported.dump.tool + ", " + imported.dump.statistic + ": the whole model (\"*\") " +
           ExactMillis(imported.dump.end_to_end->median) + " ms\n";
  }
  std::string text = imported.dump.tool + ", " + imported.dump.statistic + ": " +
                     std::to_string(imported.dump.rows.size()) + " rows, " +
                     std::to_string(imported.profile.entries.size()) + " entries\n";
  text += "dump " + PerRun(mapping.dump_total, mapping.runs) + " ms, entries " +
          PerRun(mapping.mapped_total, mapping.runs) + " ms";
  if (!mapping.left_out.empty()) {
    text += ", left out by the map " + PerRun(mapping.left_out_total, mapping.runs) + " ms (" +
            Joined(mapping.left_out) + ")";
  }
  text += mapping.runs > 1 ? ", means of " + std::to_string(mapping.runs) + " samples\n" : "\n";
  return text + EndToEndText(imported);
}

nlohmann::ordered_json SummaryJson(const ImportedProfile& imported) {
  const DumpMapping& mapping = imported.mapping;
  nlohmann::ordered_json json = {{"tool", imported.dump.tool},
                                 {"statistic", imported.dump.statistic},
                                 {"rows", imported.dump.rows.size()},
                                 {"entries", imported.profile.entries.size()},
                                 {"runs", mapping.runs},
                                 {"dump_ns", mapping.dump_total.count()},
                                 {"entries_ns", mapping.mapped_total.count()},
                                 {"left_out_ns", mapping.left_out_total.count()},
                                 {"left_out", mapping.left_out}};
  const auto& end_to_end = imported.dump.end_to_end;
  json["end_to_end_ns"] = end_to_end ? nlohmann::ordered_json(end_to_end->median.count()) : nullptr;
  json["whole_model"] = imported.whole_model;
  return json;
}

int Import(const ImportArguments& arguments) {
  const ImportedProfile imported = ImportProfile(RequestOf(arguments));
  const std::string profile = ProfileJson(imported.profile);
  // What the command line gave (a precision, a variant) is judged as any reader will judge it.
  ReadProfile(JsonDocument::Parse(profile, "the imported profile").root());
  const std::string summary = arguments.json ? JsonOutput(SummaryJson(imported)) : Summary(imported);
  const Outputs outputs({{"-o", arguments.output, {"profile/1"}}}, arguments.force, arguments.json);
  if (arguments.output.empty()) {
    WriteNote(summary);
    WriteOutput(profile);
  } else {
    WriteFile(arguments.output, profile);
    outputs.Say(summary);
  }
  return kExitDone;
}

void Declare(Command& command, ImportArguments& arguments) {
  command
      .Add("FILE", &arguments.file,
           "what trtexec --exportProfile, ONNX Runtime's profiler, `caffe time`, OpenVINO's detailed "
           "counters, perf_analyzer (its table or its requests) or Model Analyzer's table of inferences "
           "wrote, of these two the whole model's time; or Nsight Systems' export to SQLite")
      .Required();
  command.Add("--model", &arguments.model, "the model that ran: a zoo name, or its file").Required();
  command.Add("--platform", &arguments.platform, "the board: a shipped name, or its file").Required();
  command.Add("--unit", &arguments.unit, "the unit of the board that it ran on").Required();
  command.Add("--format", &arguments.format, Joined(DumpFormatNames()) + "; else guessed");
  command.Add("--batch", &arguments.batch, "inferences in one run of the dump").Range(1, 1 << 20);
  command.Add("--precision", &arguments.precision, "fp32, fp16, int8, ...");
  command.Add("--variant", &arguments.variant, "the library: cudnn, tensorrt, ...");
  command.Add("--map", &arguments.map, "a layer-map/1 file for names that are not certain");
  command.Add("--range", &arguments.range,
              "nsys: the NVTX range around one inference; else one called as the model, if there is one");
  command.Add("--device", &arguments.device, "nsys: the card, as CUDA counts them").Range(0, 1 << 20);
  command.Add("--source", &arguments.source, "what the dump does not say: clocks, versions, date");
  command.Add("-o,--output", &arguments.output, "write the profile to this file").Shown("FILE");
  command.Force(&arguments.force);
  command.Flag("--json", &arguments.json, "print the summary as JSON");
  command.Footer(
      "The profile's origin is published: a dump does not hold what `measured` has to state.\n"
      "Examples:\n"
      "  tandem profiles import profile.json --model resnet50 --platform jetson-tx1 --unit gpu -o "
      "mine.profile.json\n"
      "  tandem profiles import caffe.log --model googlenet --batch 10 --platform jetson-tx1 --unit cpu\n"
      "  tandem profiles import counters.csv --model net.onnx --map names.json --platform b.json --unit cpu\n"
      "  tandem profiles import perf.csv --model resnet50 --platform jetson-tx1 --unit gpu\n"
      "  tandem profiles import report.sqlite --model resnet50 --range forward --platform jetson-tx1 --unit "
      "gpu");
}

const CommandRegistration kProfilesImport{
    {.name = "profiles import", .summary = "a profile from a timing dump of another tool", .order = 30},
    Declare,
    Import};

}  // namespace
}  // namespace tandem::profiles_import
