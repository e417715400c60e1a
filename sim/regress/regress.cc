#include "sim/regress/regress.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "policies/bounds/linear_program.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/program/shipped.h"
#include "profiles/program/version.h"
#include "scenarios/baseline/inputs.h"
#include "sim/study/known_data.h"

namespace tandem {
namespace {

// Cases that come from the same runs, in the order of the file.
struct CaseGroup {
  const BaselineCase* first = nullptr;
  std::vector<std::size_t> cases;
  Scenario scenario;
};

std::vector<CaseGroup> GroupsOf(const Baseline& baseline) {
  std::vector<CaseGroup> groups;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::size_t> known;
  for (std::size_t c = 0; c < baseline.cases.size(); ++c) {
    const BaselineCase& of = baseline.cases[c];
    const auto [at, is_new] = known.try_emplace({of.scenario, of.engine, of.seed}, groups.size());
    if (is_new) groups.push_back({&of, {}, {}});
    groups[at->second].cases.push_back(c);
  }
  return groups;
}

// Of labels with ", " between them, some of which may hold that themselves: is there a way to read them so
// that all are of that kind?
bool AllLabels(const std::string& winners, const std::function<bool(const std::string&)>& are) {
  for (std::size_t to = winners.find(", ");; to = winners.find(", ", to + 1)) {
    const bool last = to == std::string::npos;
    if (are(winners.substr(0, to)) && (last || AllLabels(winners.substr(to + 2), are))) return true;
    if (last) return false;
  }
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

// Without those of streams that the scenario has not.
std::vector<FigureName> ThatExist(std::vector<FigureName> figures, const Report& report) {
  const auto exists = [&](const std::string& name) {
    return name.empty() || std::any_of(report.streams.begin(), report.streams.end(),
                                       [&](const StreamReport& stream) { return stream.name == name; });
  };
  std::erase_if(figures, [&](const FigureName& figure) { return !exists(figure.stream); });
  return figures;
}

class Holder {
 public:
  Holder(const Baseline& baseline, const RegressOptions& options, LongRun& watch, RegressResult& result)
      : baseline_(baseline), options_(options), watch_(watch), result_(result), updated_(baseline) {}

  void Read() {
    groups_ = GroupsOf(baseline_);
    for (CaseGroup& group : groups_) {
      group.scenario = ScenarioOf(baseline_, *group.first);
      Policies(group, group.scenario);  // before the first is run: are they there?
    }
  }

  void Hold() {
    updated_.version = Version();
    for (const CaseGroup& group : groups_) {
      if (watch_.interrupted()) break;
      HoldGroup(group);
    }
    TellTandem();
    result_.updated.push_back(std::move(updated_));
  }

 private:
  void HoldGroup(const CaseGroup& group) {
    NoteInputs(group);
    taken_ = 0;
    const bool other = options_.other_profile && IsOfPlatform(*options_.other_profile, group.scenario);
    if (!other) {
      if (options_.other_profile) Note(group, "keeps its profiles: the other one is of another platform");
      CompareGroup(group, Run(group, group.scenario), false);
      return;
    }
    const Scenario with = WithOtherProfile(group.scenario, *options_.other_profile);
    const ScenarioRuns runs = Run(group, with);
    CompareGroup(group, runs, true);
    result_.old_winners.push_back(CompareOldWinner(group.scenario, with, Policies(group, group.scenario),
                                                   runs, EngineNamed(group.first->engine), watch_));
    result_.old_winners.back().scenario = group.first->scenario;
  }

  std::vector<PolicySpec> Policies(const CaseGroup& group, const Scenario& scenario) const {
    std::vector<PolicySpec> policies;
    for (const std::size_t c : group.cases) policies.push_back(PolicyOf(scenario, baseline_.cases[c]));
    return policies;
  }

  ScenarioRuns Run(const CaseGroup& group, const Scenario& scenario) {
    const std::vector<FigureName> expected = Expected(group);
    WantedOfRuns wanted;
    wanted.winner = options_.other_profile.has_value();
    for (const FigureName& figure : expected) {
      wanted.bound = wanted.bound || figure.kind->needs_bound;
      wanted.winner = wanted.winner || !figure.kind->of;
    }
    policies_ = Policies(group, scenario);
    AddProfilesUsed(scenario, result_.regression.profiles);
    ScenarioRuns runs = RunPolicies(scenario, policies_, EngineNamed(group.first->engine), wanted, watch_);
    AddEstimated(scenario, runs);
    return runs;
  }

  void AddEstimated(const Scenario& scenario, const ScenarioRuns& runs) {
    std::vector<Report> reports;
    for (const PolicyRun& run : runs.policies) reports.push_back(run.report);
    AddTakenForWant(scenario, reports);
    std::vector<std::string>& all = result_.regression.estimated;
    for (std::string& sentence : EstimatedOf(reports)) {
      if (std::find(all.begin(), all.end(), sentence) == all.end()) all.push_back(std::move(sentence));
    }
  }

  // `other`: with another profile, whose noise does not make another winner.
  void CompareGroup(const CaseGroup& group, const ScenarioRuns& runs, bool other) {
    if (runs.policies.size() < group.cases.size()) return;  // interrupted
    const std::vector<FigureName> expected = ThatExist(Expected(group), runs.policies.front().report);
    for (std::size_t i = 0; i < group.cases.size(); ++i) {
      const BaselineCase& kept = baseline_.cases[group.cases[i]];
      std::vector<FigureChange> changes =
          CompareCase(baseline_, kept, runs.policies[i], runs.winner, expected, options_.bars);
      if (other) ForgiveUntoldWinner(runs, changes);
      Update(updated_.cases[group.cases[i]], changes, runs.policies[i], runs.winner);
      for (FigureChange& change : changes) Take(std::move(change));
    }
    NoteTandem(group);
  }

  static void ForgiveUntoldWinner(const ScenarioRuns& runs, std::vector<FigureChange>& changes) {
    for (FigureChange& change : changes) {
      const auto* const before = std::get_if<std::string>(&change.before);
      if (change.figure.kind->of || change.verdict != Verdict::kDifferent || !before) continue;
      const auto untold = [&](const std::string& label) { return runs.CannotTellFromBest(label); };
      if (!AllLabels(*before, untold)) continue;
      change.verdict = Verdict::kWithin;
      change.why = "draws of the other profile cannot tell " + *before + " from the best";
    }
  }

  // What the baseline says that cases have, what any case of the scenario keeps, and what the command line
  // names: all must say it. Without what is not looked at.
  std::vector<FigureName> Expected(const CaseGroup& group) const {
    std::vector<FigureName> all;
    for (const std::string& name : baseline_.figures) AddExpected(*FindFigure(name), all);
    for (const std::size_t c : group.cases) {
      for (const auto& [name, figure] : baseline_.cases[c].figures) AddExpected(*FindFigure(name), all);
    }
    for (const FigureName& figure : options_.bars.Named()) AddExpected(figure, all);
    std::erase_if(all, [&](const FigureName& figure) { return !options_.bars.LooksAt(figure); });
    return all;
  }

  void Take(FigureChange change) {
    if (change.verdict == Verdict::kMissing && options_.lenient) {
      result_.regression.notes.push_back(change.file + ": " + change.scenario + ", " + change.policy +
                                         ": the baseline has no figure " + Quoted(change.figure.Text()));
      return;
    }
    result_.regression.figures.push_back(std::move(change));
    ++taken_;
  }

  void Update(BaselineCase& kept, const std::vector<FigureChange>& changes, const PolicyRun& run,
              const std::string& winner) {
    // Where some figures alone are looked at, the others stay those of the old inputs.
    const auto looked_at = [&](const auto& figure) {
      return options_.bars.LooksAt(*FindFigure(figure.first));
    };
    if (std::all_of(kept.figures.begin(), kept.figures.end(), looked_at)) {
      const BaselineCase now = CaseOf(run, winner, {});
      kept.inputs = inputs_;
      kept.stream_latency = now.stream_latency;
      kept.work = now.work;
    }
    for (const FigureChange& change : changes) {
      const std::string name = change.figure.Text();
      const auto same = [&](const auto& figure) { return figure.first == name; };
      const auto found = std::find_if(kept.figures.begin(), kept.figures.end(), same);
      if (found != kept.figures.end()) {
        found->second.value = change.after;
      } else {
        kept.figures.emplace_back(name, KeptFigure{change.after, {}});
        AddToAll(name);
      }
    }
  }

  // Where the baseline says what cases have.
  void AddToAll(const std::string& name) {
    std::vector<std::string>& all = updated_.figures;
    if (!all.empty() && std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  }

  void NoteInputs(const CaseGroup& group) {
    inputs_ = InputsHash(group.scenario);
    if (group.first->inputs == inputs_) return;
    std::string note = "what the scenario reads has changed since the baseline";
    std::vector<std::string> others;
    for (const PolicySpec& policy : group.scenario.policies) {
      const auto is_it = [&](std::size_t c) { return baseline_.cases[c].policy == policy.label; };
      if (std::none_of(group.cases.begin(), group.cases.end(), is_it)) others.push_back(policy.label);
    }
    if (!others.empty()) note += "; the baseline does not hold " + Joined(others, ", ");
    Note(group, note);
  }

  // Then it is tandem that computes something else.
  void NoteTandem(const CaseGroup& group) {
    const auto moved = [](const FigureChange& change) {
      return change.verdict != Verdict::kSame && change.verdict != Verdict::kMissing;
    };
    const auto& figures = result_.regression.figures;
    if (options_.other_profile || group.first->inputs != inputs_) return;
    if (std::any_of(figures.end() - taken_, figures.end(), moved)) unchanged_.insert(group.first->scenario);
  }
  void TellTandem() {
    if (unchanged_.empty()) return;
    const std::string now(Version());
    result_.regression.notes.push_back(
        baseline_.file + ": tandem " + baseline_.version + " wrote it, this is " +
        (baseline_.version == now ? "another build of it" : now) + "; what " + Joined(unchanged_, ", ") +
        (unchanged_.size() == 1 ? " reads" : " read") + " is as it was where figures moved");
  }

  void Note(const CaseGroup& group, const std::string& what) {
    result_.regression.notes.push_back(baseline_.file + ": " + group.first->scenario + ": " + what);
  }

  const Baseline& baseline_;
  const RegressOptions& options_;
  LongRun& watch_;
  RegressResult& result_;
  Baseline updated_;
  std::vector<CaseGroup> groups_;
  std::string inputs_;                // of the scenario at hand
  std::ptrdiff_t taken_ = 0;          // figures of it
  std::set<std::string> unchanged_;   // scenarios that read what they did, where figures moved
  std::vector<PolicySpec> policies_;  // and its policies, which reports outlive
};

// Bounds without a solver are looser: that is no fault of a schedule.
void NoteSolver(Regression& regression) {
  const bool moved =
      std::any_of(regression.figures.begin(), regression.figures.end(), [](const FigureChange& change) {
        return change.figure.kind->needs_bound && change.verdict != Verdict::kSame &&
               change.verdict != Verdict::kMissing;
      });
  if (SolverIsBuiltIn() || !moved) return;
  regression.notes.emplace_back(
      "this tandem is built without a solver of linear programs: its bounds are looser, and its gaps larger");
}

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
  std::vector<Holder> holders;
  for (const Baseline& baseline : baselines) {
    holders.emplace_back(baseline, options, watch, result);
    holders.back().Read();
  }
  if (options.when_read) options.when_read();
  for (Holder& holder : holders) holder.Hold();
  result.regression.interrupted = watch.interrupted();
  SortWorstFirst(result.regression.figures);
  TellApart(result.regression.figures);
  NoteSolver(result.regression);
  if (result.regression.figures.empty() && !watch.interrupted() && !options.lenient) {
    throw InputError("--only: no case of " + Joined(baselines, ", ", &Baseline::file) + " has such a figure");
  }
  return result;
}

}  // namespace tandem
