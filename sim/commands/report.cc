// tandem report RESULT... -o PAGE
#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_reader.h"
#include "profiles/costs/platform.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "scenarios/scenario/plan.h"
#include "sim/page/page.h"
#include "sim/study/one_run.h"

namespace tandem::report {
namespace {

struct ReportArguments {
  std::vector<std::string> results;
  std::string page;
  bool force = false;
};

// A list is of the kind of what stands first in it.
std::string KindOf(const JsonReader& root) {
  if (!root.IsArray()) return std::string(FileKind(root));
  for (const JsonReader& first : root.Elements()) return std::string(FileKind(first));
  root.Fail("an empty list: there is nothing to show");
}

void SetOnce(const std::string& name, const char* what, std::string value, std::string& into) {
  if (!into.empty()) throw InputError(name + ": a page has one " + what + ", and another file has given it");
  into = std::move(value);
}

void AddFile(const std::string& name, Page& page) {
  const bool as_named = name == "-" || std::filesystem::exists(name);
  const std::filesystem::path file = as_named ? std::filesystem::path(name) : FindScenario(name);
  const std::string text = ReadTextFile(file);
  const JsonDocument document = JsonDocument::Parse(text, NameOfInput(name));
  const std::string kind = KindOf(document.root());
  if (kind == "trace/1") return SetOnce(name, "trace", text, page.trace);
  if (kind == "platform/1") return SetOnce(name, "board", text, page.platform);
  if (kind == "scenario/1" || kind == "plan/1") {
    const Scenario scenario = ReadScenarioOrPlan(file);
    if (scenario.platform) SetOnce(name, "board", PlatformJson(*scenario.platform), page.platform);
    page.title = scenario.name;
    return;
  }
  page.results.push_back(text);
}

int Report(const ReportArguments& arguments) {
  Page page;
  page.command = CommandAsGiven();
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
