#include "device/harness_work.h"

#include <algorithm>
#include <new>
#include <thread>

#include "profiles/check.h"
#include "profiles/input_error.h"

namespace tandem {
namespace {

std::int32_t TensorOf(const Cut& cut, LayerId layer) {
  for (std::size_t t = 0; t < cut.tensors.size(); ++t) {
    if (cut.tensors[t].layer == layer) return static_cast<std::int32_t>(t);
  }
  TANDEM_CHECK(false, "what a segment reads or makes is a tensor of its cut");
  return -1;
}

bool AnyCopies(const Problem& problem) {
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    if (problem.Copies(SegmentId(s))) return true;
  }
  return false;
}

// Do all units that work in this memory only wait?
bool OnlyEmulated(const Platform& platform, MemoryId memory) {
  return std::all_of(platform.units.begin(), platform.units.end(), [&](const Unit& unit) {
    return unit.memory != memory || unit.backend == Backend::kEmulated;
  });
}

}  // namespace

HarnessWork::HarnessWork(const Problem& problem, const Dispatcher& dispatcher, HarnessUnits& units,
                         LiveTensors& tensors, RequestData& requests)
    : problem_(&problem), dispatcher_(&dispatcher), units_(&units), tensors_(&tensors), requests_(&requests) {
  const Platform& platform = problem.platform();
  for (std::size_t u = 0; u < dispatcher.units(); ++u) {
    Desk desk;
    desk.unit = UnitId(u);
    desk.emulated = u >= problem.units() || platform.units[u].backend == Backend::kEmulated;
    desk.holds.resize(problem.scenario().models.size());
    for (std::int64_t s = 0; s < dispatcher.slots(UnitId(u)); ++s) desks_.push_back(desk);
  }
  const bool copies = AnyCopies(problem);
  for (const Link& link : platform.links) {
    if (!link.engine || !copies) continue;
    if (OnlyEmulated(platform, link.to) || OnlyEmulated(platform, link.from)) continue;
    throw EnvironmentError("the link from \"" + platform.memories[link.from.index()].name + "\" to \"" +
                           platform.memories[link.to.index()].name +
                           "\": no backend copies beside a unit's work here; \"engine\": false, or units "
                           "that are emulated");
  }
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    const Cut& cut = problem.cut(problem.segment(SegmentId(s)).cut);
    const SegmentSpec& spec = units.spec(SegmentId(s));
    const std::vector<LayerId> model_inputs = spec.model->Inputs();
    readings_.emplace_back();
    for (const LayerId input : spec.inputs) {
      const auto at = std::find(model_inputs.begin(), model_inputs.end(), input);
      const bool of_model = at != model_inputs.end();
      readings_.back().push_back(
          {TensorOf(cut, input), of_model ? static_cast<std::int32_t>(at - model_inputs.begin()) : -1});
    }
    makings_.emplace_back();
    for (const LayerId output : spec.outputs) makings_.back().push_back(TensorOf(cut, output));
  }
  std::size_t most = 0;
  for (std::size_t s = 0; s < readings_.size(); ++s) {
    most = std::max({most, readings_[s].size(), makings_[s].size()});
  }
  for (Desk& desk : desks_) {
    desk.reads.reserve(most);
    desk.writes.reserve(most);
  }
}

void HarnessWork::Begin(std::size_t place, const Occupation& slot, Nanos work) {
  Desk& desk = desks_[place];
  desk.kind = slot.unit.index() >= problem_->units() ? StepKind::kEngineCopy
              : slot.steps.empty()                   ? StepKind::kCompute
                                                     : slot.steps[slot.step].kind;
  desk.task = slot.task;
  desk.work = work;
  if (desk.kind == StepKind::kCompute) return BeginCompute(desk, place);
  if (desk.kind != StepKind::kLoad) return;
  for (std::size_t m = 0; m < desk.holds.size(); ++m) {
    desk.holds[m] = dispatcher_->Holds(desk.unit, ModelId(m)) ? 1 : 0;
  }
}

void HarnessWork::BeginCompute(Desk& desk, std::size_t place) {
  const Task& task = desk.task;
  tensors_->Begin(task);
  desk.reads.clear();
  for (const Reading& reading : readings_[task.segment.index()]) {
    desk.reads.push_back(reading.model_input >= 0
                             ? requests_->Input(task, static_cast<std::size_t>(reading.model_input))
                             : tensors_->At(task, reading.tensor));
  }
  desk.writes.clear();
  const Cut& cut = problem_->cut(task.stream);
  for (const std::int32_t tensor : makings_[task.segment.index()]) {
    const bool leaves = cut.tensors[static_cast<std::size_t>(tensor)].leaves;
    desk.writes.push_back(leaves ? requests_->Output(task, tensor, place) : tensors_->At(task, tensor));
  }
}

void HarnessWork::Compute(Desk& desk, std::size_t place) {
  desk.segment = &units_->ReadyOn(place, desk.task.segment, *desk.processor);
  desk.segment->executable->Run(desk.reads, desk.writes);
  desk.hash = desk.segment->executable->OutputHash();
}

void HarnessWork::Do(std::size_t place) {
  Desk& desk = desks_[place];
  const auto fail = [&](const std::string& why) {
    const Scenario& scenario = problem_->scenario();
    const std::string unit = desk.unit.index() < problem_->units()
                                 ? "unit \"" + problem_->platform().unit(desk.unit).name + "\""
                                 : "a copy engine";
    throw EnvironmentError(unit + ", request \"" + scenario.streams[desk.task.stream.index()].name + " #" +
                           std::to_string(desk.task.index) + "\": " + why);
  };
  try {
    if (desk.kind == StepKind::kCompute) return Compute(desk, place);
    const auto end = std::chrono::steady_clock::now() + desk.work;
    if (desk.kind == StepKind::kLoad) {
      units_->Load(place, problem_->model_of(desk.task.segment), desk.holds, *desk.processor);
    }
    // Processors that are there read and write tensors where they lie: their copies are done.
    if (desk.emulated) std::this_thread::sleep_until(end);
  } catch (const EnvironmentError& error) {
    fail(error.what());
  } catch (const std::bad_alloc&) {
    fail("memory ran out");
  }
}

void HarnessWork::Ended(std::size_t place) {
  Desk& desk = desks_[place];
  if (desk.kind != StepKind::kCompute) return;
  requests_->Ended(desk.task, desk.unit, desk.segment->computes, desk.hash);
  tensors_->Ended(desk.task);
}

}  // namespace tandem
