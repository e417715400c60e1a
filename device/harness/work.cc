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
    }
    here.holds.resize(problem_->scenario().models.size());
    here.reads.reserve(most_);
    here.writes.reserve(most_);
    here.moves.reserve(most_);
    here.borrowed.reserve(most_);
  }
  ReserveTogether();
}

std::int64_t HarnessWork::MostTogether(SegmentId segment, MemoryId memory) const {
  std::int64_t most = 1;
  for (std::size_t u = 0; u < problem_->units(); ++u) {
    const UnitId unit(u);
    if (problem_->MemoryOf(unit) != memory || !problem_->Runs(segment, unit)) continue;
    most = std::max(most, units_->Together(segment, unit));
  }
  return most;
}

// As many as slots may have, and one more where engines bring the next ones or take the last ones away.
void HarnessWork::ReserveTogether() {
  for (std::size_t s = 0; s < problem_->segments().size(); ++s) {
    const SegmentId segment(s);
    std::size_t most = 0;
    for (std::size_t u = 0; u < problem_->units(); ++u) {
      const UnitId unit(u);
      const std::int64_t together = problem_->Runs(segment, unit) ? units_->Together(segment, unit) : 1;
      if (together < 2) continue;
      most = std::max(most, static_cast<std::size_t>(together));
      const std::int64_t more = problem_->MemoryOf(unit) == MemoryId(0) || units_->engines() == 0 ? 0 : 1;
      for (std::int64_t slot = 0; slot < problem_->platform().unit(unit).slots + more; ++slot) {
        MakeRoom(segment, problem_->MemoryOf(unit));
      }
    }
    const std::size_t tensors = readings_[s].size() + makings_[s].size();
    for (AtPlace& here : at_) {
      here.with.reserve(std::max(here.with.capacity(), most));
      here.before.reserve(std::max(here.before.capacity(), tensors * most));
      here.after.reserve(std::max(here.after.capacity(), tensors * most));
      here.moves.reserve(std::max(here.moves.capacity(), most));
    }
  }
}

// On the device things come in another order: one more.
void HarnessWork::Reserve(const RequestsInFlight& batches) {
  for (const auto& of : batches) {
    const MemoryId memory = of.first;
    for (std::size_t s = 0; memory != MemoryId(0) && s < problem_->segments().size(); ++s) {
      const SegmentId segment(s);
      if (MostTogether(segment, memory) < 2) continue;
      const auto has = std::ranges::count_if(
          together_, [&](const Together& room) { return room.segment == segment && room.memory == memory; });
      for (std::int64_t more = has; more < of.second + 1; ++more) MakeRoom(segment, memory);
    }
  }
}

HarnessWork::Together& HarnessWork::MakeRoom(SegmentId segment, MemoryId memory) {
  const SegmentSpec& spec = units_->spec(segment);
  const auto most = static_cast<std::size_t>(MostTogether(segment, memory));
  const Cut& cut = problem_->cut(problem_->segment(segment).cut);
  Together& room = together_.emplace_back();
  room.segment = segment;
  room.memory = memory;
  const auto buffer = [&](LayerId id, bool copied) {
    const auto each = static_cast<std::size_t>(Elements(spec.model->layer(id).output));
    return Buffer(each * most, units_->memory(copied ? memory : MemoryId(0)));
  };
  for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
    room.reads.push_back(buffer(spec.inputs[i], readings_[segment.index()][i].mode == TransferMode::kCopy));
  }
  for (std::size_t i = 0; i < spec.outputs.size(); ++i) {
    const auto made = static_cast<std::size_t>(makings_[segment.index()][i]);
    room.writes.push_back(buffer(spec.outputs[i], !EndsThere(cut.tensors[made], memory)));
  }
  return room;
}

HarnessWork::Together& HarnessWork::RoomOf(const Task& first, MemoryId memory) {
  Together* free = nullptr;
  for (Together& room : together_) {
    if (room.stream == first.stream && room.index == first.index) return room;
    const bool fits = room.segment == first.segment && room.memory == memory;
    if (fits && !room.stream.valid() && free == nullptr) free = &room;
  }
  if (free == nullptr) free = &MakeRoom(first.segment, memory);
  free->stream = first.stream;
  free->index = first.index;
  return *free;
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
  if (here.kind == StepKind::kCompute) {
    return here.with.empty() ? BeginCompute(here, place) : BeginTogether(here, place);
  }
  if (here.kind != StepKind::kLoad) {
    here.copy = slot.steps[slot.step];
    return here.with.empty() ? BeginCopy(here, place) : BeginCopyTogether(here, place);
  }
  for (std::size_t m = 0; m < here.holds.size(); ++m) {
    here.holds[m] = dispatcher_->Holds(here.unit, ModelId(m)) ? 1 : 0;
  }
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

// An input of each of them to its place behind the others', or an output of each from there. One hop.
void HarnessWork::BeginCopyTogether(AtPlace& here, std::size_t place) {
  const Step& copy = here.copy;
  here.waits = here.emulated || moves_.Emulated(copy.from) || moves_.Emulated(copy.to);
  const std::vector<Reading>& readings = readings_[here.task.segment.index()];
  const std::vector<std::int32_t>& makings = makings_[here.task.segment.index()];
  const auto read = std::ranges::find(readings, copy.tensor, &Reading::tensor);
  const auto made = std::ranges::find(makings, copy.tensor);
  const bool comes = read != readings.end();
  TANDEM_CHECK(copy.arrives.valid() && comes == (made == makings.end()),
               "what is copied for several requests is an input or an output, over one link");
  Together& room = RoomOf(here.task, comes ? copy.to : copy.from);
  const TensorBlock& block = tensors_->Block(here.task, copy.tensor);
  for (std::size_t k = 0; k <= here.with.size(); ++k) {
    const Task& task = k == 0 ? here.task : here.with[k - 1];
    TensorMove move;
    if (!here.waits) move = moves_.Between(place, copy.from, copy.to);
    move.block = &block;
    if (comes) {
      move.from = requests_->Input(task, static_cast<std::size_t>(read->model_input));
      move.to = room.reads[static_cast<std::size_t>(read - readings.begin())].data() + k * block.size();
    } else {
      move.from = room.writes[static_cast<std::size_t>(made - makings.begin())].data() + k * block.size();
      move.to = requests_->Output(task, copy.tensor, place);
    }
    here.moves.push_back(move);
  }
}

void HarnessWork::EndCopyTogether(AtPlace& here) {
  const Step& copy = here.copy;
  if (here.waits) {
    requests_->Ended(here.task, here.unit, false, {});
    for (const Task& task : here.with) requests_->Ended(task, here.unit, false, {});
  }
  if (copy.to != MemoryId(0)) return;
  Together& room = RoomOf(here.task, copy.from);
  if (--room.to_leave == 0) room.stream = StreamId();
}

void HarnessWork::EndCopy(AtPlace& here) {
  if (!here.with.empty()) return EndCopyTogether(here);
  const Step& copy = here.copy;
  if (here.waits) requests_->Ended(here.task, here.unit, false, {});
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

// Models that run as a whole.
void HarnessWork::BeginTogether(AtPlace& here, std::size_t place) {
  Together& room = RoomOf(here.task, here.memory);
  room.to_leave = 0;
  const std::vector<Reading>& readings = readings_[here.task.segment.index()];
  const std::vector<std::int32_t>& makings = makings_[here.task.segment.index()];
  const SegmentSpec& spec = units_->spec(here.task.segment);
  here.reads.clear();
  here.writes.clear();
  here.borrowed.clear();
  for (const Buffer& read : room.reads) here.reads.push_back(read.data());
  for (Buffer& write : room.writes) here.writes.push_back(write.data());
  for (std::size_t k = 0; k <= here.with.size(); ++k) {
    const Task& task = k == 0 ? here.task : here.with[k - 1];
    for (std::size_t i = 0; i < readings.size(); ++i) {
      const bool copied = here.memory != MemoryId(0) && readings[i].mode == TransferMode::kCopy;
      if (copied) continue;
      const auto count = static_cast<std::size_t>(Elements(spec.model->layer(spec.inputs[i]).output));
      const auto input = static_cast<std::size_t>(readings[i].model_input);
      here.before.push_back({requests_->Input(task, input), room.reads[i].data() + k * count, count});
    }
    for (std::size_t i = 0; i < makings.size(); ++i) {
      if (!EndsThere(TensorOf(task, makings[i]), here.memory)) {
        room.to_leave += k == 0 ? 1U : 0U;
        continue;
      }
      const auto count = static_cast<std::size_t>(Elements(spec.model->layer(spec.outputs[i]).output));
      here.after.push_back({here.writes[i] + k * count, requests_->Output(task, makings[i], place), count});
    }
  }
}

void HarnessWork::EndTogether(const AtPlace& here) {
  requests_->Ended(here.task, here.unit, here.segment->computes, here.hash);
  for (const Task& task : here.with) {
    requests_->Ended(task, here.unit, here.segment->computes, here.hash);
  }
  Together& room = RoomOf(here.task, here.memory);
  if (room.to_leave == 0) room.stream = StreamId();
}

void HarnessWork::EndCompute(const AtPlace& here) {
  if (!here.with.empty()) return EndTogether(here);
  const Task& task = here.task;
  requests_->Ended(task, here.unit, here.segment->computes, here.hash);
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
  here.segment->executable->Run(here.reads, here.writes);
  here.hash = here.segment->executable->OutputHash();
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
  try {
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
