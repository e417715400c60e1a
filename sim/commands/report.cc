// tandem report RESULT... -o PAGE
#include <algorithm>
#include <filesystem>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_reader.h"
#include "profiles/costs/platform.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "scenarios/scenario/plan.h"
#include "scenarios/trace/read.h"
#include "sim/page/page.h"
#include "sim/study/one_run.h"

namespace tandem::report {
namespace {

struct ReportArguments {
  std::vector<std::string> results;
  std::string page;
  bool force = false;
};

constexpr std::string_view kRowOfSweep = R"({"tandem": "sweep_row/1")";

// A list is of the kind of what stands first in it.
JsonReader FirstOf(const JsonReader& root) {
  if (!root.IsArray()) return root;
  for (const JsonReader first : root.Elements()) return first;
  root.Fail("an empty list: there is nothing to show");
}

void SetBoard(const std::string& name, std::string platform, Page& page) {
  if (!page.platform.empty())
    throw InputError(name + ": a page has one board, and another file has given it");
  page.platform = std::move(platform);
}

void AddFile(const std::string& name, Page& page) {
  const bool as_named = name == "-" || std::filesystem::exists(name);
  const std::filesystem::path file = as_named ? std::filesystem::path(name) : FindScenario(name);
  const std::string text = ReadTextFile(file);
  if (text.starts_with(kRowOfSweep)) {
    throw InputError(
        NameOfInput(name) +
        ": rows of a sweep: `tandem sweep SPEC -o DIR --collect --json` makes one result of them");
  }
  const JsonDocument document = JsonDocument::Parse(text, NameOfInput(name));
  const std::string kind(FileKind(FirstOf(document.root())));
  if (kind == "trace/1") {
    if (page.trace) throw InputError(name + ": a page has one trace, and another file has given it");
    page.trace = ReadTrace(document.root());
    return;
  }
  if (kind == "platform/1") {
    ReadPlatform(document.root());
    return SetBoard(name, text, page);
  }
  if (kind == "scenario/1" || kind == "plan/1") {
    const Scenario scenario = ReadScenarioOrPlan(file);
    if (scenario.platform) SetBoard(name, PlatformJson(*scenario.platform), page);
    page.title = scenario.name;
    return;
  }
  CheckShown(document.root());
  page.results.push_back(text);
  page.files.push_back(NameOfInput(name));
}

void CheckNamedOnce(const std::vector<std::string>& names) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) throw InputError(*name + ": is named twice");
  }
}

int Report(const ReportArguments& arguments) {
  Page page;
  page.command = CommandAsGiven();
  CheckNamedOnce(arguments.results);
  for (const std::string& name : arguments.results) AddFile(name, page);
  if (page.title.empty()) page.title = "tandem: " + Joined(arguments.results);
  const Outputs outputs({{"-o", arguments.page, kHtmlPage}}, arguments.force, false);
  WriteFile(arguments.page, PageHtml(page));
  return kExitDone;
}

void Declare(Command& command, ReportArguments& arguments) {
  command
      .Add(
          "RESULT", &arguments.results,
          "what a command printed with --json, a trace of it, the scenario or platform that it was made with")
      .Required();
  command.Add("-o,--output", &arguments.page, "the page").Required();
  command.Force(&arguments.force);
  command.Footer(
      "One trace, one board: that of a scenario where it is named.\n"
      "Examples:\n  tandem report simulated.json predicted.trace.json mine.scenario.json -o page.html\n"
      "  tandem report jetson/calibration.json jetson/measured.trace.json -o jetson.html");
}

const CommandRegistration kReport{
    {.name = "report", .summary = "results as one page of HTML that needs nothing else", .order = 85},
    Declare,
    Report};

}  // namespace
}  // namespace tandem::report
