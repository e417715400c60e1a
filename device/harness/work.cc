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
      moves_(problem, units),
      urgency_(UrgencyOfStreams(problem.scenario())) {
  for (const Cut& cut : problem.cuts()) {
    const std::vector<LayerId> inputs = units.spec(cut.first).model->Inputs();
    std::vector<std::int32_t>& of_cut = model_input_.emplace_back();
    for (const CutTensor& tensor : cut.tensors) {
      const auto at = std::find(inputs.begin(), inputs.end(), tensor.layer);
      of_cut.push_back(at == inputs.end() ? -1 : static_cast<std::int32_t>(at - inputs.begin()));
    }
  }
  for (std::size_t s = 0; s < problem.segments().size(); ++s) AddSegment(SegmentId(s));
  MakePlaces();
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

void HarnessWork::MakePlaces() {
  const Platform& platform = problem_->platform();
  const Places& places = problem_->places();
  for (std::size_t p = 0; p < places.size(); ++p) {
    AtPlace& here = at_.emplace_back();
    here.unit = places.UnitOf(PlaceId(p));
    if (p < places.of_units()) {
      here.memory = platform.unit(here.unit).memory;
      here.emulated = platform.unit(here.unit).On(RunsOn::kNothing);
      here.preempts = platform.unit(here.unit).preempts;
    }
    here.holds.resize(problem_->scenario().models.size());
    here.reads.reserve(most_);
    here.writes.reserve(most_);
    here.moves.reserve(most_);
    here.borrowed.reserve(most_);
  }
  ReserveTogether();
}

// A step in three calls: here, under the dispatcher, the pointers that it works on are settled and its memory
// is taken; Do, on the place's thread, follows them without a look at anything shared; Ended, under the
// dispatcher again, says what now lies where and frees what nobody reads any more.
void HarnessWork::Begin(std::size_t place, const Occupation& slot, Nanos work) {
  AtPlace& here = at_[place];
  here.kind = slot.steps.empty() ? StepKind::kCompute : slot.steps[slot.step].kind;
  here.task = slot.task;
  here.work = work;
  here.moves.clear();
  here.before.clear();
  here.after.clear();
  here.with = dispatcher_->With(slot.task);
  here.skips = here.kind != StepKind::kLoad && NobodyWants(here);
  if (here.kind == StepKind::kCompute) {
    here.with.empty() ? BeginCompute(here, place) : BeginTogether(here, place);
    return BeginFunction(here);
  }
  if (here.kind != StepKind::kLoad) {
    here.copy = slot.steps[slot.step];
    return here.with.empty() ? BeginCopy(here, place) : BeginCopyTogether(here, place);
  }
  for (std::size_t m = 0; m < here.holds.size(); ++m) {
    here.holds[m] = dispatcher_->Holds(here.unit, ModelId(m)) ? 1 : 0;
  }
}

bool HarnessWork::NobodyWants(const AtPlace& here) const {
  return !requests_->IsWanted(here.task) &&
         std::none_of(here.with.begin(), here.with.end(),
                      [&](const Task& task) { return requests_->IsWanted(task); });
}

// A tensor, or a part of one, that lies in that memory.
const float* HarnessWork::Source(const AtPlace& here, std::int32_t tensor, MemoryId memory) {
  if (const float* between = tensors_->FindBetween(here.task, tensor, memory)) return between;
  const std::int32_t input =
      model_input_[problem_->cut_of(here.task.stream).index()][static_cast<std::size_t>(tensor)];
  if (memory == MemoryId(0) && input >= 0) {
    return requests_->Input(here.task, static_cast<std::size_t>(input));
  }
  return tensors_->At(here.task, tensor, memory);
}

void HarnessWork::BeginCopy(AtPlace& here, std::size_t place) {
  const Step& copy = here.copy;
  const CutTensor& tensor = TensorOf(here.task, copy.tensor);
  here.waits = here.emulated || moves_.Emulated(copy.from) || moves_.Emulated(copy.to);
  TensorMove move;
  if (!here.waits) move = moves_.Between(place, copy.from, copy.to);
  move.from = Source(here, copy.tensor, copy.from);
  TANDEM_CHECK(move.from != nullptr, "what is copied has been made");
  if (!copy.arrives.valid()) {
    move.to = tensors_->TakeBetween(here.task, copy.tensor, copy.to);
  } else if (copy.to == MemoryId(0) && tensor.leaves) {
    move.to = requests_->Output(here.task, tensors_->Whole(here.task, copy.tensor).first, place);
  } else {
    move.to = tensors_->Take(here.task, copy.tensor, copy.to);
  }
  move.block = &tensors_->Block(here.task, copy.tensor);
  here.moves.push_back(move);
}

void HarnessWork::EndCopy(AtPlace& here) {
  if (!here.with.empty()) return EndCopyTogether(here);
  const Step& copy = here.copy;
  if (here.waits) requests_->Ended(here.task, here.unit, false, {}, 1);
  tensors_->LeftBetween(here.task, here.moves[0].from);
  if (!copy.arrives.valid()) return tensors_->ArrivedBetween(here.task, here.moves[0].to);
  if (copy.to == MemoryId(0) && TensorOf(here.task, copy.tensor).leaves) {
    tensors_->Used(here.task, copy.tensor);
    return tensors_->Settle(here.task);
  }
  tensors_->Arrived(here.task, copy.tensor, copy.to);
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
const float* HarnessWork::Gather(AtPlace& here, std::size_t place, std::int32_t tensor) {
  const WholeTensor& whole = tensors_->Whole(here.task, tensor);
  float* const at = tensors_->Borrow(here.task, tensor, here.memory);
  here.borrowed.push_back({tensor, at});
  for (std::int32_t part = whole.first; part < whole.first + whole.parts; ++part) {
    const MemoryId from = WhereItLies(here.task, part);
    TensorMove move = moves_.Between(place, from, here.memory);
    move.from = tensors_->At(here.task, part, from);
    move.to = at;
    move.block = &tensors_->Block(here.task, part);
    here.moves.push_back(move);
  }
  return at;
}

// In its own memory, else where the request has it, else through a mapping of what the host reads.
const float* HarnessWork::Read(AtPlace& here, std::size_t place, const Reading& reading) {
  if (AllHere(here.task, reading.tensor, here.memory)) {
    return tensors_->At(here.task, reading.tensor, here.memory);
  }
  if (reading.model_input >= 0) {
    TANDEM_CHECK(reading.mode != TransferMode::kCopy || here.memory == MemoryId(0), "inputs are brought in");
    return requests_->Input(here.task, static_cast<std::size_t>(reading.model_input));
  }
  TANDEM_CHECK(reading.mode != TransferMode::kCopy, "what a task reads is brought in before it begins");
  for (std::size_t m = 0; m < problem_->platform().memories.size(); ++m) {
    if (moves_.HostReads(MemoryId(m)) && AllHere(here.task, reading.tensor, MemoryId(m))) {
      return tensors_->At(here.task, reading.tensor, MemoryId(m));
    }
  }
  return here.emulated ? nullptr : Gather(here, place, reading.tensor);
}

void HarnessWork::BeginCompute(AtPlace& here, std::size_t place) {
  const Task& task = here.task;
  here.reads.clear();
  here.writes.clear();
  here.borrowed.clear();
  const bool alone = task.live < 0 && here.memory == MemoryId(0);  // no tensors but the request's own
  for (const Reading& reading : readings_[task.segment.index()]) {
    here.reads.push_back(alone ? requests_->Input(task, static_cast<std::size_t>(reading.model_input))
                               : Read(here, place, reading));
  }
  for (const std::int32_t tensor : makings_[task.segment.index()]) {
    const bool there = EndsThere(TensorOf(task, tensor), here.memory);
    here.writes.push_back(there ? requests_->Output(task, tensor, place)
                                : tensors_->Take(task, tensor, here.memory));
  }
}

void HarnessWork::EndCompute(const AtPlace& here) {
  if (!here.why_failed.empty()) EndFunction(here);
  if (!here.with.empty()) return EndTogether(here);
  const Task& task = here.task;
  requests_->Ended(task, here.unit, !here.skips && here.segment->computes, here.hash, 1);
  if (task.live < 0 && here.memory == MemoryId(0)) return;
  for (const Borrowed& borrowed : here.borrowed) {
    tensors_->Return(task, borrowed.tensor, here.memory, borrowed.at);
  }
  const Segment& segment = problem_->segment(task.segment);
  for (const std::int32_t made : segment.makes) {
    const bool there = EndsThere(TensorOf(task, made), here.memory);
    there ? tensors_->Used(task, made) : tensors_->Arrived(task, made, here.memory);
  }
  for (const std::int32_t read : segment.reads) tensors_->Used(task, read);
  tensors_->Settle(task);
}

void HarnessWork::Compute(AtPlace& here, std::size_t place) {
  const auto together = static_cast<std::int64_t>(here.with.size()) + 1;
  here.segment = &units_->ReadyOn(place, here.task.segment, together, *here.processor);
  for (const TensorMove& move : here.moves) move.Make();
  for (const Stretch& stretch : here.before) stretch.Copy();
  if (here.segment->function) {
    CallFunction(here);
  } else {
    here.segment->executable->Run(here.reads, here.writes);
    here.hash = here.segment->executable->OutputHash();
  }
  for (const Stretch& stretch : here.after) stretch.Copy();
}

std::string HarnessWork::CopyText(const AtPlace& here) const {
  if (here.kind != StepKind::kCopy && here.kind != StepKind::kEngineCopy) return "";
  const Cut& cut = problem_->cut(here.task.stream);
  const LayerId layer = cut.tensors[static_cast<std::size_t>(here.copy.tensor)].layer;
  const auto& memories = problem_->platform().memories;
  return "copying \"" + problem_->scenario().model(cut.model).model->layer(layer).name + "\" from \"" +
         memories[here.copy.from.index()].name + "\" to \"" + memories[here.copy.to.index()].name + "\": ";
}

void HarnessWork::Do(std::size_t place) {
  AtPlace& here = at_[place];
  const auto fail = [&](const std::string& why) {
    const Scenario& scenario = problem_->scenario();
    const std::string unit = here.unit.index() < problem_->units()
                                 ? "unit \"" + problem_->platform().unit(here.unit).name + "\""
                                 : "a copy engine";
    throw EnvironmentError(unit + ", request \"" + scenario.streams[here.task.stream.index()].name + " #" +
                           std::to_string(here.task.index) + "\": " + CopyText(here) + why);
  };
  if (here.skips) return;
  try {
    if (here.preempts) here.processor->SetUrgency(urgency_[here.task.stream.index()]);
    if (here.kind == StepKind::kCompute) return Compute(here, place);
    const auto end = std::chrono::steady_clock::now() + here.work;
    if (here.kind == StepKind::kLoad) {
      units_->Load(place, problem_->model_of(here.task.segment), here.holds, *here.processor);
      if (here.emulated) std::this_thread::sleep_until(end);
    } else if (here.waits) {
      std::this_thread::sleep_until(end);
    } else {
      for (const TensorMove& move : here.moves) move.Make();
    }
  } catch (const EnvironmentError& error) {
    fail(error.what());
  } catch (const std::bad_alloc&) {
    fail("memory ran out");
  }
}

void HarnessWork::Ended(std::size_t place) {
  AtPlace& here = at_[place];
  if (here.kind == StepKind::kCompute) return EndCompute(here);
  if (here.kind != StepKind::kLoad) EndCopy(here);
}

}  // namespace tandem
