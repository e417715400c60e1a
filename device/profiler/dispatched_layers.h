// Layers that do next to nothing but read what others made and make what others read, on two units, by the
// harness' own runner and dispatcher: for what handing work and data over costs beside the work.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/processor/backend.h"
#include "device/processor/buffer.h"
#include "device/threads/unit_thread.h"
#include "profiles/costs/platform.h"
#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/span.h"

namespace tandem {

struct DispatchedLayer {
  std::string name;
  std::vector<std::string> reads;  // earlier ones, two at most; none: the model's input
  std::size_t unit = 0;            // the first or the second
};

// A model of such layers, each with a time on its own unit alone, so that it runs there.
Scenario ScenarioOfLayers(const Platform& platform, const std::vector<DispatchedLayer>& layers,
                          const Arrival& arrival, std::int64_t requests);

class DispatchedLayers {
 public:
  // Opens both units, which share a memory: nothing else may use them meanwhile. Throws what that throws.
  DispatchedLayers(const Platform& platform, UnitId first, UnitId second, std::int64_t most_bytes,
                   const FindBackend& backend_of);
  ~DispatchedLayers();
  DispatchedLayers(const DispatchedLayers&) = delete;
  DispatchedLayers& operator=(const DispatchedLayers&) = delete;

  // What each layer's tasks were, by its name and in order: so many requests, one after the other, each layer
  // making so many bytes. The first requests, which find everything cold, are left out. Two layers or more.
  std::map<std::string, std::vector<Span>> Run(const std::vector<DispatchedLayer>& layers,
                                               std::int64_t requests, std::int64_t bytes);

 private:
  class Work;

  Platform platform_;                                 // the two units alone
  std::vector<std::unique_ptr<UnitThread>> threads_;  // theirs
  std::vector<Buffer> own_;                           // per unit: what it works in
  std::vector<Buffer> tensors_;                       // per layer
  std::int64_t most_bytes_;
  std::int64_t turns_;  // of a loop that a layer goes through
};

}  // namespace tandem
