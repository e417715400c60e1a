// Convolutions by the engines of cuDNN 9's graph interface.
#pragma once

#include <cudnn.h>

#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "device/backends/cuda/libraries/backend_descriptor.h"
#include "device/backends/cuda/libraries/conv_graph.h"
#include "device/backends/cuda/libraries/cudnn_conv.h"

namespace tandem::gpu {

inline constexpr int kFirstEngineWay = 1000;  // ConvWay::algorithm of engines begins here

// An engine that was made ready for a problem; it may have been compiled for it.
struct EnginePlan {
  std::shared_ptr<const ConvGraph> graph;
  BackendDescriptor config, plan;
  ConvWay way;
};

class EngineConv final : public CudnnWay {
 public:
  EngineConv(const CardConv& problem, std::shared_ptr<const EnginePlan> plan)
      : problem_(problem), plan_(std::move(plan)) {}
  void Run(cudnnHandle_t handle, const ConvArguments& arguments) const override;

 private:
  using Addresses = std::array<const void*, 6>;
  void Pack(const ConvArguments& arguments) const;
  void PackAnew(const Addresses& addresses) const;

  CardConv problem_;
  std::shared_ptr<const EnginePlan> plan_;
  // The last run's addresses, as cuDNN wants them: they seldom change.
  mutable std::mutex packing_;
  mutable Addresses packed_{};
  mutable std::unique_ptr<BackendDescriptor> pack_;
};

// The plans of the problems that were asked for last: to make one takes milliseconds to seconds. Before cuDNN
// 9 there are none.
class RecentPlans {
 public:
  // Of the first few engines that cuDNN proposes those that keep to the problem's math, give the same result
  // every time and fit; `most` of them.
  std::vector<ConvWay> WaysOf(cudnnHandle_t handle, const CardConv& problem, std::size_t most_workspace,
                              std::size_t most);
  // For one of those ways, and nobody else's: threads run theirs side by side. Throws EnvironmentError where
  // it cannot be made (again).
  std::shared_ptr<const EnginePlan> PlanOf(cudnnHandle_t handle, const CardConv& problem, const ConvWay& way);

 private:
  struct Entry {
    CardConv problem;
    std::vector<std::shared_ptr<const EnginePlan>> plans;
  };
  std::deque<Entry> entries_;
};

// May an engine of which cuDNN notes this be used for the math? Pure.
bool KeepsTo(Math math, const std::vector<cudnnBackendNumericalNote_t>& notes);

}  // namespace tandem::gpu
