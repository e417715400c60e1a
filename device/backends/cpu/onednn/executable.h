// A compiled segment of the backend cpu: its steps, its arena, its weights.
#pragma once

#include <memory>
#include <vector>

#include "device/backends/cpu/onednn/assembler.h"
#include "device/backends/cpu/onednn/thread_team.h"

namespace tandem {

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(CpuProgram program, const ThreadTeam& team);

  void Run(std::span<const float* const> inputs, std::span<float* const> outputs) override;
  void RunTimed(std::span<const float* const> inputs, std::span<float* const> outputs,
                std::span<Nanos> ends) override;
  std::vector<ExecutionStep> Steps() const override;
  ChosenKernels Kernels() const override { return program_.kernels; }
  std::int64_t Bytes() const override;

 private:
  void BindCall(std::span<const float* const> inputs, std::span<float* const> outputs);
  void RunStep(CpuStep& step);

  CpuProgram program_;
  const ThreadTeam& team_;
  AlignedFloats arena_;
  Addresses at_;
};

}  // namespace tandem
