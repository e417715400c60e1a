#include "sim/regress/regress.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/program/shipped.h"
#include "profiles/program/version.h"
#include "scenarios/baseline/inputs.h"

namespace tandem {
namespace {

// Cases that come from the same runs, in the order of the file.
struct CaseGroup {
  const BaselineCase* first = nullptr;
  std::vector<std::size_t> cases;
};

std::vector<CaseGroup> GroupsOf(const Baseline& baseline) {
  std::vector<CaseGroup> groups;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::size_t> known;
  for (std::size_t c = 0; c < baseline.cases.size(); ++c) {
    const BaselineCase& of = baseline.cases[c];
    const auto [at, is_new] = known.try_emplace({of.scenario, of.engine, of.seed}, groups.size());
    if (is_new) groups.push_back({&of, {}});
    groups[at->second].cases.push_back(c);
  }
  return groups;
}

Scenario ScenarioOf(const Baseline& baseline, const BaselineCase& kept) {
  try {
    const auto file = FindFile(kept.scenario, baseline.file, "scenarios", ".scenario.json");
    Scenario scenario = LoadScenario(file.string());
    scenario.seed = kept.seed;
    return scenario;
  } catch (const InputError& error) {
    throw InputError(kept.place + "/scenario: " + error.what());
  }
}

PolicySpec PolicyOf(const Scenario& scenario, const BaselineCase& kept) {
  for (const PolicySpec& policy : scenario.policies) {
    if (policy.label == kept.policy) return policy;
  }
  return PolicyByName(kept.policy, scenario, kept.place + "/policy");
}

void AddExpected(const FigureName& figure, std::vector<FigureName>& expected) {
  const auto same = [&](const FigureName& other) { return other.Text() == figure.Text(); };
  if (std::none_of(expected.begin(), expected.end(), same)) expected.push_back(figure);
}

class Holder {
 public:
  Holder(const Baseline& baseline, const RegressOptions& options, LongRun& watch, RegressResult& result)
      : baseline_(baseline), options_(options), watch_(watch), result_(result), updated_(baseline) {}

  void Hold() {
    updated_.version = Version();
    for (const CaseGroup& group : GroupsOf(baseline_)) {
      if (watch_.interrupted()) break;
      HoldGroup(group);
    }
    result_.updated.push_back(std::move(updated_));
  }

 private:
  void HoldGroup(const CaseGroup& group) {
    const Scenario scenario = ScenarioOf(baseline_, *group.first);
    NoteInputs(group, InputsHash(scenario));
    const bool other = options_.other_profile && IsOfPlatform(*options_.other_profile, scenario);
    if (!other) {
      if (options_.other_profile) Note(group, "keeps its profiles: the other one is of another platform");
      CompareGroup(group, Run(group, scenario));
      return;
    }
    const Scenario with = WithOtherProfile(scenario, *options_.other_profile);
    const ScenarioRuns runs = Run(group, with);
    CompareGroup(group, runs);
    result_.old_winners.push_back(CompareOldWinner(scenario, with, Policies(group, scenario), runs,
                                                   EngineOfCase(*group.first), watch_));
    result_.old_winners.back().scenario = group.first->scenario;
  }

  static Engine EngineOfCase(const BaselineCase& kept) {
    return kept.engine == NameOf(kEngineNames, Engine::kVirtual) ? Engine::kVirtual : Engine::kSimgrid;
  }

  std::vector<PolicySpec> Policies(const CaseGroup& group, const Scenario& scenario) const {
    std::vector<PolicySpec> policies;
    for (const std::size_t c : group.cases) policies.push_back(PolicyOf(scenario, baseline_.cases[c]));
    return policies;
  }

  ScenarioRuns Run(const CaseGroup& group, const Scenario& scenario) {
    const bool gap = std::any_of(group.cases.begin(), group.cases.end(), [&](std::size_t c) {
      const auto figure = FindFigure("gap");
      return options_.bars.LooksAt(*figure) && baseline_.cases[c].Find("gap");
    });
    policies_ = Policies(group, scenario);
    return RunPolicies(scenario, policies_, EngineOfCase(*group.first), gap, watch_);
  }

  void CompareGroup(const CaseGroup& group, const ScenarioRuns& runs) {
    if (runs.policies.size() < group.cases.size()) return;  // interrupted
    const std::vector<FigureName> expected = Expected(group, runs);
    for (std::size_t i = 0; i < group.cases.size(); ++i) {
      const BaselineCase& kept = baseline_.cases[group.cases[i]];
      std::vector<FigureChange> changes =
          CompareCase(baseline_, kept, runs.policies[i], runs.winner, expected, options_.bars);
      Update(updated_.cases[group.cases[i]], changes, runs.policies[i], runs.winner);
      for (FigureChange& change : changes) Take(std::move(change));
    }
  }

  // What any case of the scenario keeps, and what the command line names: all must say it.
  std::vector<FigureName> Expected(const CaseGroup& group, const ScenarioRuns& runs) const {
    std::vector<FigureName> expected;
    for (const std::size_t c : group.cases) {
      for (const auto& [name, figure] : baseline_.cases[c].figures) AddExpected(*FindFigure(name), expected);
    }
    const auto has_stream = [&](const std::string& name) {
      const auto& streams = runs.policies.front().report.streams;
      return name.empty() || std::any_of(streams.begin(), streams.end(),
                                         [&](const StreamReport& stream) { return stream.name == name; });
    };
    for (const FigureName& figure : options_.bars.Named()) {
      if (has_stream(figure.stream)) AddExpected(figure, expected);
    }
    return expected;
  }

  void Take(FigureChange change) {
    if (change.verdict == Verdict::kMissing && options_.lenient) {
      result_.regression.notes.push_back(change.file + ": " + change.scenario + ", " + change.policy +
                                         ": the baseline has no figure " + Quoted(change.figure.Text()));
      return;
    }
    result_.regression.figures.push_back(std::move(change));
  }

  void Update(BaselineCase& kept, const std::vector<FigureChange>& changes, const PolicyRun& run,
              const std::string& winner) {
    const BaselineCase now = CaseOf(run, winner, {});
    kept.inputs = inputs_;
    kept.stream_latency = now.stream_latency;
    kept.work = now.work;
    for (const FigureChange& change : changes) {
      const std::string name = change.figure.Text();
      const auto same = [&](const auto& figure) { return figure.first == name; };
      const auto found = std::find_if(kept.figures.begin(), kept.figures.end(), same);
      if (found != kept.figures.end()) {
        found->second.value = change.after;
      } else {
        kept.figures.emplace_back(name, KeptFigure{change.after, {}});
      }
    }
  }

  void NoteInputs(const CaseGroup& group, const std::string& inputs) {
    inputs_ = inputs;
    if (group.first->inputs != inputs) Note(group, "what the scenario reads has changed since the baseline");
  }

  void Note(const CaseGroup& group, const std::string& what) {
    result_.regression.notes.push_back(baseline_.file + ": " + group.first->scenario + ": " + what);
  }

  const Baseline& baseline_;
  const RegressOptions& options_;
  LongRun& watch_;
  RegressResult& result_;
  Baseline updated_;
  std::string inputs_;                // of the scenario at hand
  std::vector<PolicySpec> policies_;  // and its policies, which reports outlive
};

}  // namespace

Baseline FindBaseline(const std::string& argument) {
  std::filesystem::path file;
  try {
    file = FindFile(argument, {}, "baselines", ".baseline.json");
  } catch (const InputError& error) {
    throw InputError(argument + ": " + error.what());
  }
  return ReadBaselineFile(file);
}

RegressResult HoldAgainst(const std::vector<Baseline>& baselines, const RegressOptions& options,
                          LongRun& watch) {
  RegressResult result;
  result.regression.strict = options.strict;
  for (const Baseline& baseline : baselines) Holder(baseline, options, watch, result).Hold();
  result.regression.interrupted = watch.interrupted();
  SortWorstFirst(result.regression.figures);
  if (result.regression.figures.empty() && !watch.interrupted() && !options.lenient) {
    throw InputError("--only: no case of " + Joined(baselines, ", ", &Baseline::file) + " has such a figure");
  }
  return result;
}

}  // namespace tandem
