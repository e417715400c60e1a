#include <algorithm>

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
      from = std::min(from, task.held_up || task.loads ? task.ready : task.start);
    }
    changes.emplace_back(from, bytes[request.stream.index()]);
    changes.emplace_back(request.end, -bytes[request.stream.index()]);
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

}  // namespace

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
