#include <algorithm>
#include <optional>

#include "scenarios/check/rules.h"

namespace tandem {
namespace {

constexpr std::int64_t kWidestElement = 8;

// The most that requests of a stream ever read and make, each.
std::int64_t TensorBytes(const CheckedRun& run, const Stream& stream) {
  const Model& model = run.model(stream.model);
  std::int64_t elements = 0;
  for (const Layer& layer : model.layers()) elements += Elements(layer.output);
  return elements / model.batch() * stream.batch * kWidestElement;
}

// The most tensors that may ever be there at a time, and those of one request more.
std::int64_t MostTensorBytes(const CheckedRun& run) {
  std::vector<std::int64_t> bytes;
  for (const Stream& stream : run.scenario().streams) bytes.push_back(TensorBytes(run, stream));
  std::vector<std::pair<Nanos, std::int64_t>> changes;
  for (const CheckedRequest& request : run.requests) {
    if (request.first_task == request.last_task) continue;
    Nanos from = request.end;
    for (std::size_t t = request.first_task; t < request.last_task; ++t) {
      const CheckedTask& task = run.tasks[t];
      from = std::min(from, task.unclear() ? task.ready : task.begun);
    }
    const std::int64_t all = bytes[request.stream.index()] * run.tasks[request.first_task].batch;
    changes.emplace_back(from, all);
    changes.emplace_back(request.end, -all);
  }
  std::sort(changes.begin(), changes.end());
  std::int64_t held = 0, peak = 0;
  for (const auto& [at, change] : changes) peak = std::max(peak, held += change);
  return peak + *std::max_element(bytes.begin(), bytes.end());
}

std::int64_t MostWeightBytes(const CheckedRun& run, MemoryId memory) {
  std::int64_t weights = 0;
  for (std::size_t u = 0; u < run.platform().units.size(); ++u) {
    for (std::size_t m = 0; m < run.scenario().models.size(); ++m) {
      const bool there = run.memory_of(UnitId(u)) == memory && run.may_hold[u][m];
      if (there) weights += WeightBytes(run, ModelId(m), UnitId(u));
    }
  }
  return weights;
}

// The least that is left for tensors in any memory; nothing where none is limited.
std::optional<std::int64_t> LeastRoom(const CheckedRun& run) {
  std::optional<std::int64_t> least;
  const auto& memories = run.platform().memories;
  for (std::size_t m = 0; m < memories.size(); ++m) {
    if (!memories[m].capacity_bytes) continue;
    const std::int64_t room = *memories[m].capacity_bytes - MostWeightBytes(run, MemoryId(m));
    least = std::min(least.value_or(room), room);
  }
  return least;
}

std::vector<std::pair<Nanos, Nanos>> TimesAbove(std::int64_t room,
                                                std::vector<std::pair<Nanos, std::int64_t>> changes) {
  std::sort(changes.begin(), changes.end());
  std::vector<std::pair<Nanos, Nanos>> times;
  std::int64_t held = 0;
  for (const auto& [at, change] : changes) {
    const bool before = held > room, after = (held += change) > room;
    if (!before && after) times.emplace_back(at, at);
    if (before && !after) times.back().second = at;
  }
  std::erase_if(times, [](const auto& time) { return time.first == time.second; });
  return times;
}

}  // namespace

bool RoomTimes::NarrowAt(Nanos time) const {
  const auto after = std::partition_point(narrow.begin(), narrow.end(),
                                          [&](const auto& interval) { return interval.second <= time; });
  return after != narrow.end() && after->first <= time;
}

RoomTimes FindRoomTimes(const CheckedRun& run) {
  RoomTimes times;
  times.one_by_one.resize(run.scenario().streams.size());
  for (const CheckedRequest& request : run.requests) {
    Nanos begun = request.end;
    for (std::size_t t = request.first_task; t < request.last_task; ++t) {
      begun = std::min(begun, run.tasks[t].begun);
    }
    times.begun.push_back(begun);
  }
  const auto room = LeastRoom(run);
  if (!room) return times;
  std::vector<std::int64_t> bytes;
  for (const Stream& stream : run.scenario().streams) bytes.push_back(TensorBytes(run, stream));
  for (std::size_t s = 0; s < bytes.size(); ++s) times.one_by_one[s] = bytes[s] > *room ? 1 : 0;
  std::vector<std::pair<Nanos, std::int64_t>> changes;
  for (const CheckedRequest& request : run.requests) {
    changes.emplace_back(request.release, bytes[request.stream.index()]);
    changes.emplace_back(request.end, -bytes[request.stream.index()]);
  }
  times.narrow = TimesAbove(*room, std::move(changes));
  // Who else was there when it was cut short is not told.
  if (!run.run().complete) times.narrow = {{Nanos{0}, run.run().end + Nanos{1}}};
  return times;
}

void MarkWaitsForRoom(CheckedRun& run) {
  const auto& memories = run.platform().memories;
  std::vector<char> tight(memories.size());
  for (std::size_t m = 0; m < memories.size(); ++m) {
    if (!memories[m].capacity_bytes) continue;
    tight[m] = MostWeightBytes(run, MemoryId(m)) + MostTensorBytes(run) > *memories[m].capacity_bytes;
  }
  for (CheckedTask& task : run.tasks) {
    task.held_up = task.held_up || tight[run.memory_of(task.unit).index()] != 0;
  }
}

}  // namespace tandem
