#include "device/backends/cpu/onednn/executable.h"

#include <dnnl.hpp>
#include <utility>

#include "device/host/clock.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"

namespace tandem {
namespace {

constexpr std::size_t kMayReadBeyond = 16;  // floats behind a tensor that XNNPACK reads and leaves out

}  // namespace

CpuExecutable::CpuExecutable(CpuProgram program, const ThreadTeam& team)
    : program_(std::move(program)),
      team_(team),
      arena_(static_cast<std::size_t>(program_.memory.Allocate()) + kMayReadBeyond) {
  program_.spec.weights = nullptr;  // steps have packed them, or keep them
  at_.Place(program_.memory, arena_.data());
  for (const auto& step : program_.steps) step->Bind(at_);
}

void CpuExecutable::BindCall(std::span<const float* const> inputs, std::span<float* const> outputs) {
  // Steps never write to an input.
  for (std::size_t i = 0; i < inputs.size(); ++i) at_.Set(program_.inputs[i], const_cast<float*>(inputs[i]));
  for (std::size_t i = 0; i < outputs.size(); ++i) at_.Set(program_.outputs[i], outputs[i]);
  at_.FollowCaller();
}

void CpuExecutable::RunStep(CpuStep& step) {
  const auto fail = [&](const std::exception& error) {
    const Model& model = *program_.spec.model;
    const std::string names =
        Joined(step.layers(), ", ", [&](const LayerId id) { return model.layer(id).name; });
    throw EnvironmentError(model.name() + ": " + (names.empty() ? "a change of layout" : names) + " (" +
                           step.how() + "): " + error.what());
  };
  try {
    step.Run(at_);
  } catch (const dnnl::error& error) {
    fail(error);
  } catch (const EnvironmentError& error) {  // XNNPACK's
    fail(error);
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
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    RunStep(*program_.steps[i]);
    if (!ends.empty()) ends[i] = SteadyNow();
  }
}

std::vector<ExecutionStep> CpuExecutable::Steps() const {
  std::vector<ExecutionStep> steps;
  for (const auto& step : program_.steps) steps.push_back({step->layers(), step->how()});
  return steps;
}

std::int64_t CpuExecutable::Bytes() const {
  auto bytes = static_cast<std::int64_t>(arena_.size() * sizeof(float));
  for (const auto& step : program_.steps) bytes += step->Bytes();
  return bytes;
}

}  // namespace tandem
