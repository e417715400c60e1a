#include "policies/problem/problem.h"

#include <algorithm>

#include "policies/problem/slowdowns.h"
#include "profiles/base/check.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

const Scenario& WithCosts(const Scenario& scenario) {
  TANDEM_CHECK(scenario.costs.has_value(), "only a scenario with profiles can be simulated");
  return scenario;
}

}  // namespace

Problem::Problem(const Scenario& scenario, Granularity granularity, std::shared_ptr<const CutPlan> cuts)
    : Cuts(WithCosts(scenario), granularity, std::move(cuts)),
      Times(static_cast<const Cuts&>(*this)),
      Residents(*this, *this),
      places_(platform()),
      slowdowns_(std::make_shared<const Slowdowns>(*this, scenario.profiles)),
      hand_overs_(std::make_shared<const HandOvers>(scenario)) {
  ApplyResidents();
  CheckAllRun();
}

Problem Problem::With(Residents residents) const {
  Problem next = *this;
  static_cast<Residents&>(next) = std::move(residents);
  next.ApplyResidents();
  return next;
}

Problem Problem::WithSent(const std::vector<UnitId>& unit_of) const {
  std::vector<std::vector<ModelId>> models(units());
  for (std::size_t s = 0; s < unit_of.size(); ++s) {
    std::vector<ModelId>& there = models[unit_of[s].index()];
    const ModelId model = model_of(SegmentId(s));
    if (std::find(there.begin(), there.end(), model) == there.end()) there.push_back(model);
  }
  return With(HoldingBound(models));
}

void Problem::ApplyResidents() {
  std::vector<char> may;  // per model and unit
  for (std::size_t m = 0; m < scenario().models.size(); ++m) {
    for (std::size_t u = 0; u < units(); ++u) may.push_back(MayBeOn(ModelId(m), UnitId(u)) ? 1 : 0);
  }
  time_.clear();
  for (std::size_t s = 0; s < segments().size(); ++s) {
    const std::size_t model = model_of(SegmentId(s)).index();
    for (std::size_t u = 0; u < units(); ++u) {
      time_.push_back(may[model * units() + u] ? Profiled(SegmentId(s), UnitId(u)) : kCannot);
    }
  }
}

bool Problem::RunsSomewhere(SegmentId segment) const {
  for (std::size_t u = 0; u < units(); ++u) {
    if (Runs(segment, UnitId(u))) return true;
  }
  return false;
}

// Residents that a policy may still choose otherwise do not count here.
void Problem::CheckAllRun() const {
  for (std::size_t i = 0; i < scenario().streams.size(); ++i) {
    const Cut& of = cut(StreamId(i));
    for (std::int32_t s = 0; s < of.segments; ++s) {
      const SegmentId id(of.first.index() + static_cast<std::size_t>(s));
      bool runs = RunsSomewhere(id);
      for (std::size_t u = 0; u < units() && !runs; ++u) {
        runs = MayChooseResidents(UnitId(u)) && Profiled(id, UnitId(u)) != kCannot &&
               MayHoldTogether(UnitId(u), {of.model});
      }
      if (runs) continue;
      throw InputError(scenario().file + ":/streams/" + std::to_string(i) + ": no unit can run " +
                       NameOf(id) + " by itself; " + WhyNowhere(id));
    }
  }
}

std::string Problem::WhyNowhere(SegmentId id) const {
  const Segment& of = segment(id);
  std::string text;
  for (std::size_t u = 0; u < units(); ++u) {
    text += text.empty() ? "" : "; ";
    const std::string name = "unit " + Quoted(platform().units[u].name);
    const auto query = scenario().Query(cut(of.cut).model, UnitId(u), cut(of.cut).batch, of.layers);
    if (!query) {
      text += name + " has no times";
    } else if (Profiled(id, UnitId(u)) != kCannot) {
      text += name + " does not hold the model";
      if (const std::int64_t missing = BytesMissing(UnitId(u), {cut(of.cut).model}); missing > 0) {
        text += ", for which its memory is " + std::to_string(missing) + " bytes too small";
      }
    } else if (Copies(id) && !routes().Way(MemoryId(0), MemoryOf(UnitId(u)))) {
      text += "no link leads to the memory of " + name;
    } else {
      text += scenario().costs->WhyNot(*query);
    }
  }
  return text;
}

}  // namespace tandem
