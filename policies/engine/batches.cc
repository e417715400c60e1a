#include "policies/engine/batches.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/check.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {

namespace {

using Known = std::vector<std::pair<std::int64_t, Nanos>>;  // sizes and times, ascending

Known KnownTimes(const Scenario& scenario, const Stream& stream, UnitId unit, bool mapped) {
  Known known;
  for (std::int64_t size = 1; size <= stream.batching->most; ++size) {
    const auto cost = scenario.Time(stream.model, unit, size, {}, mapped);
    if (cost) known.emplace_back(size, cost->time);
  }
  return known;
}

// Between two sizes the straight line, rounded up; negative below the first and beyond the last.
Nanos TimeOf(const Known& known, std::int64_t size) {
  const auto above = std::lower_bound(known.begin(), known.end(), size,
                                      [](const auto& one, std::int64_t at) { return one.first < at; });
  if (above == known.end()) return Nanos{-1};
  if (above->first == size) return above->second;
  if (above == known.begin()) return Nanos{-1};
  const auto below = above - 1;
  // In two steps, so that nothing overflows: whole ones per inference, and what is left.
  const std::int64_t rise = (above->second - below->second).count(), span = above->first - below->first;
  const std::int64_t steps = size - below->first, left = rise % span * steps;
  return below->second + Nanos{rise / span * steps + (left > 0 ? (left + span - 1) / span : left / span)};
}

bool IsKnown(const Known& known, std::int64_t size) {
  return std::any_of(known.begin(), known.end(), [&](const auto& one) { return one.first == size; });
}

// "3, taken is the straight line from 2 to 4; of 5 to 7, from 4 to 8": all sizes between.
std::string SizesBetween(const Known& known) {
  std::string text;
  for (std::size_t k = 1; k < known.size(); ++k) {
    const std::int64_t below = known[k - 1].first, above = known[k].first;
    if (above - below < 2) continue;
    const std::string last = above - below > 2 ? " to " + std::to_string(above - 1) : "";
    text += (text.empty() ? "" : "; of ") + std::to_string(below + 1) + last +
            (text.empty() ? ", taken is the straight line from " : ", from ") + std::to_string(below) +
            " to " + std::to_string(above);
  }
  return text;
}

}  // namespace

std::vector<std::string> BatchesBetween(const Scenario& scenario, const Outcome& outcome) {
  std::vector<std::string> sentences;
  for (std::size_t s = 0; s < outcome.streams.size(); ++s) {
    const Stream& stream = scenario.streams[s];
    const std::vector<BatchCount>& batches = outcome.streams[s].batches;
    UnitId unit;
    Known known;
    bool said = false;
    for (const BatchCount& batch : batches) {
      if (batch.unit != unit) {
        unit = batch.unit;
        known = KnownTimes(scenario, stream, unit, false);
        said = false;
      }
      if (said || IsKnown(known, batch.size)) continue;
      said = true;
      sentences.push_back("stream " + Quoted(stream.name) + " on unit " +
                          Quoted(scenario.platform->unit(unit).name) + ": no profile has model " +
                          Quoted(scenario.model(stream.model).name) + " in batches of " +
                          SizesBetween(known));
    }
  }
  return sentences;
}

BatchTimes TimesOfBatches(const Scenario& scenario, const Stream& stream, UnitId unit) {
  const Known plain = KnownTimes(scenario, stream, unit, false),
              mapped = KnownTimes(scenario, stream, unit, true);
  BatchTimes times{{Nanos{0}}, {Nanos{0}}};
  for (std::int64_t size = 1; size <= stream.batching->most; ++size) {
    const Nanos time = TimeOf(plain, size), through = TimeOf(mapped, size);
    if (time < Nanos{0}) break;
    times.plain.push_back(time);
    times.mapped.push_back(through < Nanos{0} ? time : through);
  }
  return times;
}

Batches::Batches(const Problem& problem) : problem_(&problem) {
  const Scenario& scenario = problem.scenario();
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    const Stream& stream = scenario.streams[s];
    position_.push_back(stream.batching ? static_cast<std::int32_t>(streams_.size()) : -1);
    if (!stream.batching) continue;
    const auto fail = [&](const std::string& what) {
      throw InputError(scenario.file + ":/streams/" + std::to_string(s) + "/batching: " + what);
    };
    if (problem.cut(StreamId(s)).segments != 1)
      fail("requests run together as whole models; the policy cuts " +
           Quoted(scenario.model(stream.model).name));
    Forming& forming = streams_.emplace_back(Forming{StreamId(s), *stream.batching, {}, {}, 0});
    std::size_t largest = 0;
    for (std::size_t u = 0; u < problem.units(); ++u) {
      forming.time.push_back(TimesOfBatches(scenario, stream, UnitId(u)));
      largest = std::max(largest, forming.time.back().plain.size());
    }
    if (largest <= 2) {
      fail("no unit has a time of model " + Quoted(scenario.model(stream.model).name) + " for 2 to " +
           std::to_string(stream.batching->most) + " inferences at once (\"batch\" of a profile's entry)");
    }
  }
  on_ = !streams_.empty();
}

Nanos Batches::DueDate(const Forming& of) {
  if (of.due == of.waiting.size()) return kNever;
  if (static_cast<std::int64_t>(of.waiting.size()) >= of.rule.most) return of.waiting.back().release;
  return of.waiting[of.due].release + of.rule.wait;
}

Nanos Batches::Earliest() const {
  Nanos next = kNever;
  for (const Forming& of : streams_) next = std::min(next, DueDate(of));
  return next;
}

// With the first that has waited long enough all go that wait.
std::vector<Task> Batches::Due(Nanos now) {
  std::vector<Task> due;
  for (Forming& of : streams_) {
    if (DueDate(of) > now) continue;
    due.insert(due.end(), of.waiting.begin() + static_cast<std::ptrdiff_t>(of.due), of.waiting.end());
    of.due = of.waiting.size();
  }
  if (streams_.size() > 1) std::sort(due.begin(), due.end(), InTaskOrder);
  return due;
}

std::int64_t Batches::Begin(const Task& first, UnitId unit) {
  Forming& of = Of(first.stream);
  const auto found = std::find_if(of.waiting.begin(), of.waiting.end(),
                                  [&](const Task& task) { return task.index == first.index; });
  TANDEM_CHECK(found != of.waiting.end() && found - of.waiting.begin() < static_cast<std::ptrdiff_t>(of.due),
               "a unit takes what was given out");
  of.waiting.erase(found);
  --of.due;
  const auto known = static_cast<std::int64_t>(of.time[unit.index()].plain.size()) - 1;
  const std::int64_t all = std::min({static_cast<std::int64_t>(of.waiting.size()) + 1, of.rule.most, known});
  const auto& preferred = of.rule.preferred;
  const auto larger = std::upper_bound(preferred.begin(), preferred.end(), all);
  return (larger == preferred.begin() ? all : *(larger - 1)) - 1;
}

bool Batches::Next(StreamId stream, Task& task, bool& due) const {
  const Forming& of = Of(stream);
  if (of.waiting.empty()) return false;
  task = of.waiting.front();
  due = of.due > 0;
  return true;
}

void Batches::Join(const Task& first) {
  Forming& of = Of(first.stream);
  with_[KeyOf(first)].push_back(of.waiting.front());
  of.waiting.pop_front();
  if (of.due > 0) --of.due;
}

Nanos Batches::Work(const Task& task, UnitId unit, std::int64_t size, bool mapped, Nanos work) const {
  const BatchTimes& times = Of(task.stream).time[unit.index()];
  const std::vector<Nanos>& time = mapped ? times.mapped : times.plain;
  const Nanos one = time[1], all = time[static_cast<std::size_t>(size)], dispatch = problem_->Dispatch(unit);
  if (work - dispatch == one || one <= Nanos{0}) return dispatch + all;
  const double share = static_cast<double>(all.count()) / static_cast<double>(one.count());
  return dispatch + Nanos{std::llround(static_cast<double>((work - dispatch).count()) * share)};
}

const std::vector<Task>& Batches::With(const Task& first) const {
  static const std::vector<Task> none;
  const auto found = with_.find(KeyOf(first));
  return found == with_.end() ? none : found->second;
}

std::vector<Task> Batches::Ended(const Task& first) {
  const auto found = with_.find(KeyOf(first));
  if (found == with_.end()) return {};
  std::vector<Task> with = std::move(found->second);
  with_.erase(found);
  return with;
}

}  // namespace tandem
