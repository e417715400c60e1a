#include "device/harness/work.h"

#include <algorithm>
#include <new>
#include <thread>

#include "profiles/base/check.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

std::int32_t TensorOfLayer(const Cut& cut, LayerId layer) {
  for (std::size_t t = 0; t < cut.tensors.size(); ++t) {
    if (cut.tensors[t].layer == layer) return static_cast<std::int32_t>(t);
  }
  TANDEM_CHECK(false, "what a segment reads or makes is a tensor of its cut");
  return -1;
}

}  // namespace

HarnessWork::HarnessWork(const Problem& problem, const Dispatcher& dispatcher, HarnessUnits& units,
                         LiveTensors& tensors, RequestData& requests)
    : problem_(&problem),
      dispatcher_(&dispatcher),
      units_(&units),
      tensors_(&tensors),
      requests_(&requests),
      moves_(problem, units) {
  for (const Cut& cut : problem.cuts()) {
    const std::vector<LayerId> inputs = units.spec(cut.first).model->Inputs();
    std::vector<std::int32_t>& of_cut = model_input_.emplace_back();
    for (const CutTensor& tensor : cut.tensors) {
      const auto at = std::find(inputs.begin(), inputs.end(), tensor.layer);
      of_cut.push_back(at == inputs.end() ? -1 : static_cast<std::int32_t>(at - inputs.begin()));
    }
  }
  for (std::size_t s = 0; s < problem.segments().size(); ++s) AddSegment(SegmentId(s));
  MakeDesks();
}

void HarnessWork::AddSegment(SegmentId id) {
  const Segment& segment = problem_->segment(id);
  const Cut& cut = problem_->cut(segment.cut);
  const SegmentSpec& spec = units_->spec(id);
  std::vector<Reading>& readings = readings_.emplace_back();
  for (const LayerId input : spec.inputs) {
    const std::int32_t tensor = TensorOfLayer(cut, input);
    const auto read = std::lower_bound(segment.reads.begin(), segment.reads.end(), tensor);
    readings.push_back({tensor, model_input_[segment.cut.index()][static_cast<std::size_t>(tensor)],
                        segment.modes[static_cast<std::size_t>(read - segment.reads.begin())]});
  }
  makings_.emplace_back();
  for (const LayerId output : spec.outputs) makings_.back().push_back(TensorOfLayer(cut, output));
  most_ = std::max({most_, segment.reads.size(), segment.makes.size()});
}

void HarnessWork::MakeDesks() {
  const Platform& platform = problem_->platform();
  const Places& places = problem_->places();
  for (std::size_t p = 0; p < places.size(); ++p) {
    Desk& desk = desks_.emplace_back();
    desk.unit = places.UnitOf(PlaceId(p));
    if (p < places.of_units()) {
      desk.memory = platform.unit(desk.unit).memory;
      desk.emulated = platform.unit(desk.unit).On(RunsOn::kNothing);
    }
    desk.holds.resize(problem_->scenario().models.size());
    desk.reads.reserve(most_);
    desk.writes.reserve(most_);
    desk.moves.reserve(most_);
    desk.borrowed.reserve(most_);
  }
}

void HarnessWork::Begin(std::size_t place, const Occupation& slot, Nanos work) {
  Desk& desk = desks_[place];
  desk.kind = slot.steps.empty() ? StepKind::kCompute : slot.steps[slot.step].kind;
  desk.task = slot.task;
  desk.work = work;
  desk.moves.clear();
  if (desk.kind == StepKind::kCompute) return BeginCompute(desk, place);
  if (desk.kind != StepKind::kLoad) {
    desk.copy = slot.steps[slot.step];
    return BeginCopy(desk, place);
  }
  for (std::size_t m = 0; m < desk.holds.size(); ++m) {
    desk.holds[m] = dispatcher_->Holds(desk.unit, ModelId(m)) ? 1 : 0;
  }
}

// A tensor, or a part of one, that lies in that memory.
const float* HarnessWork::Source(const Desk& desk, std::int32_t tensor, MemoryId memory) {
  if (const float* between = tensors_->FindBetween(desk.task, tensor, memory)) return between;
  const std::int32_t input =
      model_input_[problem_->cut_of(desk.task.stream).index()][static_cast<std::size_t>(tensor)];
  if (memory == MemoryId(0) && input >= 0) {
    return requests_->Input(desk.task, static_cast<std::size_t>(input));
  }
  return tensors_->At(desk.task, tensor, memory);
}

void HarnessWork::BeginCopy(Desk& desk, std::size_t place) {
  const Step& copy = desk.copy;
  const CutTensor& tensor = TensorOf(desk.task, copy.tensor);
  desk.waits = desk.emulated || moves_.Emulated(copy.from) || moves_.Emulated(copy.to);
  TensorMove move;
  if (!desk.waits) move = moves_.Between(place, copy.from, copy.to);
  move.from = Source(desk, copy.tensor, copy.from);
  TANDEM_CHECK(move.from != nullptr, "what is copied has been made");
  if (!copy.arrives.valid()) {
    move.to = tensors_->TakeBetween(desk.task, copy.tensor, copy.to);
  } else if (copy.to == MemoryId(0) && tensor.leaves) {
    move.to = requests_->Output(desk.task, tensors_->Whole(desk.task, copy.tensor).first, place);
  } else {
    move.to = tensors_->Take(desk.task, copy.tensor, copy.to);
  }
  move.block = &tensors_->Block(desk.task, copy.tensor);
  desk.moves.push_back(move);
}

void HarnessWork::EndCopy(Desk& desk) {
  const Step& copy = desk.copy;
  if (desk.waits) requests_->Ended(desk.task, desk.unit, false, {});
  tensors_->LeftBetween(desk.task, desk.moves[0].from);
  if (!copy.arrives.valid()) return tensors_->ArrivedBetween(desk.task, desk.moves[0].to);
  if (copy.to == MemoryId(0) && TensorOf(desk.task, copy.tensor).leaves) {
    tensors_->Used(desk.task, copy.tensor);
    return tensors_->Settle(desk.task);
  }
  tensors_->Arrived(desk.task, copy.tensor, copy.to);
}

bool HarnessWork::AllHere(const Task& task, std::int32_t tensor, MemoryId memory) {
  const WholeTensor& whole = tensors_->Whole(task, tensor);
  for (std::int32_t part = 0; part < whole.parts; ++part) {
    if (!tensors_->Here(task, whole.first + part, memory)) return false;
  }
  return true;
}

// Best where the host reads it.
MemoryId HarnessWork::WhereItLies(const Task& task, std::int32_t tensor) {
  MemoryId found;
  for (std::size_t m = 0; m < problem_->platform().memories.size(); ++m) {
    if (!tensors_->Here(task, tensor, MemoryId(m))) continue;
    if (moves_.HostReads(MemoryId(m))) return MemoryId(m);
    found = MemoryId(m);
  }
  TANDEM_CHECK(found.valid(), "a task reads only what another one has made");
  return found;
}

// What no copy brings and no mapping shows, put together for this reader as part of its work.
const float* HarnessWork::Gather(Desk& desk, std::size_t place, std::int32_t tensor) {
  const WholeTensor& whole = tensors_->Whole(desk.task, tensor);
  float* const at = tensors_->Borrow(desk.task, tensor, desk.memory);
  desk.borrowed.push_back({tensor, at});
  for (std::int32_t part = whole.first; part < whole.first + whole.parts; ++part) {
    const MemoryId from = WhereItLies(desk.task, part);
    TensorMove move = moves_.Between(place, from, desk.memory);
    move.from = tensors_->At(desk.task, part, from);
    move.to = at;
    move.block = &tensors_->Block(desk.task, part);
    desk.moves.push_back(move);
  }
  return at;
}

// In its own memory, else where the request has it, else through a mapping of what the host reads.
const float* HarnessWork::Read(Desk& desk, std::size_t place, const Reading& reading) {
  if (AllHere(desk.task, reading.tensor, desk.memory)) {
    return tensors_->At(desk.task, reading.tensor, desk.memory);
  }
  if (reading.model_input >= 0) {
    TANDEM_CHECK(reading.mode != TransferMode::kCopy || desk.memory == MemoryId(0), "inputs are brought in");
    return requests_->Input(desk.task, static_cast<std::size_t>(reading.model_input));
  }
  TANDEM_CHECK(reading.mode != TransferMode::kCopy, "what a task reads is brought in before it begins");
  for (std::size_t m = 0; m < problem_->platform().memories.size(); ++m) {
    if (moves_.HostReads(MemoryId(m)) && AllHere(desk.task, reading.tensor, MemoryId(m))) {
      return tensors_->At(desk.task, reading.tensor, MemoryId(m));
    }
  }
  return desk.emulated ? nullptr : Gather(desk, place, reading.tensor);
}

void HarnessWork::BeginCompute(Desk& desk, std::size_t place) {
  const Task& task = desk.task;
  desk.reads.clear();
  desk.writes.clear();
  desk.borrowed.clear();
  const bool alone = task.live < 0 && desk.memory == MemoryId(0);  // no tensors but the request's own
  for (const Reading& reading : readings_[task.segment.index()]) {
    desk.reads.push_back(alone ? requests_->Input(task, static_cast<std::size_t>(reading.model_input))
                               : Read(desk, place, reading));
  }
  for (const std::int32_t tensor : makings_[task.segment.index()]) {
    const bool there = EndsThere(TensorOf(task, tensor), desk.memory);
    desk.writes.push_back(there ? requests_->Output(task, tensor, place)
                                : tensors_->Take(task, tensor, desk.memory));
  }
}

void HarnessWork::EndCompute(const Desk& desk) {
  const Task& task = desk.task;
  requests_->Ended(task, desk.unit, desk.segment->computes, desk.hash);
  if (task.live < 0 && desk.memory == MemoryId(0)) return;
  for (const Borrowed& borrowed : desk.borrowed) {
    tensors_->Return(task, borrowed.tensor, desk.memory, borrowed.at);
  }
  const Segment& segment = problem_->segment(task.segment);
  for (const std::int32_t made : segment.makes) {
    const bool there = EndsThere(TensorOf(task, made), desk.memory);
    there ? tensors_->Used(task, made) : tensors_->Arrived(task, made, desk.memory);
  }
  for (const std::int32_t read : segment.reads) tensors_->Used(task, read);
  tensors_->Settle(task);
}

void HarnessWork::Compute(Desk& desk, std::size_t place) {
  desk.segment = &units_->ReadyOn(place, desk.task.segment, *desk.processor);
  for (const TensorMove& move : desk.moves) move.Make();
  desk.segment->executable->Run(desk.reads, desk.writes);
  desk.hash = desk.segment->executable->OutputHash();
}

std::string HarnessWork::CopyText(const Desk& desk) const {
  if (desk.kind != StepKind::kCopy && desk.kind != StepKind::kEngineCopy) return "";
  const Cut& cut = problem_->cut(desk.task.stream);
  const LayerId layer = cut.tensors[static_cast<std::size_t>(desk.copy.tensor)].layer;
  const auto& memories = problem_->platform().memories;
  return "copying \"" + problem_->scenario().model(cut.model).model->layer(layer).name + "\" from \"" +
         memories[desk.copy.from.index()].name + "\" to \"" + memories[desk.copy.to.index()].name + "\": ";
}

void HarnessWork::Do(std::size_t place) {
  Desk& desk = desks_[place];
  const auto fail = [&](const std::string& why) {
    const Scenario& scenario = problem_->scenario();
    const std::string unit = desk.unit.index() < problem_->units()
                                 ? "unit \"" + problem_->platform().unit(desk.unit).name + "\""
                                 : "a copy engine";
    throw EnvironmentError(unit + ", request \"" + scenario.streams[desk.task.stream.index()].name + " #" +
                           std::to_string(desk.task.index) + "\": " + CopyText(desk) + why);
  };
  try {
    if (desk.kind == StepKind::kCompute) return Compute(desk, place);
    const auto end = std::chrono::steady_clock::now() + desk.work;
    if (desk.kind == StepKind::kLoad) {
      units_->Load(place, problem_->model_of(desk.task.segment), desk.holds, *desk.processor);
      if (desk.emulated) std::this_thread::sleep_until(end);
    } else if (desk.waits) {
      std::this_thread::sleep_until(end);
    } else {
      desk.moves[0].Make();
    }
  } catch (const EnvironmentError& error) {
    fail(error.what());
  } catch (const std::bad_alloc&) {
    fail("memory ran out");
  }
}

void HarnessWork::Ended(std::size_t place) {
  Desk& desk = desks_[place];
  if (desk.kind == StepKind::kCompute) return EndCompute(desk);
  if (desk.kind != StepKind::kLoad) EndCopy(desk);
}

}  // namespace tandem
