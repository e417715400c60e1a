#include "policies/engine/drawn_slowdowns.h"

#include <algorithm>
#include <cmath>

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

DrawnSlowdowns::DrawnSlowdowns(const Scenario& scenario) : scenario_(&scenario) {
  RootMeanSquare pairs, loads;
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
    for (const CoRunningEntry& entry : profile.co_running) pairs.Add(entry.slowdown - 1);
    for (const BackgroundEntry& entry : profile.background) {
      loads.Add(entry.slowdown / TakenFor(entry.load_pct) - 1);
    }
  }
  pair_error_ = pairs.Value();
  too_many_pairs_ = pair_error_ && PairsAreTooMany(*scenario.platform);
  load_error_ = loads.Value();
}

std::shared_ptr<const Slowdowns> DrawnSlowdowns::Draw(const Problem& problem, const Luck& luck) const {
  const Slowdowns& known = problem.slowdowns();
  if (!known.on() && !known.AtStart()) return nullptr;
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
  for (std::size_t a = 0; a < units && pair_error_ && !too_many_pairs_; ++a) {
    for (std::size_t b = 0; b < units; ++b) {
      if (!CanMeet(platform, UnitId(a), UnitId(b))) continue;
      CoRunningEntry entry;
      entry.unit = platform.units[a].name;
      entry.beside = platform.units[b].name;
      entry.slowdown = Exp(*pair_error_ * std::abs(luck.Normal(MixBits(5) + a * units + b)));
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
  return std::make_shared<const Slowdowns>(problem, drawn);
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
  for (std::size_t a = 0; a < used.size() && !pair_error_; ++a) {
    for (std::size_t b = a + 1; b < used.size(); ++b) {
      if (!used[a] || !used[b] || !CanMeet(platform, UnitId(a), UnitId(b))) continue;
      return "nothing is known of how much units " + Quoted(platform.units[a].name) + " and " +
             Quoted(platform.units[b].name) + ", which share a memory, slow each other down";
    }
  }
  return {};
}

}  // namespace tandem
