// What a slot is doing: the steps of the task that it has taken, one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/engine/progress.h"
#include "policies/problem/task.h"
#include "scenarios/trace/span.h"

namespace tandem {

// kAwait: another unit of the same memory is bringing the tensor in.
enum class StepKind : std::uint8_t { kCompute, kCopy, kEngineCopy, kAwait, kLoad };

struct Step {
  StepKind kind = StepKind::kCompute;
  Nanos work{0};
  std::int32_t tensor = -1;
  MemoryId from, to;  // copies: this hop
  MemoryId arrives;   // copies: where the tensor is by the end of this hop, else invalid
  LinkId link;        // copies
  UnitId engine;      // kEngineCopy
};

struct Occupation {
  PlaceId place;
  UnitId unit;
  SlotId slot;
  bool taken = false;    // has a task
  bool working = false;  // the runner has a step of it under way
  bool waiting = false;  // cannot go on with it at the moment
  bool holds = false;    // units that share cores or a device with its own are kept off
  Task task;
  Nanos ready{0};
  Nanos taken_at{0};
  Nanos step_start{0};
  Nanos worked{0};          // in the steps of its task that have ended: not what it waited between them
  Nanos later{0};           // profiled work of the steps that follow
  std::vector<Step> steps;  // none: the task's work is all
  std::size_t step = 0;
  bool rest_open = false;  // the steps behind its load are settled when the model is there
  Nanos work{0};           // of the task itself, as long as they are open
  std::int32_t credit = 0;
  std::int32_t batch = 1;  // requests that it runs at once
  Progress progress;

  // Has it a task whose model is not there, and is nobody's who works?
  bool WaitsToLoad() const { return waiting && IsAtLoad(); }
  // Has it begun one that has not ended, be it one that takes no time?
  bool Loads() const { return taken && !waiting && IsAtLoad(); }

 private:
  bool IsAtLoad() const { return step < steps.size() && steps[step].kind == StepKind::kLoad; }
};

}  // namespace tandem
