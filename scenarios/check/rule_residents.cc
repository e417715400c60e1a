#include <algorithm>
#include <map>

#include "scenarios/check/chip.h"
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

// Of one model on one unit, in order of their loads or, where they load nothing, of their work: one may use
// what another has loaded, and compute before it.
using TasksOfModels = std::map<std::pair<UnitId, ModelId>, std::vector<const CheckedTask*>>;

TasksOfModels TasksInOrder(const CheckedRun& run) {
  TasksOfModels tasks;
  for (const CheckedTask& task : run.tasks) tasks[{task.unit, run.segment(task).model}].push_back(&task);
  for (const CheckedTask& task : run.lost) {
    if (task.loads) tasks[{task.unit, run.segment(task).model}].push_back(&task);  // its model stays
  }
  for (auto& [place, list] : tasks) {
    const auto key = [&](const CheckedTask* task) {
      const TracedSpan* load = LoadOf(run, *task);
      return std::pair(load ? load->start : task->work_start, load ? 0 : 1);
    };
    std::stable_sort(list.begin(), list.end(),
                     [&](const CheckedTask* a, const CheckedTask* b) { return key(a) < key(b); });
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

using LoadStarts = std::vector<std::pair<Nanos, ModelId>>;  // of one unit, ascending

std::map<UnitId, LoadStarts> LoadsOfUnits(const CheckedRun& run) {
  std::map<UnitId, LoadStarts> loads;
  for (const CheckedTask& task : run.tasks) {
    if (const TracedSpan* load = LoadOf(run, task)) {
      loads[task.unit].emplace_back(load->start, run.segment(task).model);
    }
  }
  // What was lost may have been a load, which had made itself room.
  for (const CheckedTask& task : run.lost) loads[task.unit].emplace_back(task.start, run.segment(task).model);
  for (auto& [unit, list] : loads) std::sort(list.begin(), list.end());
  return loads;
}

// One model on one unit: from when to when it is known to be there, and whether it is loaded meanwhile.
class RepeatedLoads {
 public:
  RepeatedLoads(const CheckedRun& run, const std::vector<const CheckedTask*>& tasks, const LoadStarts& loads)
      : run_(run), tasks_(tasks), loads_(loads), unit_(tasks.front()->unit) {
    model_ = run.segment(*tasks.front()).model;
    const Memory& memory = run.platform().memories[run.memory_of(unit_).index()];
    may_be_put_out_ = memory.capacity_bytes.has_value();  // for tensors, and no trace tells when
    if (run.holds[unit_.index()][model_.index()]) ends_.push_back(Nanos{0});
    for (const CheckedTask* task : tasks) {
      NoteUse(task->work_start, task->work_end);
      const TracedSpan* load = LoadOf(run, *task);
      if (load && load->start < load->end) NoteUse(load->start, load->end);  // else it says nothing
    }
    std::sort(ends_.begin(), ends_.end());
    std::sort(uses_.begin(), uses_.end());
    for (std::size_t i = 1; i < uses_.size(); ++i)
      uses_[i].second = std::max(uses_[i].second, uses_[i - 1].second);
  }

  void Check(Findings& findings) const {
    for (const CheckedTask* task : tasks_) {
      const TracedSpan* load = LoadOf(run_, *task);
      if (!load || !IsThere(load->start)) continue;
      findings.Violation("residents", run_.Name(*task), load->start,
                         "unit \"" + run_.platform().unit(unit_).name +
                             "\" loads its model, which is there, or being loaded, already");
    }
  }

 private:
  void NoteUse(Nanos from, Nanos to) {
    uses_.emplace_back(from, to);
    ends_.push_back(to);
  }

  // In use before and after; or nothing has been loaded in its place since it was last known to be there.
  bool IsThere(Nanos at) const {
    const auto later =
        std::partition_point(uses_.begin(), uses_.end(), [&](const auto& use) { return use.first < at; });
    if (later != uses_.begin() && std::prev(later)->second > at) return true;
    const auto last = std::upper_bound(ends_.begin(), ends_.end(), at);
    if (last == ends_.begin() || may_be_put_out_) return false;
    auto load = std::lower_bound(loads_.begin(), loads_.end(), std::pair(*std::prev(last), ModelId(0)));
    while (load != loads_.end() && load->first <= at && StaysBeside(load->second)) ++load;
    return load == loads_.end() || load->first > at;
  }

  // Does it stay where that one is loaded?
  bool StaysBeside(ModelId loaded) const {
    if (loaded == model_) return true;
    return HasChip(run_, unit_) && !LimitOf(run_, unit_) && ShareChip(run_, unit_, loaded, model_);
  }

  const CheckedRun& run_;
  const std::vector<const CheckedTask*>& tasks_;
  const LoadStarts& loads_;
  UnitId unit_;
  ModelId model_;
  bool may_be_put_out_ = false;
  std::vector<std::pair<Nanos, Nanos>> uses_;  // by begin; to the latest end so far
  std::vector<Nanos> ends_;                    // ascending: it was there at each
};

// Models that share no chip are never there at once.
void CheckChip(const CheckedRun& run, UnitId unit, const std::vector<ModelStay>& stays, Findings& findings) {
  std::vector<const ModelStay*> there;
  for (const ModelStay& stay : stays) {
    std::erase_if(there, [&](const ModelStay* other) { return other->to <= stay.from; });
    const auto apart = std::find_if(there.begin(), there.end(), [&](const ModelStay* other) {
      return !ShareChip(run, unit, other->model, stay.model);
    });
    if (apart != there.end() && stay.from < stay.to) {
      findings.Violation("residents", stay.first ? run.Name(*stay.first) : run.platform().unit(unit).name,
                         stay.from,
                         "unit \"" + run.platform().unit(unit).name + "\" has model \"" +
                             run.scenario().model((*apart)->model).name +
                             "\" on its chip, and this one's is not compiled together with it");
    }
    there.push_back(&stay);
  }
}

void CheckLimit(const CheckedRun& run, UnitId unit, const std::vector<ModelStay>& stays, Findings& findings) {
  const auto limit = LimitOf(run, unit);
  if (!limit) return;
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
  std::map<UnitId, LoadStarts> loads = LoadsOfUnits(run);
  for (const auto& [place, tasks] : TasksInOrder(run)) {
    CheckHeld(run, tasks, findings);
    RepeatedLoads(run, tasks, loads[place.first]).Check(findings);
  }
  auto stays = ModelStays(run);
  for (auto& [unit, list] : stays) {
    std::stable_sort(list.begin(), list.end(),
                     [](const ModelStay& a, const ModelStay& b) { return a.from < b.from; });
    CheckLimit(run, unit, list, findings);
    if (HasChip(run, unit)) CheckChip(run, unit, list, findings);
  }
}

}  // namespace tandem
