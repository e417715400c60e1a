#include "sim/study/draws.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "policies/engine/draws/sampled_times.h"
#include "policies/engine/virtual_runner.h"
#include "profiles/base/input_error.h"
#include "profiles/program/cores.h"
#include "profiles/program/threads.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostTasks = 10'000'000;  // of all draws of a policy: some seconds

std::vector<char> UsedUnits(const Report& report) {
  std::vector<char> used;
  for (const UnitReport& unit : report.units) used.push_back(unit.tasks > 0 ? 1 : 0);
  return used;
}

std::int64_t TasksOf(const Report& report) {
  std::int64_t tasks = 1;
  for (const UnitReport& unit : report.units) tasks += unit.tasks;
  return tasks;
}

// One policy's draws, made one after the other.
class Repeated {
 public:
  Repeated(const Played& played, const PolicySpec& spec)
      : spec_(&spec),
        asked_(ProblemFor(spec, *played.decides)),
        first_(MakePolicy(spec, asked_)),
        taken_(TakenBy(*first_.problem, played)),
        times_(taken_ ? *taken_ : *first_.problem) {}

  const SampledTimes& times() const { return times_; }

  // kMediansToo: as devices are run, again where the machine is disturbed as the run begins or ends.
  Report Draw(std::uint64_t draw, Wanted wanted) const {
    if (wanted == Wanted::kIntervals) return DrawOnce(times_.Another(draw));
    std::optional<Report> last;
    for (std::uint64_t again = 0, runs = 0; again < kMostBegins && runs < kMostRuns; ++again) {
      const SampledTimes times = times_.Another(draw, again);
      if (!times.IsUndisturbed(Nanos{0})) continue;
      last = DrawOnce(times);
      ++runs;
      if (times.IsUndisturbed(last->makespan)) break;
    }
    return last ? *std::move(last) : DrawOnce(times_.Another(draw));
  }

 private:
  static constexpr std::uint64_t kMostBegins = 100, kMostRuns = 3;

  Report DrawOnce(const SampledTimes& times) const {
    const Prepared run = MakePolicy(*spec_, asked_);
    RunOptions options;
    SetTaken(taken_.get(), options);
    times.SetIn(options);
    RunFacts facts;
    facts.engine = NameOf(kEngineNames, Engine::kVirtual);
    return MakeReport(asked_->scenario(), *spec_, facts, RunVirtual(*run.problem, *run.policy, options));
  }

  const PolicySpec* spec_;
  std::shared_ptr<const Problem> asked_;
  Prepared first_;
  std::shared_ptr<const Problem> taken_;  // null: what `first_` has
  SampledTimes times_;
};

// So many draws that they take no more than a while; nothing where those would be too few.
std::optional<std::int64_t> DrawsWithin(const std::vector<Report>& reports, double probability) {
  std::int64_t tasks = 1;
  for (const Report& report : reports) tasks = std::max(tasks, TasksOf(report));
  const std::int64_t within = kMostTasks / tasks;
  if (within < LeastDrawsFor(probability)) return std::nullopt;
  return std::min(DrawsFor(probability), within);
}

}  // namespace

PolicySpec Decided(const PreparedRun& run) {
  PolicySpec spec = *run.spec;
  if (run.policy->decisions()) spec.decided = std::make_shared<Decisions>(*run.policy->decisions());
  return spec;
}

void AddDraws(const Played& played, const std::vector<PolicySpec>& specs, double probability, Wanted wanted,
              std::vector<Report>& reports, const GoesOn& goes_on) {
  const auto draws = DrawsWithin(reports, probability);
  const auto all = draws.value_or(0) * static_cast<std::int64_t>(reports.size());
  Threads threads(CoresToUse());
  for (std::size_t p = 0; p < reports.size(); ++p) {
    Report& report = reports[p];
    if (!report.complete) {
      report.interval_why = "the run is not complete";
      continue;
    }
    try {
      const Repeated repeated(played, specs[p]);
      const std::string why = draws ? repeated.times().Unknown(UsedUnits(report))
                                    : "the run has too many tasks to be drawn often enough";
      const bool medians = wanted == Wanted::kMediansToo && draws && repeated.times().samples();
      if (!why.empty()) report.interval_why = why;
      if (!why.empty() && !medians) continue;
      std::vector<Report> drawn(static_cast<std::size_t>(*draws));
      const bool all_drawn = threads.Run(
          drawn.size(), [&](std::size_t d) { drawn[d] = repeated.Draw(d + 1, wanted); },
          [&](std::size_t done) {
            return goes_on(static_cast<std::int64_t>(p) * *draws + static_cast<std::int64_t>(done), all);
          });
      if (!all_drawn) return ForgetDraws("interrupted", report);
      SetDraws(drawn, probability, report);
      AddContention(report);
      if (medians) {
        TakeMedians(report);
      } else {
        CoverFigures(report);
      }
      report.interval_why = why;
    } catch (const InputError& error) {
      ForgetDraws(error.what(), report);
    }
  }
  SetWinProbabilities(reports, played.takes->objective);
}

void AddDraws(const Played& played, const std::vector<PolicySpec>& specs, double probability, Wanted wanted,
              std::vector<Report>& reports, LongRun& watch) {
  const GoesOn goes_on = [&](std::int64_t done, std::int64_t all) {
    return watch.Progress("draws", done, all);
  };
  AddDraws(played, specs, probability, wanted, reports, goes_on);
}

}  // namespace tandem
