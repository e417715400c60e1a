#include "scenarios/check/surroundings.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "scenarios/check/handed.h"
#include "scenarios/check/rules.h"

namespace tandem {

namespace {

Nanos Longer(Nanos work, double slowdown) {
  return Nanos{
      static_cast<std::int64_t>(std::ceil(static_cast<double>(work.count()) * slowdown * (1 - 1e-12)))};
}

}  // namespace

Surroundings::Surroundings(const CheckedRun& run) : run_(run), shapes_(run) {
  ReadPauses();
  ReadHandOvers();
  ReadSwitches();
  ReadRepeats();
  of_unit_.resize(run.platform().units.size());
  ends_.resize(of_unit_.size());
  if (!pauses() && !switches() && !repeats()) return;
  for (const CheckedTask& task : run.tasks) of_unit_[task.unit.index()].push_back(&task);
  for (std::size_t u = 0; u < of_unit_.size(); ++u) {
    std::stable_sort(of_unit_[u].begin(), of_unit_[u].end(),
                     [](const CheckedTask* a, const CheckedTask* b) { return a->taken < b->taken; });
    Nanos last{0};
    for (const CheckedTask* task : of_unit_[u]) ends_[u].push_back(last = std::max(last, task->end));
    if (switches()) FindSwitches(of_unit_[u]);
    if (repeats()) FindRepeats(of_unit_[u]);
  }
}

void Surroundings::ReadPauses() {
  for (const Profile& profile : run_.scenario().profiles) {
    for (const AfterIdleEntry& entry : profile.after_idle) {
      const UnitId unit = run_.platform().FindUnit(entry.unit);
      const std::string model = entry.model.empty() ? "" : ModelKey(entry.model, profile.file);
      if (unit.valid()) pauses_[{unit, model}][entry.idle.count()] = entry.slowdown;
    }
  }
}

void Surroundings::ReadHandOvers() {
  for (const Profile& profile : run_.scenario().profiles) {
    for (const HandOverEntry& entry : profile.hand_overs) {
      const UnitId from = run_.platform().FindUnit(entry.from), to = run_.platform().FindUnit(entry.to);
      if (!from.valid() || !to.valid() || run_.memory_of(from) != run_.memory_of(to)) continue;
      hand_overs_[{from, to}][entry.bytes] = static_cast<double>(entry.time.median.count());
    }
  }
}

void Surroundings::ReadSwitches() {
  for (const Profile& profile : run_.scenario().profiles) {
    for (const AfterOtherEntry& entry : profile.after_other) {
      const UnitId unit = run_.platform().FindUnit(entry.unit);
      if (unit.valid())
        after_other_.push_back(
            {unit, WorkNamed(entry.model, entry.layers, profile), Nanos{0}, entry.slowdown});
    }
  }
}

void Surroundings::ReadRepeats() {
  for (const Profile& profile : run_.scenario().profiles) {
    for (const RepeatedEntry& entry : profile.repeated) {
      const UnitId unit = run_.platform().FindUnit(entry.unit);
      if (!unit.valid()) continue;
      repeated_.push_back({unit, WorkNamed(entry.model, entry.layers, profile), entry.every, entry.slowdown});
    }
  }
}

void Surroundings::FindSwitches(const std::vector<const CheckedTask*>& tasks) {
  std::map<std::int32_t, std::size_t> before;  // by work: where it was taken last
  std::size_t since = 0;                       // from this one on the model is the same
  std::optional<std::size_t> unsure;           // the last one that may have been taken before another
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto model = [&](std::size_t at) { return run_.segment(*tasks[at]).model; };
    if (i > 0 && model(i) != model(i - 1)) since = i;
    if (tasks[i]->unclear() || (i > 0 && tasks[i - 1]->taken == tasks[i]->taken)) unsure = i;
    if (i + 1 < tasks.size() && tasks[i]->taken == tasks[i + 1]->taken) unsure = i;
    const auto [last, is_new] = before.try_emplace(tasks[i]->alone, 0);
    const bool has = since > 0 && (is_new || last->second < since);
    const bool sure = !unsure || (!is_new && *unsure < last->second);
    switched_[tasks[i]] = sure ? std::vector<bool>{has} : std::vector<bool>{false, true};
    last->second = i;
  }
}

// Of the tasks of one work each by the one before it. What is not told of one of them is told of none.
void Surroundings::FindRepeats(const std::vector<const CheckedTask*>& tasks) {
  std::map<std::int32_t, std::vector<const CheckedTask*>> by_work;
  for (const CheckedTask* task : tasks) by_work[task->alone].push_back(task);
  for (const auto& [work, same] : by_work) {
    if (std::any_of(same.begin(), same.end(), [](const CheckedTask* task) { return task->unclear(); }))
      continue;
    std::optional<Nanos> earlier;  // the last instant before this one
    for (std::size_t i = 0; i < same.size(); ++i) {
      const Nanos taken = same[i]->taken;
      if (i > 0 && same[i - 1]->taken < taken) earlier = same[i - 1]->taken;
      auto& since = since_[same[i]];
      since.push_back(earlier ? std::optional(taken - *earlier) : std::nullopt);
      const bool at_once =
          (i > 0 && same[i - 1]->taken == taken) || (i + 1 < same.size() && same[i + 1]->taken == taken);
      if (at_once) since.emplace_back(Nanos{0});
    }
  }
}

std::vector<Surroundings::Before> Surroundings::TakenBefore(const CheckedTask& task) const {
  std::vector<bool> switched = {false};
  std::vector<std::optional<Nanos>> sinces = {std::nullopt};
  if (switches()) switched = switched_.at(&task);
  if (repeats()) {
    const auto found = since_.find(&task);
    if (found == since_.end()) return {};
    sinces = found->second;
  }
  std::vector<Before> all;
  for (const bool has : switched) {
    for (const auto& since : sinces) all.push_back({has, since});
  }
  return all;
}

// The most particular entry, of several the first.
double Surroundings::AfterOther(const CheckedTask& task) {
  const auto [known, is_new] = after_other_of_.try_emplace({task.unit, task.work}, 1);
  int weight = -1;
  for (const Known& entry : after_other_) {
    if (!is_new || entry.unit != task.unit || entry.work.weight() <= weight) continue;
    if (!entry.work.Covers(run_, task)) continue;
    weight = entry.work.weight();
    known->second = entry.slowdown;
  }
  return known->second;
}

const Surroundings::Points& Surroundings::RepeatsOf(const CheckedTask& task) {
  const auto [known, is_new] = repeats_of_.try_emplace({task.unit, task.work});
  for (const Known& entry : repeated_) {
    if (is_new && entry.unit == task.unit && entry.work.Is(run_, task))
      known->second[entry.every.count()] = entry.slowdown;
  }
  return known->second;
}

// The first point counts for all below it, nothing beyond the last.
Nanos Surroundings::After(const CheckedTask& task, Nanos work, const Before& before) {
  const Points& repeats = RepeatsOf(task);
  if (before.since && !repeats.empty() && before.since->count() <= repeats.rbegin()->first) {
    return Longer(work, OnLine(repeats, std::max(before.since->count(), repeats.begin()->first)));
  }
  return before.has_switched ? Longer(work, AfterOther(task)) : work;
}

// From (0, 1) through the points, constant beyond the last.
double Surroundings::OnLine(const Points& points, std::int64_t at) {
  std::pair<double, double> before(0, 1);
  for (const auto& [idle, slowdown] : points) {
    const auto here = static_cast<double>(idle);
    if (idle < at) {
      before = {here, slowdown};
      continue;
    }
    if (here <= before.first) return slowdown;
    return before.second +
           (slowdown - before.second) * ((static_cast<double>(at) - before.first) / (here - before.first));
  }
  return before.second;
}

std::vector<Nanos> Surroundings::Idled(const CheckedTask& task) const {
  const auto& tasks = of_unit_[task.unit.index()];
  const auto& ends = ends_[task.unit.index()];
  const auto at = std::lower_bound(tasks.begin(), tasks.end(), task.taken,
                                   [](const CheckedTask* a, Nanos taken) { return a->taken < taken; });
  const Nanos end = at == tasks.begin() ? Nanos{0} : ends[static_cast<std::size_t>(at - tasks.begin()) - 1];
  const Nanos idled = std::max(task.taken - end, Nanos{0});
  for (auto other = at; other != tasks.end() && (*other)->taken == task.taken; ++other) {
    if (*other != &task && (*other)->track <= task.track) return {idled, Nanos{0}};
    if (*other != &task && (*other)->end == task.taken) return {idled, Nanos{0}};
  }
  return {idled};
}

Nanos Surroundings::AfterIdle(const CheckedTask& task, Nanos work, Nanos idled) const {
  auto found = pauses_.find({task.unit, run_.scenario().model(run_.segment(task).model).key});
  if (found == pauses_.end()) found = pauses_.find({task.unit, ""});
  if (found == pauses_.end()) return work;
  return Longer(work, OnLine(found->second, idled.count()));
}

// Straight lines, the last one going on but never down; below the least size its time.
Nanos Surroundings::HandOver(UnitId from, UnitId to, std::int64_t bytes) const {
  const auto known = hand_overs_.find({from, to});
  if (known == hand_overs_.end()) return Nanos{0};
  const Points& points = known->second;
  const auto nanos = [](double value) { return Nanos{static_cast<std::int64_t>(value)}; };
  auto above = points.lower_bound(bytes);
  const bool beyond = above == points.end();
  if (beyond) --above;
  if (above == points.begin() || above->first == bytes) return nanos(above->second);
  const auto below = std::prev(above);
  const double share =
      static_cast<double>(bytes - below->first) / static_cast<double>(above->first - below->first);
  const Nanos time = nanos(below->second) + nanos(std::ceil(share * (above->second - below->second)));
  return beyond ? std::max(time, nanos(above->second)) : time;
}

Nanos Surroundings::HandedOver(const CheckedTask& task) {
  if (hand_overs_.empty()) return Nanos{0};
  const CheckedRequest& request = run_.requests[static_cast<std::size_t>(task.request)];
  const RequestShape& shape = shapes_.Of(request);
  const auto local = static_cast<std::size_t>(&task - &run_.tasks[request.first_task]);
  std::map<UnitId, std::int64_t> bytes;
  for (const RequestShape::Tensor& read : shape.reads[local]) {
    const CheckedTask* const maker =
        read.maker < 0 ? MakerOfInputs(run_, request)
                       : &run_.tasks[request.first_task + static_cast<std::size_t>(read.maker)];
    if (!maker || read.mode == TransferMode::kNone) continue;
    const UnitId from = maker->unit;
    if (from == task.unit || run_.memory_of(from) != run_.memory_of(task.unit)) continue;
    bytes[from] += run_.Elements(request.stream, read.layer, read.part) *
                   ElementBytes(run_, read.maker < 0 ? UnitId() : from,
                                run_.model(run_.stream(request.stream).model), read.layer);
  }
  Nanos total{0};
  for (const auto& [from, sum] : bytes) total += HandOver(from, task.unit, sum);
  return total;
}

}  // namespace tandem
