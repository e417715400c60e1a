// Opens a backend's unit and runs segments of a model on it, for tests: inputs and outputs by layer, aligned
// as the contract says, outputs poisoned before each run.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/host/info.h"
#include "device/processor/backend.h"
#include "tests/support/device/reference_run.h"

namespace tandem {

inline const DeviceBackend& BackendNamed(const std::string& name) {
  Unit unit;
  unit.backend = &DeclaredBackend(name);
  return BackendOf(unit, "test");
}

// A unit of the backend on the `core`-th core of this process, or its only device.
class OpenUnit {
 public:
  explicit OpenUnit(const DeviceBackend& backend, std::size_t core = 0,
                    const std::string& precision = "fp32") {
    Unit unit;
    unit.name = "unit";
    unit.backend = &backend.about();
    const std::vector<std::int64_t> cores = UsableCores();
    if (unit.OwnsCores()) unit.cores = {cores[core % cores.size()]};
    platform_.memories = {{"dram", {}, {}}, {"own", {}, {}}};
    unit.memory = MemoryId(0);
    if (unit.backend->device == KeyUse::kNeeded) {
      unit.device = 0;
      unit.memory = MemoryId(1);
    }
    platform_.units = {unit};
    OpenRequest request;
    request.platform = &platform_;
    request.unit = UnitId(0);
    request.variant.precision = precision;
    processor_ = backend.Open(request);
  }
  Processor& operator*() const { return *processor_; }
  Processor* operator->() const { return processor_.get(); }

 private:
  Platform platform_;
  std::unique_ptr<Processor> processor_;
};

// A tensor on a cache line's border.
class AlignedTensor {
 public:
  explicit AlignedTensor(std::size_t count) : count_(count), storage_(count + 16) {
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
    first_ = storage_.data() + (64 - address % 64) % 64 / sizeof(float);
  }
  float* data() { return first_; }
  std::vector<float> values() const { return {first_, first_ + count_}; }
  void Poison() { std::fill(first_, first_ + count_, std::numeric_limits<float>::quiet_NaN()); }

 private:
  std::size_t count_;
  std::vector<float> storage_;
  float* first_;
};

using TensorsByLayer = std::map<LayerId, std::vector<float>>;

// Adds the segment's outputs to `tensors`, which has its inputs.
inline void RunExecutable(Executable& executable, const SegmentSpec& spec, TensorsByLayer& tensors) {
  std::vector<AlignedTensor> inputs, outputs;
  std::vector<const float*> from;
  std::vector<float*> to;
  const auto count = [&](LayerId id) {
    return static_cast<std::size_t>(Elements(spec.model->layer(id).output));
  };
  for (const LayerId id : spec.inputs) {
    const std::vector<float>& values = tensors.at(id);
    inputs.emplace_back(count(id));
    std::copy(values.begin(), values.end(), inputs.back().data());
  }
  for (const LayerId id : spec.outputs) {
    outputs.emplace_back(count(id));
    outputs.back().Poison();
  }
  for (AlignedTensor& tensor : inputs) from.push_back(tensor.data());
  for (AlignedTensor& tensor : outputs) to.push_back(tensor.data());
  executable.Run(from, to);
  for (std::size_t i = 0; i < outputs.size(); ++i) tensors[spec.outputs[i]] = outputs[i].values();
}

inline double RelativeError(const std::vector<float>& found, const std::vector<float>& expected) {
  double error = 0, norm = 0;
  if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference = static_cast<double>(found[i]) - static_cast<double>(expected[i]);
    error += difference * difference;
    norm += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
  }
  return norm == 0 ? std::sqrt(error) : std::sqrt(error / norm);
}

}  // namespace tandem
