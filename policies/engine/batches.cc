#include "policies/engine/batches.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiles/base/check.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {

namespace {

using Known = std::vector<std::pair<std::int64_t, Nanos>>;  // sizes and times, ascending

// The least size above the stream's most that a profile has: those below may lie on the line to it.
std::optional<std::int64_t> SizeBeyond(const Scenario& scenario, const Stream& stream, UnitId unit,
                                       bool mapped) {
  const auto query = scenario.Query(stream.model, unit, stream.batching->most, {}, mapped);
  return query ? scenario.costs->BatchBeyond(*query) : std::nullopt;
}

Known KnownTimes(const Scenario& scenario, const Stream& stream, UnitId unit, bool mapped) {
  Known known;
  for (std::int64_t size = 1; size <= stream.batching->most; ++size) {
    const auto cost = scenario.Time(stream.model, unit, size, {}, mapped);
    if (cost) known.emplace_back(size, cost->time);
  }
  if (const auto beyond = SizeBeyond(scenario, stream, unit, mapped))
    known.emplace_back(*beyond, scenario.Time(stream.model, unit, *beyond, {}, mapped)->time);
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

// "3, taken is the straight line from 2 to 4; of 5 to 7, from 4 to 8": all sizes between, up to the most.
std::string SizesBetween(const Known& known, std::int64_t most) {
  std::string text;
  for (std::size_t k = 1; k < known.size(); ++k) {
    const std::int64_t below = known[k - 1].first, above = known[k].first;
    if (above - below < 2) continue;
    const std::int64_t largest = std::min(above - 1, most);
    const std::string last = largest > below + 1 ? " to " + std::to_string(largest) : "";
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
                          SizesBetween(known, stream.batching->most));
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

// Whose requests go together with the stream's; null: no other's before it.
Batches::Forming* Batches::OthersOf(const Stream& stream) {
  const auto goes_along = [&](const Forming& of) {
    const Stream& other = problem_->scenario().streams[of.lines.front().stream.index()];
    return of.rule.across && other.model == stream.model;
  };
  const auto found = std::find_if(forming_.begin(), forming_.end(), goes_along);
  return stream.batching->across && found != forming_.end() ? &*found : nullptr;
}

void Batches::CheckRunsTogether(StreamId id) const {
  const Scenario& scenario = problem_->scenario();
  const Stream& stream = scenario.streams[id.index()];
  const auto fail = [&](const std::string& what) {
    throw InputError(scenario.file + ":/streams/" + std::to_string(id.index()) + "/batching: " + what);
  };
  if (problem_->cut(id).segments != 1)
    fail("requests run together as whole models; the policy cuts " +
         Quoted(scenario.model(stream.model).name));
  std::size_t largest = 0;
  for (const BatchTimes& times : Of(id).time) largest = std::max(largest, times.plain.size());
  if (largest > 2) return;
  fail("no unit has a time of model " + Quoted(scenario.model(stream.model).name) + " for 2 to " +
       std::to_string(stream.batching->most) + " inferences at once (\"batch\" of a profile's entry)");
}

Batches::Batches(const Problem& problem) : problem_(&problem) {
  const Scenario& scenario = problem.scenario();
  line_.resize(scenario.streams.size());
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    const Stream& stream = scenario.streams[s];
    position_.push_back(-1);
    if (!stream.batching) continue;
    Forming* of = OthersOf(stream);
    if (of == nullptr) {
      of = &forming_.emplace_back(Forming{*stream.batching, {}, {}, 0, false, {}});
      for (std::size_t u = 0; u < problem.units(); ++u)
        of->time.push_back(TimesOfBatches(scenario, stream, UnitId(u)));
    }
    position_[s] = static_cast<std::int32_t>(of - forming_.data());
    line_[s] = of->lines.size();
    of->lines.push_back({StreamId(s), stream.priority});
    CheckRunsTogether(StreamId(s));
  }
  on_ = !forming_.empty();
}

void Batches::Released(const Task& task) {
  Forming& of = Of(task.stream);
  Line& line = LineOf(task.stream);
  // Of one instant one may come before another of a lower index: drops end what they followed in their own
  // order.
  auto at = line.waiting.end();
  while (at - line.waiting.begin() > static_cast<std::ptrdiff_t>(line.due) && InTaskOrder(task, *(at - 1)))
    --at;
  line.waiting.insert(at, task);
  line.since.push_back(task.release);
  ++of.waiting;
  of.has_grown = true;
  of.last_release = task.release;
}

// Those behind move up into its place, with the wait of who had that; so the last place is gone.
bool Batches::Dropped(const Task& task) {
  Forming& of = Of(task.stream);
  Line& line = LineOf(task.stream);
  const std::size_t at = line.Find(task);
  line.waiting.erase(line.waiting.begin() + static_cast<std::ptrdiff_t>(at));
  line.since.pop_back();
  line.due = std::min(line.due, line.waiting.size());
  --of.waiting;
  if (at >= line.given) return false;
  --line.given;
  return true;
}

Nanos Batches::DueDate(const Forming& of) {
  Nanos first = kNever;
  for (const Line& line : of.lines) {
    if (line.given < line.due) return of.last_release;  // it moved up
    if (line.open() > 0) first = std::min(first, line.since[line.due]);
  }
  if (first == kNever) return kNever;
  return of.has_grown ? of.last_release : first + of.rule.wait;
}

Nanos Batches::Earliest() const {
  Nanos next = kNever;
  for (const Forming& of : forming_) next = std::min(next, DueDate(of));
  return next;
}

// How many of those that wait fill preferred sizes, the largest first; without any, batches of the most.
std::int64_t Batches::InFull(const Forming& of) {
  if (of.rule.preferred.empty()) return of.waiting - of.waiting % of.rule.most;
  std::int64_t left = of.waiting;
  for (auto size = of.rule.preferred.rbegin(); size != of.rule.preferred.rend(); ++size) left %= *size;
  return of.waiting - left;
}

// As many as fill sizes, those that may be begun already among them; then all, where one has waited long
// enough.
void Batches::LetGo(Forming& of, Nanos now) {
  Nanos first = kNever;
  if (std::exchange(of.has_grown, false)) {
    std::int64_t more = InFull(of);
    for (const Line& line : of.lines) more -= static_cast<std::int64_t>(line.due);
    for (; more > 0; --more)
      ++of.lines[static_cast<std::size_t>(NextLine(of, &Line::due) - of.lines.data())].due;
  }
  for (const Line& line : of.lines) {
    if (line.open() > 0) first = std::min(first, line.since[line.due]);
  }
  if (first == kNever || first + of.rule.wait > now) return;
  for (Line& line : of.lines) line.due = line.waiting.size();
}

std::vector<Task> Batches::Due(Nanos now) {
  std::vector<Task> due;
  for (Forming& of : forming_) {
    if (DueDate(of) > now) continue;
    LetGo(of, now);
    for (Line& line : of.lines) {
      for (; line.given < line.due; ++line.given) due.push_back(line.waiting[line.given]);
    }
  }
  if (position_.size() > 1) std::sort(due.begin(), due.end(), InTaskOrder);
  return due;
}

void Batches::Line::Take(std::size_t at) {
  waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(at));
  since.erase(since.begin() + static_cast<std::ptrdiff_t>(at));
  if (at < due) --due;
  if (at < given) --given;
}

std::size_t Batches::Line::Find(const Task& task) const {
  const auto found =
      std::find_if(waiting.begin(), waiting.end(), [&](const Task& one) { return one.index == task.index; });
  TANDEM_CHECK(found != waiting.end(), "what goes waits");
  return static_cast<std::size_t>(found - waiting.begin());
}

std::int64_t Batches::Begin(const Task& first, UnitId unit) {
  Forming& of = Of(first.stream);
  Line& line = LineOf(first.stream);
  const std::size_t at = line.Find(first);
  TANDEM_CHECK(at < line.given, "a unit takes what was given out");
  line.Take(at);
  --of.waiting;
  const auto known = static_cast<std::int64_t>(of.time[unit.index()].plain.size()) - 1;
  const std::int64_t all = std::min({of.waiting + 1, of.rule.most, known});
  const auto& preferred = of.rule.preferred;
  const auto larger = std::upper_bound(preferred.begin(), preferred.end(), all);
  return (larger == preferred.begin() ? all : *(larger - 1)) - 1;
}

// The more urgent goes first, then the older.
const Batches::Line* Batches::NextLine(const Forming& of, std::size_t Line::*behind) {
  const auto first_of = [&](const Line& line) { return behind == nullptr ? 0 : line.*behind; };
  const Line* next = nullptr;
  for (const Line& line : of.lines) {
    if (first_of(line) >= line.waiting.size()) continue;
    const bool before = next == nullptr || line.priority > next->priority ||
                        (line.priority == next->priority &&
                         InTaskOrder(line.waiting[first_of(line)], next->waiting[first_of(*next)]));
    if (before) next = &line;
  }
  return next;
}

bool Batches::Next(const Task& first, Task& task, bool& due) const {
  const Line* line = NextLine(Of(first.stream));
  if (line == nullptr) return false;
  task = line->waiting.front();
  due = line->given > 0;
  return true;
}

void Batches::Join(const Task& first, const Task& next) {
  Line& line = LineOf(next.stream);
  with_[KeyOf(first)].push_back(next);
  line.Take(0);
  --Of(first.stream).waiting;
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
