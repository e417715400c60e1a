#include "scenarios/calibration/calibration.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/statistics.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/report.h"

namespace tandem {
namespace {

double Number(Nanos time) { return static_cast<double>(time.count()); }

struct Rival {
  std::size_t position = 0;
  double predicted = 0, measured = 0;
  TieFigures ties{};  // of the prediction
  bool counts = true;
};

// Those that may win and have both figures.
std::vector<Rival> Rivals(const std::vector<PolicyCalibration>& policies) {
  std::vector<Rival> rivals;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    const PolicyCalibration& policy = policies[p];
    const auto measured = policy.measured_objective();
    if (policy.beside || !policy.named_by() || !measured) continue;
    rivals.push_back({p, *policy.named_by(), *measured, policy.predicted_ties, policy.counts()});
  }
  return rivals;
}

// Those that count; where nobody does, all.
std::vector<Rival> Counting(const std::vector<Rival>& rivals) {
  std::vector<Rival> counting;
  for (const Rival& rival : rivals) {
    if (rival.counts) counting.push_back(rival);
  }
  return counting.empty() ? rivals : counting;
}

const Rival* Best(const std::vector<Rival>& rivals, double Rival::*figure, bool higher_is_better) {
  const Rival* best = nullptr;
  for (const Rival& rival : rivals) {
    const bool better =
        best && (higher_is_better ? rival.*figure > best->*figure : rival.*figure < best->*figure);
    const bool ahead = best && rival.*figure == best->*figure && rival.ties < best->ties;
    if (!best || better || ahead) best = &rival;
  }
  return best;
}

// Those that break limits the least, in the middling run; as a rule that is not at all.
std::vector<Rival> KeepingLimits(const std::vector<Rival>& rivals,
                                 const std::vector<PolicyCalibration>& policies) {
  std::optional<double> least;
  for (const Rival& rival : rivals) {
    const auto excess = policies[rival.position].excess();
    if (excess && (!least || *excess < *least)) least = excess;
  }
  if (!least) return rivals;
  std::vector<Rival> keeping;
  for (const Rival& rival : rivals) {
    if (policies[rival.position].excess() == least) keeping.push_back(rival);
  }
  return keeping;
}

const Rival* NamedRival(const std::vector<Rival>& rivals, const std::vector<PolicyCalibration>& policies) {
  for (const Rival& rival : rivals) {
    if (policies[rival.position].named) return &rival;
  }
  return nullptr;
}

int Sign(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

// Tau-a over the pairs that the measurement can tell apart.
void AddKendall(const Rounds& rounds, const std::vector<Rival>& rivals, WinnerCalibration& winner) {
  std::int64_t agreement = 0;
  for (std::size_t a = 0; a < rivals.size(); ++a) {
    for (std::size_t b = a + 1; b < rivals.size(); ++b) {
      if (!ToldApart(rounds, rivals[a].position, rivals[b].position).value_or(false)) continue;
      ++winner.pairs;
      agreement +=
          Sign(rivals[a].measured - rivals[b].measured) * Sign(rivals[a].predicted - rivals[b].predicted);
    }
  }
  if (winner.pairs > 0) {
    winner.kendall_tau = static_cast<double>(agreement) / static_cast<double>(winner.pairs);
  }
}

// `best` is what a share is of, where the rounds know differences alone; of 0 there is no share, and whoever
// loses anything loses more than the bar.
void AddRegret(const Rounds& rounds, const std::vector<Rival>& rivals, const Rival& named, double best,
               bool higher, const ErrorBars& bars, WinnerCalibration& winner) {
  std::vector<std::size_t> positions;
  for (const Rival& rival : rivals) positions.push_back(rival.position);
  auto behind = rounds.Behind(named.position, positions, higher);
  if (!behind) return;
  const double whole = rounds.products() ? 1 : best;
  if (whole > 0) {
    behind->value /= whole;
    if (behind->interval) behind->interval = {behind->interval->low / whole, behind->interval->high / whole};
    winner.regret = behind->value;
    winner.regret_interval = behind->interval;
  } else if (behind->value == 0) {
    winner.regret = 0;
  }
  if (!behind->interval) return;
  const double bar = whole > 0 ? bars.regret : 0;
  winner.verdict = VerdictOfLoss(behind->interval, bar);
  if (winner.verdict == BarVerdict::kUnknown && whole > 0) {
    const Interval lost{std::max(behind->interval->low, 0.0), behind->interval->high};
    winner.runs =
        RunsNeeded({std::max(behind->value, 0.0), lost}, bar, rounds.runs(named.position), bars.probability);
  }
}

// By how much the middling run breaks limits; nothing where too few tell, or none that count.
std::optional<Interval> ExcessInterval(const PolicyCalibration& policy, double probability) {
  if (!policy.counts()) return std::nullopt;
  std::vector<double> of_runs;
  for (const PolicyCalibration::Run& run : policy.Counting()) of_runs.push_back(run.excess.value_or(0));
  return MedianInterval(std::move(of_runs), probability);
}

// Does `a` break limits no more than `b`: for sure, for sure not, or can it not be told?
BarVerdict KeepsAsWell(const std::optional<Interval>& a, const std::optional<Interval>& b) {
  if (a && (a->high <= 0 || (b && a->high <= b->low))) return BarVerdict::kWithin;
  return a && b && b->high < a->low ? BarVerdict::kOutside : BarVerdict::kUnknown;
}

// Who may be named the winner beside the one that is: of those that count, who for sure keeps limits as well
// as any, and who may.
struct RivalsByLimits {
  std::vector<Rival> sure, may;
  std::optional<BarVerdict> named;  // does the named one? Nothing: there are no limits
};

RivalsByLimits SortByLimits(const std::vector<Rival>& counting, const Rival& named,
                            const std::vector<PolicyCalibration>& policies, double probability) {
  std::vector<Rival> rivals = counting;
  if (std::ranges::find(rivals, named.position, &Rival::position) == rivals.end()) rivals.push_back(named);
  if (!policies[named.position].excess()) return {rivals, rivals, std::nullopt};
  std::vector<std::optional<Interval>> excess;
  for (const Rival& rival : rivals) excess.push_back(ExcessInterval(policies[rival.position], probability));
  RivalsByLimits sorted;
  for (std::size_t a = 0; a < rivals.size(); ++a) {
    BarVerdict keeps = BarVerdict::kWithin;
    for (std::size_t b = 0; b < rivals.size() && keeps != BarVerdict::kOutside; ++b) {
      const BarVerdict as_well = a == b ? BarVerdict::kWithin : KeepsAsWell(excess[a], excess[b]);
      if (as_well != BarVerdict::kWithin) keeps = as_well;
    }
    const bool is_named = rivals[a].position == named.position;
    if (is_named) sorted.named = keeps;
    if (is_named || keeps == BarVerdict::kWithin) sorted.sure.push_back(rivals[a]);
    if (is_named || keeps != BarVerdict::kOutside) sorted.may.push_back(rivals[a]);
  }
  return sorted;
}

std::vector<double> ObjectivesOf(const PolicyCalibration& policy) {
  std::vector<double> values;
  for (const PolicyCalibration::Run& run : policy.Counting()) {
    if (run.objective) values.push_back(*run.objective);
  }
  return values;
}

// At least one value.
double RangeOf(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

// The lower median, where every run has the figure.
std::optional<double> MedianOfAll(const std::vector<PolicyCalibration::Run>& runs,
                                  std::optional<double> PolicyCalibration::Run::*figure) {
  std::vector<double> values;
  for (const PolicyCalibration::Run& run : runs) {
    if (!(run.*figure)) return std::nullopt;
    values.push_back(*(run.*figure));
  }
  if (values.empty()) return std::nullopt;
  return LowerMedian(values);
}

}  // namespace

std::optional<double> RelativeError(double predicted, double measured) {
  if (predicted == measured) return 0.0;
  if (measured == 0) return std::nullopt;
  return predicted / measured - 1;
}

std::optional<double> Behind(double value, double best, Objective objective) {
  if (value == best) return 0.0;
  const double larger = HigherIsBetter(objective) ? best : value;
  const double smaller = HigherIsBetter(objective) ? value : best;
  if (smaller <= 0) return std::nullopt;
  return larger / smaller - 1;
}

std::optional<double> Spread(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const double range = RangeOf(values);
  if (range == 0) return 0.0;
  const double median = LowerMedian(values);
  if (median == 0) return std::nullopt;
  return range / median;
}

TimeError TimeError::Of(Nanos predicted, const std::vector<Nanos>& measured) {
  TimeError time;
  time.predicted = predicted;
  time.measured = LowerMedian(measured);
  time.error = RelativeError(Number(predicted), Number(time.measured));
  std::vector<double> values;
  for (const Nanos value : measured) values.push_back(Number(value));
  time.spread = tandem::Spread(values);
  return time;
}

std::vector<PolicyCalibration::Run> PolicyCalibration::Counting() const {
  if (disturbed() == static_cast<std::int64_t>(runs.size())) return runs;  // shown, and judged by nobody
  std::vector<Run> counting;
  for (const Run& run : runs) {
    if (!run.disturbed) counting.push_back(run);
  }
  return counting;
}

std::int64_t PolicyCalibration::disturbed() const {
  return std::count_if(runs.begin(), runs.end(), [](const Run& run) { return run.disturbed; });
}

bool PolicyCalibration::counts() const {
  return correct != false && disturbed() < static_cast<std::int64_t>(runs.size());
}

std::optional<TimeError> PolicyCalibration::makespan() const {
  if (runs.empty()) return std::nullopt;
  std::vector<Nanos> measured;
  for (const Run& run : Counting()) measured.push_back(run.makespan);
  return TimeError::Of(predicted, measured);
}

std::optional<double> PolicyCalibration::measured_objective() const {
  return MedianOfAll(Counting(), &Run::objective);
}

std::optional<double> PolicyCalibration::excess() const { return MedianOfAll(Counting(), &Run::excess); }

std::optional<double> PolicyCalibration::measured_joules() const {
  return MedianOfAll(Counting(), &Run::joules);
}

std::optional<double> PolicyCalibration::joules_error() const {
  const auto measured = measured_joules();
  if (!measured || !predicted_joules) return std::nullopt;
  return RelativeError(*predicted_joules, *measured);
}

std::optional<double> PolicyCalibration::named_by() const {
  return planned ? planned_objective : predicted_objective;
}

std::optional<double> PolicyCalibration::objective_error() const {
  const auto measured = measured_objective();
  if (!measured || !predicted_objective) return std::nullopt;
  return RelativeError(*predicted_objective, *measured);
}

std::optional<double> PolicyCalibration::objective_spread() const {
  return tandem::Spread(ObjectivesOf(*this));
}

FewAlike FewAlikeOf(Objective objective) {
  return objective == Objective::kMisses ? FewAlike::kSayNothing : FewAlike::kTell;
}

Rounds ObjectiveRounds(const std::vector<PolicyCalibration>& policies, Objective objective,
                       double probability) {
  std::vector<RoundSample> samples;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    if (!policies[p].counts()) continue;
    for (const PolicyCalibration::Run& run : policies[p].Counting()) {
      if (run.objective) samples.push_back({p, run.round, *run.objective});
    }
  }
  return Rounds(samples, policies.size(), probability, FewAlikeOf(objective));
}

std::optional<bool> ToldApart(const Rounds& rounds, std::size_t a, std::size_t b) {
  const auto larger = rounds.Larger(a, b);
  if (!larger) return std::nullopt;
  return !larger->interval->Contains(0);
}

WinnerCalibration CompareWinners(const std::vector<PolicyCalibration>& policies, Objective objective,
                                 const ErrorBars& bars) {
  const bool higher = HigherIsBetter(objective);
  const std::vector<Rival> rivals = Rivals(policies);
  const std::vector<Rival> counting = KeepingLimits(Counting(rivals), policies);
  WinnerCalibration winner;
  const Rival* best_predicted = Best(rivals, &Rival::predicted, higher);
  const Rival* measured = Best(counting, &Rival::measured, higher);
  if (!best_predicted) return winner;
  const Rival* predicted = NamedRival(rivals, policies);
  if (!predicted) predicted = best_predicted;
  if (predicted->predicted != best_predicted->predicted) winner.instead_of = best_predicted->position;
  // Of several that measure alike the predicted one is as good a winner as any.
  const bool keeps = policies[predicted->position].excess() == policies[measured->position].excess();
  if (predicted->measured == measured->measured && predicted->counts == measured->counts && keeps) {
    measured = predicted;
  }
  const PolicyCalibration &named = policies[predicted->position], &best = policies[measured->position];
  winner.predicted = predicted->position;
  winner.measured = measured->position;
  if (const auto a = named.objective_spread(), b = best.objective_spread(); a && b) {
    winner.spread = std::max(*a, *b);
  }
  const Rounds rounds = ObjectiveRounds(policies, objective, bars.probability);
  const RivalsByLimits others = SortByLimits(Counting(rivals), *predicted, policies, bars.probability);
  winner.limits = others.named;
  if (std::ranges::count_if(rivals, &Rival::counts) > 1) {
    const double of_best = std::abs(measured->measured);
    AddRegret(rounds, others.may, *predicted, of_best, higher, bars, winner);
    if (others.sure.size() < others.may.size() && winner.verdict == BarVerdict::kOutside) {
      // It loses to somebody who may break limits: to one who does not?
      WinnerCalibration to_sure;
      AddRegret(rounds, others.sure, *predicted, of_best, higher, bars, to_sure);
      if (to_sure.verdict != BarVerdict::kOutside) winner.verdict = BarVerdict::kUnknown;
    }
  }
  if (winner.limits == BarVerdict::kOutside) winner.verdict = BarVerdict::kOutside;
  if (winner.limits == BarVerdict::kUnknown && winner.verdict == BarVerdict::kWithin) {
    winner.verdict = BarVerdict::kUnknown;
  }
  if (winner.verdict != BarVerdict::kUnknown) winner.runs = {};
  AddKendall(rounds, rivals, winner);
  return winner;
}

}  // namespace tandem
