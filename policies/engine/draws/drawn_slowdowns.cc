#include "policies/engine/draws/drawn_slowdowns.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "policies/engine/draws/sample_list.h"
#include "profiles/base/suggest.h"
#include "scenarios/arrivals/elementary.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

constexpr std::size_t kMostPairsDrawn = 262'144;  // as many as 512 units have, either way

// Of units that can meet, either way: more than can be drawn one by one?
bool PairsAreTooMany(const Platform& platform) {
  std::size_t pairs = 0;
  const std::size_t units = platform.units.size();
  for (std::size_t a = 0; a < units && units * units > kMostPairsDrawn; ++a) {
    for (std::size_t b = 0; b < units; ++b) {
      if (CanMeet(platform, UnitId(a), UnitId(b)) && ++pairs > kMostPairsDrawn) return true;
    }
  }
  return false;
}

// Of an entry that says nothing of it: half of its effect.
double ErrorOf(double slowdown, const std::optional<double>& error) {
  return error.value_or(std::abs(slowdown - 1) / (2 * slowdown));
}

class RootMeanSquare {
 public:
  void Add(double value) {
    squares_ += value * value;
    ++count_;
  }
  std::optional<double> Value() const {
    if (count_ == 0) return std::nullopt;
    return std::sqrt(squares_ / count_);
  }

 private:
  double squares_ = 0, count_ = 0;
};

// The spread of few pairs may be small by chance, of one there is none: they count as if there were three
// pairs more, the fewest with which Student's t has a variance, that lie as far off as their own errors say,
// and no less than a tenth. The profile of this project that has most pairs, xeon-two-cores, has about that
// spread: in the logarithm 0.08 of the means of its 1114 curves, 0.11 of their 4401 points. Where many were
// measured this weighs nothing.
constexpr double kPairsMore = 3, kLeastSpread = 0.1;

// Who works, and beside whom, of an entry that outlives it; both ways it is one pair, and so are the points
// of a curve, which are no measurements of their own.
using Side = std::tuple<const std::string&, const std::string&, const std::vector<std::string>&>;
using Pair = std::pair<Side, Side>;

Pair PairOf(const CoRunningEntry& entry) {
  const Side works(entry.unit, entry.model, entry.layers);
  const Side beside(entry.beside, entry.beside_model, entry.beside_layers);
  return works < beside ? Pair(works, beside) : Pair(beside, works);
}

double TakenFor(std::int64_t load_pct) { return 100.0 / static_cast<double>(100 - load_pct); }

// Does the scenario have the model, or is it any?
class ModelsOf {
 public:
  ModelsOf(const Scenario& scenario, const Profile& profile) : scenario_(scenario), keys_(profile.file) {}
  bool operator()(const std::string& model) {
    const auto is = [&](const ScenarioModel& of) { return of.key == keys_.Of(model); };
    return model.empty() || std::any_of(scenario_.models.begin(), scenario_.models.end(), is);
  }

 private:
  const Scenario& scenario_;
  ModelKeys keys_;
};

// Each by the luck of its place in its list.
template <class Entry>
void DrawEach(std::vector<Entry>& entries, const Luck& luck, std::uint64_t list) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double error = ErrorOf(entries[i].slowdown, entries[i].error);
    entries[i].slowdown *= luck.Factor(MixBits(list) + i, error);
  }
}

}  // namespace

std::optional<DrawnSlowdowns::Pairs> DrawnSlowdowns::MeasuredPairs(const std::vector<Profile>& profiles) {
  struct Sum {
    double logs = 0, count = 0;
  };
  std::map<Pair, Sum> measured;
  RootMeanSquare errors;
  for (const Profile& profile : profiles) {
    for (const CoRunningEntry& entry : profile.co_running) {
      Sum& sum = measured[PairOf(entry)];
      sum.logs += NaturalLog(entry.slowdown);
      ++sum.count;
      errors.Add(ErrorOf(entry.slowdown, entry.error));
    }
  }
  if (measured.empty()) return std::nullopt;
  const auto count = static_cast<double>(measured.size());
  Pairs pairs;
  for (const auto& [pair, sum] : measured) pairs.mean += sum.logs / sum.count / count;
  const double least = std::max(kLeastSpread, errors.Value().value_or(0));
  double squares = kPairsMore * least * least;
  for (const auto& [pair, sum] : measured) {
    const double off = sum.logs / sum.count - pairs.mean;
    squares += off * off;
  }
  pairs.degrees = kPairsMore + count - 1;
  // Of one more: it has the spread of the pairs, and their mean has the error of so many.
  pairs.spread = std::sqrt(squares / pairs.degrees * (1 + 1 / count));
  return pairs;
}

// Their mean is what the rule makes of them: as many beside its like.
std::optional<DrawnSlowdowns::Pairs> DrawnSlowdowns::MeasuredSharers(const std::vector<Profile>& profiles) {
  using Among = std::tuple<const std::string&, const std::string&, bool, std::int64_t>;
  const auto among = [](const SharingEntry& entry) {
    return Among(entry.unit, entry.model, entry.apart, entry.at_once);
  };
  std::map<Among, double> its_like;
  for (const Profile& profile : profiles) {
    for (const SharingEntry& entry : profile.sharing) {
      if (entry.beside_model.empty()) its_like.try_emplace(among(entry), entry.slowdown);
    }
  }
  double squares = 0, count = 0;
  RootMeanSquare errors;
  for (const Profile& profile : profiles) {
    for (const SharingEntry& entry : profile.sharing) {
      if (entry.beside_model.empty()) continue;
      const auto like = its_like.find(among(entry));
      const double taken = like == its_like.end() ? static_cast<double>(entry.at_once) : like->second;
      const double off = NaturalLog(entry.slowdown / taken);
      squares += off * off;
      ++count;
      errors.Add(ErrorOf(entry.slowdown, entry.error));
    }
  }
  if (count == 0) return std::nullopt;
  const double least = std::max(kLeastSpread, errors.Value().value_or(0));
  Pairs sharers;
  sharers.degrees = kPairsMore + count;
  sharers.spread = std::sqrt((squares + kPairsMore * least * least) / sharers.degrees);
  return sharers;
}

double DrawnSlowdowns::OneMore(const Pairs& pairs, const Luck& luck, std::uint64_t what) {
  const double off = Exp(pairs.spread * luck.Student(what, pairs.degrees));
  return Exp(pairs.mean) * std::clamp(off, DrawnSamples::kLeastFactor, DrawnSamples::kMostFactor);
}

DrawnSlowdowns::DrawnSlowdowns(const Scenario& scenario)
    : scenario_(&scenario),
      pairs_(MeasuredPairs(scenario.profiles)),
      sharers_(MeasuredSharers(scenario.profiles)) {
  RootMeanSquare loads;
  for (const Profile& profile : scenario.profiles) {
    Profile& kept = profiles_.emplace_back();
    kept.file = profile.file;
    ModelsOf there(scenario, profile);  // of a large board's profile little is of these models
    for (const CoRunningEntry& entry : profile.co_running) {
      if (there(entry.model) && there(entry.beside_model)) kept.co_running.push_back(entry);
    }
    kept.traffic = profile.traffic;
    kept.background = profile.background;
    kept.together = profile.together;
    kept.after_idle = profile.after_idle;
    kept.after_other = profile.after_other;
    kept.sharing = profile.sharing;
    for (const RepeatedEntry& entry : profile.repeated) {
      if (there(entry.model)) kept.repeated.push_back(entry);
    }
    for (const BackgroundEntry& entry : profile.background) {
      loads.Add(entry.slowdown / TakenFor(entry.load_pct) - 1);
    }
  }
  too_many_pairs_ = pairs_ && PairsAreTooMany(*scenario.platform);
  load_error_ = loads.Value();
}

bool DrawnSlowdowns::Vary() const {
  return std::any_of(profiles_.begin(), profiles_.end(), [](const Profile& profile) {
    return !profile.co_running.empty() || !profile.background.empty() || !profile.together.empty() ||
           !profile.after_idle.empty() || !profile.after_other.empty() || !profile.repeated.empty() ||
           !profile.sharing.empty();
  });
}

std::shared_ptr<const Slowdowns> DrawnSlowdowns::Draw(const Problem& problem, const Luck& luck) const {
  const Slowdowns& known = problem.slowdowns();
  if ((!known.on() && !known.AtStart()) || (!Vary() && !pairs_ && !sharers_)) return nullptr;
  std::vector<Profile> drawn = profiles_;
  for (std::size_t p = 0; p < drawn.size(); ++p) {
    DrawEach(drawn[p].co_running, luck, MixBits(p) ^ 1);
    DrawEach(drawn[p].background, luck, MixBits(p) ^ 2);
    DrawEach(drawn[p].together, luck, MixBits(p) ^ 3);
    DrawEach(drawn[p].after_idle, luck, MixBits(p) ^ 4);
    DrawEach(drawn[p].after_other, luck, MixBits(p) ^ 5);
    DrawEach(drawn[p].repeated, luck, MixBits(p) ^ 7);
    DrawEach(drawn[p].sharing, luck, MixBits(p) ^ 8);
  }
  // What counts where no other entry does.
  Profile& others = drawn.emplace_back();
  const Platform& platform = *scenario_->platform;
  const std::size_t units = platform.units.size();
  for (std::size_t a = 0; a < units && pairs_ && !too_many_pairs_; ++a) {
    for (std::size_t b = 0; b < units; ++b) {
      if (!CanMeet(platform, UnitId(a), UnitId(b))) continue;
      CoRunningEntry entry;
      entry.unit = platform.units[a].name;
      entry.beside = platform.units[b].name;
      entry.slowdown = OneMore(*pairs_, luck, MixBits(5) + a * units + b);
      others.co_running.push_back(std::move(entry));
    }
  }
  for (const UnitLoad& load : scenario_->loads) {
    if (load.load_pct == 0 || !load_error_) continue;
    BackgroundEntry entry;
    entry.unit = platform.unit(load.unit).name;
    entry.load_pct = load.load_pct;
    entry.slowdown = TakenFor(load.load_pct) * luck.Factor(MixBits(6) + load.unit.index(), *load_error_);
    others.background.push_back(std::move(entry));
  }
  auto slowdowns = std::make_shared<Slowdowns>(problem, drawn);
  if (sharers_) {
    std::vector<double> of_models, off;
    for (std::size_t i = 0; i < scenario_->models.size() * units; ++i) {
      of_models.push_back(OneMore(*sharers_, luck, MixBits(9) + i));
    }
    for (std::size_t s = 0; s < problem.segments().size(); ++s) {
      const auto first =
          of_models.begin() + static_cast<std::ptrdiff_t>(problem.model_of(SegmentId(s)).index() * units);
      off.insert(off.end(), first, first + static_cast<std::ptrdiff_t>(units));
    }
    slowdowns->GroupsThatShareAreOff(std::move(off));
  }
  return slowdowns;
}

std::string DrawnSlowdowns::Unknown(const std::vector<char>& used) const {
  const Platform& platform = *scenario_->platform;
  if (too_many_pairs_) {
    return "more than " + std::to_string(kMostPairsDrawn) +
           " pairs of units could slow each other down, too many to be drawn";
  }
  for (const UnitLoad& load : scenario_->loads) {
    if (load.load_pct == 0 || load_error_ || !used[load.unit.index()]) continue;
    return "nothing is known of how far off the slowdown is that is taken for the load of unit " +
           Quoted(platform.unit(load.unit).name);
  }
  for (std::size_t a = 0; a < used.size() && !pairs_; ++a) {
    for (std::size_t b = a + 1; b < used.size(); ++b) {
      if (!used[a] || !used[b] || !CanMeet(platform, UnitId(a), UnitId(b))) continue;
      return "nothing is known of how much units " + Quoted(platform.units[a].name) + " and " +
             Quoted(platform.units[b].name) + ", which share a memory, slow each other down";
    }
  }
  return {};
}

}  // namespace tandem
