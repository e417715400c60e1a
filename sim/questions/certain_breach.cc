#include "sim/questions/certain_breach.h"

#include <algorithm>
#include <variant>

#include "profiles/base/figures.h"

namespace tandem {
namespace {

bool SpeaksOf(const ConditionTerm& term, const Stream& stream) {
  return term.of.empty() || term.of == "*" || term.of == stream.name;
}

// How many requests there are is known of what ends by count alone.
bool IsCounted(const Stream& stream) {
  return !std::holds_alternative<DependentArrival>(stream.arrival) &&
         !std::holds_alternative<TraceArrival>(stream.arrival) && stream.until.duration == Nanos{0};
}

double RequestsOf(const Stream& stream) {
  const auto* const closed = std::get_if<ClosedArrival>(&stream.arrival);
  return static_cast<double>(stream.until.count) * static_cast<double>(closed ? closed->per_query : 1);
}

// Requests that are late even where nothing else is there; those that are dropped count as missed, too.
double LeastMisses(const ConditionTerm& term, const Scenario& scenario, const Bound& bound) {
  double late = 0, all = 0, most = 0;
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    const Stream& stream = scenario.streams[s];
    if (!SpeaksOf(term, stream) || !stream.HasDeadline()) continue;
    if (!IsCounted(stream)) {
      if (term.share) return 0;
      continue;
    }
    const double requests = RequestsOf(stream);
    all += requests;
    if (!stream.deadline || bound.of_requests[s] <= *stream.deadline) continue;
    late += requests;
    most = std::max(most, requests);
  }
  if (term.share) return late > 0 ? (term.of == "*" ? 1 : late / all) : 0;
  return term.of == "*" ? most : late;
}

// Of streams together no figure is less than what the shortest request takes.
double LeastLatency(const ConditionTerm& term, const Scenario& scenario, const Bound& bound) {
  double shortest = ConditionTerm::kNone, longest = 0;
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    if (!SpeaksOf(term, scenario.streams[s])) continue;
    const auto least = static_cast<double>(bound.of_requests[s].count());
    shortest = std::min(shortest, least);
    longest = std::max(longest, least);
  }
  return term.of == "*" ? longest : std::min(shortest, longest);
}

bool BreaksForCertain(const ConditionTerm& term, const Scenario& scenario, const Bound& bound) {
  if (!term.below) return false;
  if (term.figure == ConditionFigure::kMakespan && bound.makespan)
    return term.Excess(static_cast<double>(bound.makespan->count())) > 0;
  if (bound.of_requests.size() != scenario.streams.size()) return false;
  if (term.figure == ConditionFigure::kMisses) return term.Excess(LeastMisses(term, scenario, bound)) > 0;
  return term.IsOfLatency() && term.times == ConditionTimes::kLatency &&
         term.Excess(LeastLatency(term, scenario, bound)) > 0;
}

}  // namespace

bool BreaksALimitForCertain(const Scenario& scenario, const Bound& bound) {
  return std::any_of(scenario.limits.begin(), scenario.limits.end(),
                     [&](const ConditionTerm& term) { return BreaksForCertain(term, scenario, bound); });
}

}  // namespace tandem
