#include "device/backends/cpu/onednn/executable.h"

#include <chrono>
#include <dnnl.hpp>
#include <utility>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

Nanos Now() { return std::chrono::duration_cast<Nanos>(std::chrono::steady_clock::now().time_since_epoch()); }

}  // namespace

CpuExecutable::CpuExecutable(const SegmentSpec& spec, const ThreadTeam& team, MemoryPlan memory,
                             std::vector<std::unique_ptr<CpuStep>> steps, std::vector<ValueId> inputs,
                             std::vector<ValueId> outputs)
    : model_(spec.model),
      weights_(spec.weights),
      team_(team),
      steps_(std::move(steps)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      arena_(static_cast<std::size_t>(memory.Allocate())) {
  at_.Resize(memory.size());
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const ValueId id(i);
    if (!memory.IsExternal(id)) {
      at_.Set(id, arena_.data() + memory.ArenaOffset(id));
    } else if (!memory.IsRoot(id)) {
      moving_.push_back({id, memory.RootOf(id), memory.OffsetOf(id)});
    }
  }
  for (const auto& step : steps_) step->Bind(at_);
}

void CpuExecutable::BindCall(std::span<const float* const> inputs, std::span<float* const> outputs) {
  // Steps never write to an input.
  for (std::size_t i = 0; i < inputs.size(); ++i) at_.Set(inputs_[i], const_cast<float*>(inputs[i]));
  for (std::size_t i = 0; i < outputs.size(); ++i) at_.Set(outputs_[i], outputs[i]);
  for (const Moving& part : moving_) at_.Set(part.value, at_[part.root] + part.offset);
}

void CpuExecutable::RunStep(CpuStep& step) {
  try {
    step.Run(at_);
  } catch (const dnnl::error& error) {
    std::string names;
    for (const LayerId id : step.layers()) names += (names.empty() ? "" : ", ") + model_->layer(id).name;
    throw EnvironmentError(model_->name() + ": " + (names.empty() ? "a change of layout" : names) + " (" +
                           step.how() + "): " + error.what());
  }
}

void CpuExecutable::Run(std::span<const float* const> inputs, std::span<float* const> outputs) {
  RunTimed(inputs, outputs, {});
}

void CpuExecutable::RunTimed(std::span<const float* const> inputs, std::span<float* const> outputs,
                             std::span<Nanos> ends) {
  team_.Enter();
  const FlushToZero flush;
  BindCall(inputs, outputs);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    RunStep(*steps_[i]);
    if (!ends.empty()) ends[i] = Now();
  }
}

std::vector<ExecutionStep> CpuExecutable::Steps() const {
  std::vector<ExecutionStep> steps;
  for (const auto& step : steps_) steps.push_back({step->layers(), step->how()});
  return steps;
}

std::int64_t CpuExecutable::Bytes() const {
  auto bytes = static_cast<std::int64_t>(arena_.size() * sizeof(float));
  for (const auto& step : steps_) bytes += step->Bytes();
  return bytes;
}

}  // namespace tandem
