#include <algorithm>
#include <map>

#include "scenarios/check/rules.h"

namespace tandem {
namespace {

std::optional<std::int64_t> LimitOf(const CheckedRun& run, UnitId unit) {
  const auto& named = run.scenario().units[unit.index()].resident;
  const auto& limit = run.platform().unit(unit).resident_models;
  if (limit || !named) return limit;
  return std::max<std::int64_t>(static_cast<std::int64_t>(named->size()), 1);
}

const TracedSpan* LoadOf(const CheckedRun& run, const CheckedTask& task) {
  for (std::size_t i = task.first_span; i < task.last_span; ++i) {
    if (run.span(i).kind == SpanKind::kLoad) return &run.span(i);
  }
  return nullptr;
}

// Of one model on one unit, in order of their work.
using TasksOfModels = std::map<std::pair<UnitId, ModelId>, std::vector<const CheckedTask*>>;

TasksOfModels TasksInOrder(const CheckedRun& run) {
  TasksOfModels tasks;
  for (const CheckedTask& task : run.tasks) tasks[{task.unit, run.segment(task).model}].push_back(&task);
  for (auto& [place, list] : tasks) {
    std::stable_sort(list.begin(), list.end(), [](const CheckedTask* a, const CheckedTask* b) {
      return a->work_start < b->work_start;
    });
  }
  return tasks;
}

void CheckHeld(const CheckedRun& run, const std::vector<const CheckedTask*>& tasks, Findings& findings) {
  const UnitId unit = tasks.front()->unit;
  const ModelId model = run.segment(*tasks.front()).model;
  bool held = run.holds[unit.index()][model.index()] != 0;
  for (const CheckedTask* task : tasks) {
    const TracedSpan* load = LoadOf(run, *task);
    if (load && !run.may_hold[unit.index()][model.index()]) {
      findings.Violation("residents", run.Name(*task), load->start, "no profile has a time for this load");
    }
    held = held || load;
    if (held) continue;
    findings.Violation(
        "residents", run.Name(*task), task->work_start,
        "unit \"" + run.platform().unit(unit).name + "\" does not hold its model, and nothing has loaded it");
  }
}

void CheckLimit(const CheckedRun& run, UnitId unit, std::vector<ModelStay>& stays, Findings& findings) {
  const auto limit = LimitOf(run, unit);
  if (!limit) return;
  std::stable_sort(stays.begin(), stays.end(),
                   [](const ModelStay& a, const ModelStay& b) { return a.from < b.from; });
  std::map<ModelId, Nanos> held;  // until when
  for (const ModelStay& stay : stays) {
    std::erase_if(held, [&](const auto& other) { return other.second <= stay.from; });
    held[stay.model] = stay.to;
    if (static_cast<std::int64_t>(held.size()) <= *limit || stay.from == stay.to) continue;
    findings.Violation("residents", stay.first ? run.Name(*stay.first) : run.platform().unit(unit).name,
                       stay.from,
                       "unit \"" + run.platform().unit(unit).name + "\" then holds " +
                           std::to_string(held.size()) + " models, its limit is " + std::to_string(*limit));
  }
}

}  // namespace

std::map<UnitId, std::vector<ModelStay>> ModelStays(const CheckedRun& run) {
  std::map<UnitId, std::vector<ModelStay>> stays;
  for (const auto& [place, tasks] : TasksInOrder(run)) {
    auto& list = stays[place.first];
    if (run.holds[place.first.index()][place.second.index()]) {
      list.push_back({place.second, Nanos{0}, Nanos{0}, nullptr});
    }
    for (const CheckedTask* task : tasks) {
      if (const TracedSpan* load = LoadOf(run, *task)) {
        list.push_back({place.second, load->start, load->end, task});
      }
      if (list.empty() || list.back().model != place.second) continue;  // never held: a finding of its own
      list.back().to = std::max(list.back().to, task->work_end);
    }
  }
  return stays;
}

void CheckResidents(const CheckedRun& run, Findings& findings) {
  for (const auto& [place, tasks] : TasksInOrder(run)) CheckHeld(run, tasks, findings);
  auto stays = ModelStays(run);
  for (auto& [unit, list] : stays) CheckLimit(run, unit, list, findings);
}

}  // namespace tandem
