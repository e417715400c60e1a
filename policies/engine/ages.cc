#include "policies/engine/ages.h"

namespace tandem {

Ages::Ages(const Scenario& scenario, bool any) {
  for (const Stream& stream : scenario.streams) {
    watched_.push_back({any && TellsAge(scenario, stream)});
    on_ = on_ || watched_.back().tells;
  }
}

void Ages::Ended(StreamId stream, Nanos origin, Nanos now, bool completed, StreamOutcome& outcome) {
  Watched& of = watched_[stream.index()];
  const Nanos age = now - of.newest.value_or(outcome.first_release);
  if (completed && (!of.newest || origin > *of.newest)) {
    outcome.ages.push_back(age);
    of.newest = origin;
    of.since = Nanos{0};
  } else {
    of.since = age;
  }
  if (!completed) outcome.drop_ages.push_back(now - origin);
}

void Ages::Finish(Outcome& outcome) const {
  for (std::size_t s = 0; s < watched_.size(); ++s) {
    if (watched_[s].since > Nanos{0}) outcome.streams[s].ages.push_back(watched_[s].since);
  }
}

}  // namespace tandem
