// tandem check FILE...
#include <nlohmann/json.hpp>

#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"
#include "profiles/base/table.h"
#include "profiles/program/command_line.h"
#include "profiles/program/program.h"
#include "sim/study/check_file.h"

namespace tandem::check {
namespace {

struct CheckArguments {
  std::vector<std::string> files;
  bool json = false;
};

std::vector<CheckedFile> CheckArgument(const std::string& argument, bool want_settings) {
  std::vector<CheckedFile> checked;
  try {
    for (const std::string& file : FilesToCheck(argument)) checked.push_back(CheckFile(file, want_settings));
  } catch (const InputError& error) {
    CheckedFile wrong;
    wrong.file = argument;
    wrong.problem = error.what();
    checked.push_back(std::move(wrong));
  }
  return checked;
}

void Print(const CheckedFile& checked) {
  if (checked.problem.empty()) {
    const std::string line = (checked.fits ? "ok  " : "does not fit  ") + checked.file + ": " + checked.kind +
                             ", " + checked.summary;
    std::string text = Wrapped(line, OutputWidth()) + checked.known;
    for (const std::string& sentence : checked.not_judged) text += Wrapped(sentence, OutputWidth());
    WriteOutput(text);
  } else {
    WriteError(checked.problem + "\n");
  }
}

nlohmann::ordered_json ToJson(const CheckedFile& checked) {
  nlohmann::ordered_json json = {{"file", checked.file}, {"kind", nullptr}, {"ok", checked.problem.empty()}};
  if (!checked.kind.empty()) json["kind"] = checked.kind;
  if (checked.problem.empty()) {
    json["summary"] = checked.summary;
    if (!checked.fits) json["fits"] = false;
  } else {
    json["message"] = checked.problem;
  }
  if (!checked.known.empty()) json["known"] = nlohmann::ordered_json::parse(checked.known);
  if (!checked.not_judged.empty()) json["not_judged"] = checked.not_judged;
  if (!checked.settings.empty()) json["settings"] = nlohmann::ordered_json::parse(checked.settings);
  return json;
}

int Check(const CheckArguments& arguments) {
  bool all_right = true, all_fit = true;
  auto list = nlohmann::ordered_json::array();
  for (const std::string& argument : arguments.files) {
    for (const CheckedFile& checked : CheckArgument(argument, arguments.json)) {
      all_right = all_right && checked.problem.empty();
      all_fit = all_fit && checked.fits;
      if (arguments.json) {
        list.push_back(ToJson(checked));
      } else {
        Print(checked);
      }
    }
  }
  if (arguments.json) WriteOutput(JsonOutput(list));
  if (!all_right) return kExitBadInput;
  return all_fit ? kExitDone : kExitNo;
}

void Declare(Command& command, CheckArguments& arguments) {
  command.Add("FILE", &arguments.files, "files of any kind, or names of what tandem ships").Required();
  command.Flag("--json", &arguments.json, "print JSON, with the settings that are in effect");
  command.Footer(
      "Runs nothing, and says what it did not judge for that. Exit status 2 where any file is wrong; each of "
      "them gets its message. Else 1 where what units hold has no room in their memory, by what profiles "
      "measured, or by weights alone; what is only estimated not to fit is told.\n"
      "Examples:\n  tandem check study-003\n  tandem check mine.scenario.json board.platform.json\n"
      "  tandem check net.onnx\n  tandem check --json study-003");
}

const CommandRegistration kCheck{
    {.name = "check",
     .summary = "judge files: scenarios, platforms, profiles and models, and all that they refer to",
     .order = 20},
    Declare,
    Check};

}  // namespace
}  // namespace tandem::check
