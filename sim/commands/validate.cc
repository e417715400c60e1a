// tandem validate SCENARIO --device CMD
#include <algorithm>
#include <cmath>
#include <functional>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/table.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "scenarios/exchange/named_programs.h"
#include "scenarios/report/json.h"
#include "scenarios/report/objective.h"
#include "scenarios/scenario/plan.h"
#include "sim/board/device_client.h"
#include "sim/board/install_offer.h"
#include "sim/commands/bars_option.h"
#include "sim/commands/engine_option.h"
#include "sim/commands/html_option.h"
#include "sim/commands/objective_option.h"
#include "sim/study/as_today.h"
#include "sim/study/models_alone.h"
#include "sim/study/one_run.h"
#include "sim/study/pick.h"
#include "sim/study/runs_so_far.h"
#include "sim/study/state_in_runs.h"
#include "sim/study/validation.h"

namespace tandem::validate {
namespace {

constexpr std::int64_t kMostRepeats = 1000, kMostPlans = 100;
constexpr double kMostSeconds = 1e6;

struct ValidateArguments {
  std::string scenario, device, engine = "simgrid", objective, profile, trace, keep, plan, html;
  std::vector<std::string> policies;
  std::int64_t repeats = 5, tries = 3, split = 1, top = 0;
  std::optional<std::uint64_t> seed;
  double budget_s = 0;
  BarOptions bars;
  bool pick = false, alone = false, unmanaged = false;
  bool winner_only = false, resume = false, force = false, allow_commands = false, json = false;
  bool install = false;
};

std::optional<std::filesystem::path> PathOf(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return name;
}

// What it names and is not there yet is measured; --profile stands for all that it names.
ScenarioOptions OptionsOf(const ValidateArguments& arguments) {
  ScenarioOptions options;
  options.profiles = arguments.profile.empty() ? NamedProfiles::kIfThere : NamedProfiles::kNone;
  return options;
}

// All that may be written, before the device is asked for anything: what it then measures is not to be lost
// for want of a place.
Outputs OutputsOf(const ValidateArguments& arguments, const Scenario& scenario) {
  std::vector<Output> files = {{"--trace", arguments.trace, {"trace/1"}},
                               {"--plan", arguments.plan, {"plan/1"}},
                               HtmlOutput(arguments.html)};
  if (!arguments.profile.empty()) ReadProfileFile(arguments.profile);  // an input, too
  for (const KeptFile& kept : kKeptFiles) {
    const bool asked =
        kept.of == KeptFile::kRuns ||
        (kept.of == KeptFile::kPick && (arguments.pick || !arguments.plan.empty())) ||
        (kept.of == KeptFile::kPlatform && !scenario.platform) ||
        (kept.of == KeptFile::kProfile && arguments.profile.empty() && scenario.profiles.empty());
    if (!arguments.keep.empty() && asked) {
      files.push_back({"--keep", std::filesystem::path(arguments.keep) / kept.name, {kept.kind}});
    }
  }
  return Outputs(std::move(files), arguments.force, arguments.json);
}

// With the platform that the device offers where the scenario leaves that open.
Scenario WithPlatform(const ValidateArguments& arguments, Scenario scenario, const DeviceClient& device) {
  if (scenario.platform) {
    if (arguments.split == 1) return scenario;
    throw InputError(scenario.file + ":/platform: --split divides the cores of \"device\" alone");
  }
  ScenarioOptions options = OptionsOf(arguments);
  options.device = device.AskPlatform(arguments.split);
  if (arguments.unmanaged)
    AddUnitOfToday(static_cast<std::int64_t>(scenario.streams.size()), *options.device);
  return ReadScenarioOrPlan(FindScenario(arguments.scenario), options);
}

// The device's program starts what files name only where it is told so, too.
std::vector<std::string> ConsentOf(const ValidateArguments& arguments) {
  if (!arguments.allow_commands) return {};
  return {"--allow-commands"};
}

Profile ProfileFor(const ValidateArguments& arguments, Scenario& scenario, const DeviceClient& device) {
  if (!arguments.profile.empty()) return ReadProfileFile(arguments.profile);
  if (!arguments.policies.empty()) scenario.policies = ChoosePolicies(scenario, arguments.policies);
  ProfileOrder request = RequestFor(scenario);
  if (arguments.seed) request.seed = *arguments.seed;
  if (arguments.budget_s > 0) {  // 0 is none
    request.budget = std::max(Nanos{1}, Nanos{std::llround(arguments.budget_s * 1e9)});
  }
  Profile profile = device.AskProfile(request, arguments.resume, ConsentOf(arguments));
  profile.file.clear();  // it names files as it was asked for them, not from a place of its own
  return profile;
}

// With everything that a simulation needs, measured where the scenario does not say it.
Scenario WithProfile(const ValidateArguments& arguments, Scenario of_file, const DeviceClient& device,
                     LongRun& watch) {
  Scenario scenario = WithPlatform(arguments, std::move(of_file), device);
  CheckAllowed(scenario.file, ProgramsOf(scenario), arguments.allow_commands);
  SetObjective(arguments.objective, scenario);
  CheckIdlePower(scenario);  // no measurement tells these watts
  if (!scenario.profiles.empty() && arguments.profile.empty()) return scenario;
  if (arguments.profile.empty()) {
    const double most = arguments.budget_s;
    watch.Say("the device measures a profile" + (most > 0 ? ", for " + Short(most) + " s at most" : ""));
  }
  const Profile profile = ProfileFor(arguments, scenario, device);
  const JsonDocument document = JsonDocument::Parse(ScenarioWith(scenario, profile), scenario.file);
  try {
    return ReadScenario(document.root());
  } catch (const InputError& error) {
    if (!arguments.profile.empty()) throw;
    throw EnvironmentError("what the device measured does not fit: " + std::string(error.what()));
  }
}

int Interrupted() {
  WriteError("tandem: interrupted\n");
  return kExitInterrupted;
}

std::vector<Report> ReportsOf(const std::vector<Prediction>& predictions) {
  std::vector<Report> reports;
  for (const Prediction& prediction : predictions) reports.push_back(prediction.report);
  return reports;
}

// The policies that a device has no whole run of although it has not failed.
std::vector<std::string> NotMeasured(const CalibrationReport& report) {
  std::vector<std::string> labels;
  for (const PolicyCalibration& policy : report.policies) {
    if (policy.runs.empty()) labels.push_back(policy.label);
  }
  return labels;
}

int ExitStatus(const BarOptions& bars, const CalibrationReport& report, const LongRun& watch,
               int device_status) {
  if (watch.interrupted()) return Interrupted();
  if (device_status != kExitDone && device_status != kExitNo) return device_status;
  if (const std::vector<std::string> missing = NotMeasured(report); !missing.empty()) {
    WriteError("tandem: the device has measured nothing of " + Joined(missing) + "\n");
    return kExitFailed;
  }
  const bool wrong_outputs =
      std::any_of(report.policies.begin(), report.policies.end(),
                  [](const PolicyCalibration& policy) { return policy.correct == false; });
  TellUnknown(bars, report);
  const bool wrong_winner = report.winner.verdict == BarVerdict::kOutside && !report.pick;
  return wrong_winner || wrong_outputs || MissesBar(bars, report) ? kExitNo : kExitDone;
}

std::function<std::optional<std::string>(const DeviceProgram&)> WhereMissing(
    const ValidateArguments& arguments, LongRun& watch) {
  return [&](const DeviceProgram& program) {
    watch.Clear();
    InstallOffer offer;
    offer.unasked = arguments.install;
    offer.go_on = [&] { return watch.Waits("waiting for the board"); };
    offer.sent = [&](std::int64_t bytes, std::int64_t of) { (void)watch.Progress("sending", bytes, of); };
    offer.say = [&](const std::string& sentence) {
      watch.Clear();
      WriteNote("tandem: " + sentence + "\n");
    };
    return InstallWhereMissing(program, offer);
  };
}

int Validate(const ValidateArguments& arguments, LongRun& watch) {
  if (arguments.install) CheckCanBeInstalled(arguments.device);
  Scenario of_file = ReadScenarioOrPlan(FindScenario(arguments.scenario), OptionsOf(arguments));
  const Outputs outputs = OutputsOf(arguments, of_file);
  const KeptFiles kept(PathOf(arguments.keep));
  const auto progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
    done < total ? (void)watch.Progress(what, done, total) : watch.Clear();
  };
  std::optional<RunsSoFar> runs;
  const auto ran = [&](const RunAnswer& told) {
    runs->Take(told);
    watch.ProgressAndTimeLeft("runs", runs->done(), runs->wanted());
  };
  // Until it has told of a run, a device beside this program shows itself how far it is.
  const auto go_on = [&] {
    if (runs && runs->done() > 0) watch.ProgressAndTimeLeft("runs", runs->done(), runs->wanted());
    return !watch.interrupted();
  };
  const DeviceClient device(DeviceProgram(arguments.device), kept,
                            {go_on, progress, ran, {}, WhereMissing(arguments, watch)});
  Scenario scenario = WithProfile(arguments, std::move(of_file), device, watch);
  if (arguments.seed) scenario.seed = *arguments.seed;
  std::vector<PolicySpec> policies = ChoosePolicies(scenario, arguments.policies);
  if (arguments.top > 0) policies = WithFinalists(scenario, std::move(policies));
  if (arguments.unmanaged) policies = WithToday(scenario, std::move(policies));
  const Engine engine = EngineNamed(arguments.engine);
  Predictions predictions = Predict(scenario, policies, engine, watch, arguments.bars.bars().probability);
  watch.Clear();
  if (watch.interrupted()) return Interrupted();
  kept.Write("predicted.trace.json", predictions.trace);
  std::vector<Prediction>& plans = predictions.policies;
  if (arguments.winner_only) plans = WinnerAlone(plans);
  if (arguments.top > 0) {
    const auto first = plans.begin() + (arguments.unmanaged ? 1 : 0);
    std::vector<Prediction> different =
        MostDifferent({first, plans.end()}, scenario.objective, static_cast<std::size_t>(arguments.top));
    plans.erase(first, plans.end());
    plans.insert(plans.end(), different.begin(), different.end());
  }
  if (plans.empty()) throw InputError(scenario.file + ": no policy can be named the winner");

  Predictions alone;
  if (arguments.alone) alone = PlansAlone(scenario, plans, watch);
  std::vector<Prediction> to_run = plans;
  to_run.insert(to_run.end(), alone.policies.begin(), alone.policies.end());
  runs.emplace(to_run, arguments.repeats);
  watch.Show([&] { return runs->Lines(); });
  watch.Say(Counted(runs->wanted(), "run") + " on the device: " +
            (runs->expected().count() > 0 ? "about " + Grouped(runs->expected().count()) + " s"
                                          : "less than a second") +
            " by the prediction, and making ready");
  DeviceRunAnswer answer = device.AskRuns(OrderFor(to_run, arguments.repeats, arguments.tries, scenario.seed),
                                          ConsentOf(arguments));
  watch.Clear();
  kept.Write("measured.trace.json", answer.result.trace);
  const std::vector<ModelAlone> took = TakeAlone(scenario, plans, alone, answer.result);
  StateInRuns state = StateOf(answer.result.runs, scenario.profiles);
  for (const ModelAlone& of : took) state.erase(of.unit);
  if ((IsAnother(state) || !took.empty()) && !watch.interrupted()) {
    const Scenario profiled = scenario;
    PutInState(state, scenario);
    PutInState(took, scenario);
    Predictions in_state =
        PredictAgain({profiled, scenario}, plans, engine, watch, arguments.bars.bars().probability);
    watch.Clear();
    if (!watch.interrupted()) {
      predictions = std::move(in_state);
      kept.Write("predicted.trace.json", predictions.trace);
    }
  }
  if (!arguments.trace.empty()) {
    WriteFile(arguments.trace, JoinedTrace(predictions.trace, answer.result.trace));
  }
  const JsonDocument trace = JsonDocument::Parse(predictions.trace, "prediction");
  CalibrationReport report =
      Calibrate(scenario, plans, ReadTrace(trace.root()), answer.result, arguments.bars.bars());
  if (plans.front().planned) {
    report.state = state;
    report.alone = took;
  }
  if (const std::string gain = GainOverToday(report); !gain.empty()) report.notes.push_back(gain);
  if (arguments.pick || !arguments.plan.empty()) report.pick = PickMeasured(report, answer.result);
  if (report.pick) {
    const std::string& picked = plans[report.pick->plan].plan;
    kept.Write("picked.plan.json", picked);
    if (!arguments.plan.empty()) WriteFile(arguments.plan, picked);
  }
  const std::string text = arguments.json ? CalibrationJson(report) : CalibrationText(report, OutputWidth());
  kept.Write("calibration.json", arguments.json ? text : CalibrationJson(report));
  if (!arguments.html.empty()) {
    Page page = PageOf(scenario, {CalibrationJson(report)});
    page.predicted = ReportsJson(ReportsOf(plans));
    const std::string both = JoinedTrace(predictions.trace, answer.result.trace);
    page.trace = ReadTrace(JsonDocument::Parse(both, "trace").root());
    WriteHtml(arguments.html, page);
  }
  outputs.Say(text);
  return ExitStatus(arguments.bars, report, watch, answer.status);
}

// A device that Ctrl-C has ended too has not failed.
int ValidateOrStop(const ValidateArguments& arguments) {
  LongRun watch;
  try {
    return Validate(arguments, watch);
  } catch (const EnvironmentError&) {
    if (!watch.interrupted()) throw;
    return Interrupted();
  }
}

void Declare(Command& command, ValidateArguments& arguments) {
  command
      .Add("SCENARIO", &arguments.scenario,
           "a scenario or a plan: a file, or the name of one that tandem ships")
      .Required();
  command.Add("--device", &arguments.device,
              "the program on the device, as a shell takes it; else tandem-device beside this one");
  command.Flag("--install", &arguments.install,
               "where that cannot be started on the board that ssh reaches, install it there without asking "
               "and go on");
  const Command::Option alone =
      command.Flag("--winner-only", &arguments.winner_only, "run the predicted winner alone");
  command
      .Add("--top", &arguments.top,
           "instead of all of them so many good plans that differ most, the search's others among them")
      .Range(1, kMostPlans)
      .Excludes({alone});
  command.Flag("--pick", &arguments.pick,
               "keep the measured best of what was run, chosen by every other run and judged by the others");
  command.Add("--plan", &arguments.plan, "write the picked plan to this file; with --pick");
  command.Add("--repeat", &arguments.repeats, "runs of each policy, taking turns (5)").Range(1, kMostRepeats);
  command
      .Add("--tries", &arguments.tries,
           "make a run that the machine disturbed again, up to so many times in all (3)")
      .Range(1, kMostRepeats);
  command.Flag("--alone", &arguments.alone,
               "run every model alone on every unit in each round, too: predictions are then of what the "
               "machine takes "
               "now, not when it was profiled");
  command
      .Flag(
          "--unmanaged", &arguments.unmanaged,
          "first as it is before anybody plans: a process for each stream, which the operating system gives "
          "its part of what is there; where the platform is the device's, of all cores")
      .Excludes({alone});
  command
      .Add("--policy", &arguments.policies,
           "these alone: labels of the scenario's, or any policies: fcfs,eft")
      .Separated(',');
  command
      .Add("--split", &arguments.split,
           "where the platform is the device's: so many CPU units of the cores that are alike (1)")
      .Range(1, 1024);
  command.Add("--seed", &arguments.seed, "instead of the scenario's");
  command.Add("--profile", &arguments.profile, "this profile, instead of measuring one");
  command.Add("--budget", &arguments.budget_s, "seconds that measuring the profile may take")
      .RealRange(0.0, kMostSeconds);
  command.Flag("--resume", &arguments.resume, "go on with a profile that was cut short, on the device too");
  AddExactEngine(command, arguments.engine);
  AddObjective(command, arguments.objective);
  AddBars(command, arguments.bars);
  command.Add("--trace", &arguments.trace, "write what was predicted and what was measured to one trace");
  AddHtml(command, arguments.html);
  command.Add("--keep", &arguments.keep, "keep profile, requests, result and traces in this folder");
  command.Force(&arguments.force);
  command.AllowCommands(&arguments.allow_commands);
  command.Flag("--json", &arguments.json, "print JSON, calibration/1");
  command.Footer(
      "What the scenario leaves open is asked of the device: \"platform\": \"device\", and profiles where it "
      "names none\nor files that are not there yet.\n"
      "Exit status 1 where the predicted winner loses more than 1 % for sure, outputs are wrong, or a "
      "makespan, or\nthe objective, is outside the bar that --bar gives (what so many runs cannot tell is "
      "said on "
      "standard error, and\nstatus 1 with --strict); 3 where the device failed or measured nothing of a "
      "policy, with what was finished by "
      "then.\n"
      "Examples:\n  tandem validate this-machine --split 2\n  tandem validate mine.scenario.json\n"
      "  tandem validate mine.scenario.json --device \"ssh jetson tandem-device\" --keep jetson\n"
      "  tandem validate mine.scenario.json --device \"ssh jetson tandem-device\" --install\n"
      "  tandem validate mine.scenario.json --html mine.html\n"
      "  tandem validate mine.scenario.json --bar 5 --strict --repeat 9\n"
      "  tandem validate this-machine --split 2 --unmanaged\n"
      "  tandem validate mine.scenario.json --top 4 --pick --plan best.plan.json\n"
      "  tandem validate mine.scenario.json --profile jetson/measured.profile.json --policy eft --repeat 9");
}

const CommandRegistration kValidate{
    {.name = "validate",
     .summary = "profile, simulate and run every policy on the device, and compare: the calibration",
     .order = 80},
    Declare,
    ValidateOrStop};

}  // namespace
}  // namespace tandem::validate
