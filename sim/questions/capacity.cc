#include "sim/questions/capacity.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_write.h"
#include "profiles/base/suggest.h"
#include "scenarios/arrivals/arrivals.h"
#include "sim/questions/trials.h"
#include "sim/study/known_data.h"

namespace tandem {
namespace {

constexpr std::int64_t kUsualReplications = 20;
constexpr int kDigitsOfChance = 3, kDigitsOtherwise = 6, kDigitsOfDraws = 3;

// Throws InputError with `place` before it.
template <class Make>
auto PlacedAt(const std::string& place, const Make& make) {
  try {
    return make();
  } catch (const InputError& error) {
    throw InputError(place + ": " + error.what());
  }
}

double EndOf(const std::string& text, const PlaceToVary& place) {
  AskedValue value = ReadAskedValue(text);
  if (value.IsFactor() && place.unit == "x") value.unit.clear();
  const double end = InUnitOfKey(value, place.unit == "x" ? "factor" : place.key);
  if (place.integer && end != std::floor(end)) throw InputError("a whole number is wanted");
  return end;
}

// What all policies have in common.
class CapacityQuestion {
 public:
  CapacityQuestion(const ScenarioFile& file, const std::vector<Supposed>& supposed,
                   const CapacityOptions& options, LongRun& watch)
      : options_(options),
        watch_(watch),
        base_(file.With(supposed, "--what-if")),
        place_(PlacedAt("--vary " + options.vary, [&] { return file.Place(options.vary); })),
        condition_(PlacedAt("--until " + options.until, [&] { return ReadCondition(options.until, base_); })),
        scenarios_(file, supposed, options.vary, place_.unit, options.seed),
        random_(HasRandomArrivals(base_.streams)) {
    if (options.seed) base_.seed = *options.seed;
    Ask();
    const std::int64_t least = LeastDrawsFor(options.interval);
    replications_ = options.replications.value_or(std::max(kUsualReplications, least));
  }

  std::optional<Capacity> Answer() {
    Capacity capacity = Head();
    for (const PolicySpec& policy : ChoosePolicies(base_, options_.policies)) {
      PolicyCapacity of;
      of.policy = policy.declaration->name;
      of.label = policy.label;
      if (!OfPolicy(policy, of)) return std::nullopt;
      std::vector<std::string> texts;
      for (std::size_t t = 0; t < of.at_limit.size(); ++t) {
        texts.push_back(condition_[t].ValueText(of.at_limit[t]));
      }
      capacity.term_texts.push_back(std::move(texts));
      capacity.policies.push_back(std::move(of));
    }
    MarkBest(capacity);
    AddEstimated(capacity);
    return capacity;
  }

 private:
  void AddEstimated(Capacity& capacity) const {
    const auto add = [&](const std::vector<std::string>& sentences) {
      for (const std::string& sentence : sentences) {
        const bool said = std::ranges::find(capacity.estimated, sentence) != capacity.estimated.end();
        if (!said) capacity.estimated.push_back(sentence);
      }
    };
    for (const PolicyCapacity& of : capacity.policies) add(of.estimated);
    add(TakenForWant(base_));
  }

  void Ask() {
    question_.least =
        options_.which == WhichLimit::kByTheKey ? place_.eases : options_.which == WhichLimit::kLeast;
    question_.integer = place_.integer;
    question_.digits =
        static_cast<int>(options_.digits.value_or(random_ ? kDigitsOfChance : kDigitsOtherwise));
    if (options_.from) question_.from = PlacedAt("--from", [&] { return EndOf(*options_.from, place_); });
    if (options_.to) question_.to = PlacedAt("--to", [&] { return EndOf(*options_.to, place_); });
    if (question_.from && question_.to && *question_.from > *question_.to) {
      throw InputError("--from " + *options_.from + " is beyond --to " + *options_.to);
    }
    question_.start = place_.now;
    if (place_.now > 0 || place_.integer) return;
    if (!question_.from || !question_.to || *question_.to <= 0) {
      throw InputError("--vary " + options_.vary +
                       ": it is 0 or not given: say where to look with --from and --to");
    }
    question_.start = *question_.to;
  }

  Capacity Head() const {
    Capacity capacity;
    capacity.scenario = base_.name;
    capacity.what_if = base_.what_if;
    capacity.vary = options_.vary;
    capacity.until = options_.until;
    capacity.unit = place_.unit;
    capacity.least = question_.least;
    capacity.integer = question_.integer;
    capacity.now = place_.now;
    capacity.engine = NameOf(kEngineNames, options_.engine);
    capacity.seed = base_.seed;
    capacity.seeds = random_ ? replications_ : 1;
    capacity.probability = options_.interval;
    capacity.profiles = ProfilesUsed(base_);
    return capacity;
  }

  // False: interrupted.
  bool OfPolicy(const PolicySpec& policy, PolicyCapacity& of) {
    Trials trials(scenarios_, policy.label, condition_,
                  {options_.engine, random_ ? replications_ : 1, base_.seed, std::nullopt}, watch_);
    of.limit = PlacedAt("--until " + options_.until,
                        [&] { return FindLimit(question_, [&](double value) { return trials.At(value); }); });
    if (trials.interrupted()) return false;
    Explain(trials, of);
    if (!of.limit.value) {
      of.interval_why = "there is no limit";
      return true;
    }
    of.at_limit = trials.FiguresAt(*of.limit.value);
    of.estimated = trials.EstimatedAt(*of.limit.value);
    if (of.limit.fails_at) of.beyond_limit = trials.FiguresAt(*of.limit.fails_at);
    return AddIntervals(policy, trials, of);
  }

  void Explain(const Trials& trials, PolicyCapacity& of) const {
    const Limit& limit = of.limit;
    if (!limit.value) {
      of.why = !trials.why().empty() ? trials.why() : "it holds at none of the values that were tried";
    } else if (limit.ended) {
      of.why = trials.why();
    }
  }

  bool AddIntervals(const PolicySpec& policy, Trials& trials, PolicyCapacity& of) {
    if (policy.declaration->role == PolicyRole::kSearch) {
      of.interval_why = "it searches anew at every value: that is not repeated over draws";
      return true;
    }
    if (replications_ < LeastDrawsFor(options_.interval)) {
      of.interval_why =
          "an interval needs at least " + std::to_string(LeastDrawsFor(options_.interval)) + " replications";
      return true;
    }
    of.interval_why = trials.UnknownAt(*of.limit.value);
    if (of.interval_why.empty()) {
      if (auto drawn = Over(policy, *of.limit.value, true)) {
        of.draws = *std::move(drawn);
        of.interval = of.draws.ObjectiveInterval();
        of.interval->Cover(*of.limit.value);
      } else {
        of.interval_why = "under some of the draws it holds nowhere";
      }
    }
    if (!random_ || watch_.interrupted()) return !watch_.interrupted();
    if (const auto of_seeds = Over(policy, *of.limit.value, false)) {
      of.over_seeds = of_seeds->ObjectiveInterval();
    }
    return !watch_.interrupted();
  }

  // The limits of single replications.
  std::optional<ReportDraws> Over(const PolicySpec& policy, double limit, bool drawn) {
    LimitQuestion again = question_;
    again.start = limit;
    again.digits = std::min(again.digits, kDigitsOfDraws);
    again.checks = 0;
    ReportDraws limits;
    for (std::int64_t r = 0; r < replications_; ++r) {
      const auto number = static_cast<std::uint64_t>(r);
      TrialOptions options{options_.engine, 1, base_.seed + (random_ ? number : 0), std::nullopt};
      if (drawn) options.draw = number + 1;
      Trials trials(scenarios_, policy.label, condition_, options, watch_);
      const Limit of = FindLimit(again, [&](double value) { return trials.At(value); });
      if (trials.interrupted() || !of.value) return std::nullopt;
      limits.objectives.push_back(*of.value);
    }
    limits.objective = FigureOver(limits.objectives, options_.interval);
    return limits;
  }

  static void MarkBest(Capacity& capacity) {
    std::vector<PolicyCapacity*> rivals;
    std::vector<const ReportDraws*> draws;
    for (PolicyCapacity& of : capacity.policies) {
      if (!of.limit.value) continue;
      rivals.push_back(&of);
      draws.push_back(&of.draws);
    }
    const auto value = [by_draws = AllDrawn(draws)](const PolicyCapacity* of) {
      return by_draws ? of->draws.objective->median : *of->limit.value;
    };
    const auto less = [&](const PolicyCapacity* a, const PolicyCapacity* b) { return value(a) < value(b); };
    if (rivals.empty()) return;
    const auto best = capacity.least ? std::min_element(rivals.begin(), rivals.end(), less)
                                     : std::max_element(rivals.begin(), rivals.end(), less);
    for (PolicyCapacity* of : rivals) {
      of->best = value(of) == value(*best);
      of->close = !of->best && AllDrawn(draws) && CannotBeTold(of->draws, (*best)->draws, !capacity.least);
    }
    const bool told = std::ranges::none_of(rivals, &PolicyCapacity::close);
    for (PolicyCapacity* of : rivals) of->winner = of->best && told;
    if (!AllDrawn(draws) || MayHaveDriftedApart(capacity.profiles)) return;
    capacity.win_probability =
        WinProbabilities(draws, !capacity.least)[static_cast<std::size_t>(best - rivals.begin())];
  }

  static bool AllDrawn(const std::vector<const ReportDraws*>& draws) {
    return std::ranges::all_of(draws, [](const ReportDraws* of) { return !of->objectives.empty(); });
  }

  const CapacityOptions& options_;
  LongRun& watch_;
  Scenario base_;
  PlaceToVary place_;
  std::vector<ConditionTerm> condition_;
  VariedScenarios scenarios_;
  bool random_;
  std::int64_t replications_ = 1;
  LimitQuestion question_;
};

}  // namespace

std::optional<Capacity> FindCapacity(const ScenarioFile& file, const std::vector<Supposed>& supposed,
                                     const CapacityOptions& options, LongRun& watch) {
  return CapacityQuestion(file, supposed, options, watch).Answer();
}

}  // namespace tandem
