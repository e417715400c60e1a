// Requests that are begun together: where their inputs and outputs lie one behind the other.
#include <algorithm>

#include "device/harness/work.h"
#include "profiles/base/check.h"

namespace tandem {

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
  MakeRelays(segment, memory);
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

void HarnessWork::MakeRelays(SegmentId segment, MemoryId memory) {
  const Cut& cut = problem_->cut(problem_->segment(segment).cut);
  const auto most = static_cast<std::size_t>(MostTogether(segment, memory));
  const auto on_way = [&](MemoryId from, MemoryId to, std::int32_t tensor) {
    const auto& way = problem_->routes().Way(from, to);
    if (!way) return;
    const auto each = static_cast<std::size_t>(cut.tensors[static_cast<std::size_t>(tensor)].elements);
    for (const Hop& hop : *way) {
      if (hop.to == to) continue;
      relays_.push_back({segment, tensor, hop.to, Buffer(each * most, units_->memory(hop.to)), {}, -1});
    }
  };
  for (const Reading& reading : readings_[segment.index()]) {
    if (reading.mode == TransferMode::kCopy) on_way(MemoryId(0), memory, reading.tensor);
  }
  for (const std::int32_t made : makings_[segment.index()]) {
    if (!EndsThere(cut.tensors[static_cast<std::size_t>(made)], memory)) on_way(memory, MemoryId(0), made);
  }
}

HarnessWork::Relay* HarnessWork::FindRelay(const Task& first, std::int32_t tensor, MemoryId memory) {
  const auto found = std::ranges::find_if(relays_, [&](const Relay& relay) {
    return relay.stream == first.stream && relay.index == first.index && relay.tensor == tensor &&
           relay.memory == memory;
  });
  return found == relays_.end() ? nullptr : &*found;
}

HarnessWork::Relay& HarnessWork::TakeRelay(const Task& first, std::int32_t tensor, MemoryId memory,
                                           std::size_t together) {
  const std::size_t needs = together * tensors_->Block(first, tensor).size();
  const auto free = std::ranges::find_if(relays_, [&](const Relay& relay) {
    return !relay.stream.valid() && relay.segment == first.segment && relay.tensor == tensor &&
           relay.memory == memory && relay.block.size() >= needs;
  });
  Relay& relay = free != relays_.end()
                     ? *free
                     : relays_.emplace_back(Relay{
                           first.segment, tensor, memory, Buffer(needs, units_->memory(memory)), {}, -1});
  relay.stream = first.stream;
  relay.index = first.index;
  return relay;
}

// An input of each of them to its place behind the others', or an output of each from there. One hop: what is
// on its way lies behind the others' in the memories in between, too.
void HarnessWork::BeginCopyTogether(AtPlace& here, std::size_t place) {
  const Step& copy = here.copy;
  here.waits = here.emulated || moves_.Emulated(copy.from) || moves_.Emulated(copy.to);
  const std::vector<Reading>& readings = readings_[here.task.segment.index()];
  const std::vector<std::int32_t>& makings = makings_[here.task.segment.index()];
  const auto read = std::ranges::find(readings, copy.tensor, &Reading::tensor);
  const auto made = std::ranges::find(makings, copy.tensor);
  const bool comes = read != readings.end();
  TANDEM_CHECK(comes == (made == makings.end()), "what is copied for several requests comes in or goes out");
  const TensorBlock& block = tensors_->Block(here.task, copy.tensor);
  const Relay* const relay = FindRelay(here.task, copy.tensor, copy.from);
  const float* from = relay ? relay->block.data() : nullptr;  // null: in each request
  float* to = nullptr;                                        // the same
  if (!relay && !comes) {
    from = RoomOf(here.task, copy.from).writes[static_cast<std::size_t>(made - makings.begin())].data();
  }
  if (!copy.arrives.valid()) {
    to = TakeRelay(here.task, copy.tensor, copy.to, here.with.size() + 1).block.data();
  } else if (comes) {
    to = RoomOf(here.task, copy.to).reads[static_cast<std::size_t>(read - readings.begin())].data();
  }
  for (std::size_t k = 0; k <= here.with.size(); ++k) {
    const Task& task = k == 0 ? here.task : here.with[k - 1];
    TensorMove move;
    if (!here.waits) move = moves_.Between(place, copy.from, copy.to);
    move.block = &block;
    move.from =
        from ? from + k * block.size() : requests_->Input(task, static_cast<std::size_t>(read->model_input));
    move.to = to ? to + k * block.size() : requests_->Output(task, copy.tensor, place);
    here.moves.push_back(move);
  }
}

void HarnessWork::EndCopyTogether(AtPlace& here) {
  const Step& copy = here.copy;
  if (here.waits) {
    const std::size_t together = here.with.size() + 1;
    requests_->Ended(here.task, here.unit, false, {}, together);
    for (const Task& task : here.with) requests_->Ended(task, here.unit, false, {}, together);
  }
  if (Relay* const relay = FindRelay(here.task, copy.tensor, copy.from)) {
    relay->stream = StreamId();
    return;
  }
  const std::vector<std::int32_t>& makings = makings_[here.task.segment.index()];
  if (std::ranges::find(makings, copy.tensor) == makings.end()) return;
  Together& room = RoomOf(here.task, copy.from);
  if (--room.to_leave == 0) room.stream = StreamId();
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
  const bool computes = !here.skips && here.segment->computes;
  const std::size_t together = here.with.size() + 1;
  requests_->Ended(here.task, here.unit, computes, here.hash, together);
  for (const Task& task : here.with) {
    requests_->Ended(task, here.unit, computes, here.hash, together);
  }
  Together& room = RoomOf(here.task, here.memory);
  if (room.to_leave == 0) room.stream = StreamId();
}

}  // namespace tandem
