// A compiled segment of the backend cpu: its steps, its arena, its weights.
#pragma once

#include <memory>
#include <vector>

#include "device/backends/cpu/loops/step.h"
#include "device/backends/cpu/onednn/thread_team.h"
#include "device/lowering/memory_plan.h"

namespace tandem {

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(const SegmentSpec& spec, const ThreadTeam& team, MemoryPlan memory,
                std::vector<std::unique_ptr<CpuStep>> steps, std::vector<ValueId> inputs,
                std::vector<ValueId> outputs);

  void Run(std::span<const float* const> inputs, std::span<float* const> outputs) override;
  void RunTimed(std::span<const float* const> inputs, std::span<float* const> outputs,
                std::span<Nanos> ends) override;
  std::vector<ExecutionStep> Steps() const override;
  std::int64_t Bytes() const override;

 private:
  void BindCall(std::span<const float* const> inputs, std::span<float* const> outputs);
  void RunStep(CpuStep& step);

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const Weights> weights_;  // steps may point into them
  const ThreadTeam& team_;
  std::vector<std::unique_ptr<CpuStep>> steps_;
  std::vector<ValueId> inputs_, outputs_;
  AlignedFloats arena_;
  Addresses at_;
  // Values inside those that the caller brings: whose, and how far into it.
  struct Moving {
    ValueId value, root;
    std::int64_t offset;
  };
  std::vector<Moving> moving_;
};

}  // namespace tandem
