// tandem regress BASELINE...
#include <algorithm>
#include <functional>
#include <optional>
#include <system_error>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/costs/profile.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"
#include "sim/commands/html_option.h"
#include "sim/regress/reports.h"

namespace tandem::regress {
namespace {

struct RegressArguments {
  std::vector<std::string> baselines, only, fail, warn;
  std::string profile, junit, openmetrics, benchmark_json, html;
  bool update = false, lenient = false, strict = false, github = false, ctest = false, json = false;
  bool force = false;
};

bool IsXml(std::string_view head) {
  return head.starts_with("<?xml") && head.find("tandem regress") != std::string_view::npos;
}
bool IsMetrics(std::string_view head) {
  return head.starts_with("# TYPE tandem_") || head.starts_with("# EOF");
}
bool IsBenchmark(std::string_view head) {
  const std::size_t first = head.find_first_not_of("[ \n{");
  return head == "[]\n" || (first != std::string_view::npos && head.substr(first).starts_with("\"name\""));
}

// What it writes beside its answer. The baselines that --update rewrites are its inputs.
Outputs OutputsOf(const RegressArguments& arguments) {
  return Outputs({{"--junit", arguments.junit, {"JUnit's XML", IsXml}},
                  {"--openmetrics", arguments.openmetrics, {"metrics", IsMetrics}},
                  {"--benchmark-json", arguments.benchmark_json, {"benchmarks", IsBenchmark}},
                  HtmlOutput(arguments.html)},
                 arguments.force, arguments.json);
}

RegressOptions OptionsOf(const RegressArguments& arguments) {
  RegressOptions options;
  options.bars = Bars({arguments.only, arguments.fail, arguments.warn});
  options.lenient = arguments.lenient || arguments.update;  // what is missing is added
  options.strict = arguments.strict;
  if (arguments.profile.empty()) return options;
  try {
    options.other_profile = ReadProfileFile(FindFile(arguments.profile, {}, "boards", ".profile.json"));
  } catch (const InputError& error) {
    throw InputError("--profile: " + std::string(error.what()));
  }
  return options;
}

// Every report is written, whatever becomes of another; then the first that could not be is told.
class Reports {
 public:
  void Try(const std::function<void()>& write) {
    try {
      write();
    } catch (const EnvironmentError& error) {
      if (failure_.empty()) failure_ = error.what();
    }
  }
  void Write(const std::string& file, const std::function<std::string()>& text) {
    if (!file.empty()) Try([&] { WriteFile(file, text()); });
  }
  void TellFailure() const {
    if (!failure_.empty()) throw EnvironmentError(failure_);
  }

 private:
  std::string failure_;
};

void WriteReports(const RegressArguments& arguments, const Outputs& outputs, const RegressResult& result) {
  const Regression& regression = result.regression;
  Reports reports;
  reports.Write(arguments.junit, [&] { return JunitXml(regression); });
  reports.Write(arguments.openmetrics, [&] { return OpenMetrics(regression); });
  reports.Write(arguments.benchmark_json, [&] { return BenchmarkJson(regression); });
  reports.Write(arguments.html, [&] {
    return PageHtml(PageOf("What became of " + Joined(arguments.baselines), {RegressionJson(result)}));
  });
  if (arguments.github) reports.Try([&] { AppendGithubSummary(regression); });
  if (arguments.update) {
    for (const Baseline& baseline : result.updated) {
      reports.Write(baseline.file, [&] { return BaselineJson(baseline); });
    }
  }
  // What others read from the output of a step stands beside a result that is read alone.
  const auto beside = [&](const std::string& text) { arguments.json ? WriteError(text) : outputs.Say(text); };
  if (arguments.github) beside(GithubAnnotations(regression));
  if (arguments.ctest) beside(CtestMeasurements(regression));
  if (arguments.json) {
    WriteOutput(RegressionJson(result));
  } else {
    outputs.Say(RegressionText(result, arguments.update, OutputWidth()));
  }
  reports.TellFailure();
}

int ExitStatusOf(const Regression& regression, bool updated) {
  if (updated) return kExitDone;
  if (regression.Count(Verdict::kMissing) > 0) {
    WriteError(
        "tandem: the baseline lacks figures that are asked for: --update adds them, --lenient only notes "
        "it\n");
    return kExitBadInput;
  }
  const auto fails = [&](const FigureChange& figure) { return regression.Fails(figure); };
  return std::any_of(regression.figures.begin(), regression.figures.end(), fails) ? kExitNo : kExitDone;
}

int Regress(const RegressArguments& arguments) {
  RegressOptions options = OptionsOf(arguments);
  std::vector<Baseline> baselines;
  for (const std::string& argument : arguments.baselines) baselines.push_back(FindBaseline(argument));
  std::optional<Outputs> outputs;
  options.when_read = [&] { outputs = OutputsOf(arguments); };
  LongRun watch;
  const RegressResult result = HoldAgainst(baselines, options, watch);
  watch.Clear();
  if (result.regression.interrupted) {
    WriteError("tandem: interrupted: nothing is compared\n");
    return kExitInterrupted;
  }
  WriteReports(arguments, *outputs, result);
  return ExitStatusOf(result.regression, arguments.update);
}

void DeclareBars(Command& command, RegressArguments& arguments) {
  command.Add("--only", &arguments.only, "these figures alone: p99, or streams.NAME.p99 of one stream")
      .Separated(',')
      .OneWord()
      .Shown("FIGURE");
  command.Add("--fail", &arguments.fail, "how much worse it may be, instead of the baseline's tolerance")
      .Separated(',')
      .OneWord()
      .Shown("FIGURE:P%");
  command.Add("--warn", &arguments.warn, "how much worse it may be without a warning; alone: it never fails")
      .Separated(',')
      .OneWord()
      .Shown("FIGURE:P%");
  command.Flag("--strict", &arguments.strict, "what became better beyond its tolerance fails too");
  command.Flag("--lenient", &arguments.lenient, "a figure that the baseline lacks is a note");
}

void DeclareReports(Command& command, RegressArguments& arguments) {
  command.Add("--junit", &arguments.junit,
              "write JUnit's XML to this file, a case per scenario, policy and figure");
  command.Flag("--github", &arguments.github,
               "print annotations for GitHub, the ten worst, and append to its step summary");
  command.Add("--openmetrics", &arguments.openmetrics, "write OpenMetrics' text format to this file");
  command.Add("--benchmark-json", &arguments.benchmark_json,
              "write what github-action-benchmark and Bencher read to this file");
  AddHtml(command, arguments.html);
  command.Flag("--ctest", &arguments.ctest, "print measurements for CTest");
  command.Force(&arguments.force);
  command.Flag("--json", &arguments.json, "print JSON, regression/1");
}

void Declare(Command& command, RegressArguments& arguments) {
  command.Add("BASELINE", &arguments.baselines, "files of `tandem new baseline`, or names that tandem ships")
      .Required();
  const Command::Option profile =
      command.Add("--profile", &arguments.profile,
                  "with this profile instead of the scenarios' own: does the winner still win?");
  command.Flag("--update", &arguments.update, "rewrite the baselines and show what changed; tolerances stay")
      .Excludes({profile});
  DeclareBars(command, arguments);
  DeclareReports(command, arguments);
  command.Footer(
      "Exit status 1 where a figure is worse or different by more than allowed, 2 where the baseline lacks "
      "one; all\n"
      "reports are written before.\n"
      "Examples:\n  tandem regress shipped\n  tandem regress ci.baseline.json --fail p99:5% --junit "
      "regress.xml\n"
      "  tandem regress ci.baseline.json --only makespan --warn makespan:1% --fail makespan:3%\n"
      "  tandem regress ci.baseline.json --update\n"
      "  tandem regress ci.baseline.json --profile new.profile.json");
}

const CommandRegistration kRegress{
    {.name = "regress",
     .summary = "simulate a baseline again: what became worse or better, by how much and why",
     .order = 75},
    Declare,
    Regress};

}  // namespace
}  // namespace tandem::regress
