// Room device/backends/cuda/card: the real card: CUDA runtime, streams, memory, clocks.
//
// A card through the CUDA runtime.
#pragma once

#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "device/backends/cuda/card.h"
#include "device/backends/cuda/card/stream.h"
#include "device/backends/cuda/libraries/cudnn_engines.h"

namespace tandem::gpu {

class CudaCard final : public Card {
 public:
  explicit CudaCard(int device);  // throws EnvironmentError where it cannot be had

  const CardInfo& info() const override { return info_; }
  std::int64_t FreeBytes() override;
  CardRoom Room() override;
  void* Allocate(Space space, std::size_t bytes) override;
  void Free(Space space, void* at) noexcept override;
  std::unique_ptr<CardStream> MakeStream(int urgency) override;
  std::unique_ptr<CardStream> MakePartStream(int parts, int part, int urgency) override;
  std::unique_ptr<Event> MakeEvent() override;
  // Those that cuDNN lists, its engines first, and that ran once on zeros.
  std::vector<ConvWay> ConvWays(const CardConv& problem, std::size_t most_workspace,
                                std::size_t most) override;
  std::unique_ptr<Conv> MakeConv(const CardConv& problem, const ConvWay& way) override;

 private:
  void Use() const;  // makes it the current one of this thread
  void* AllocateManaged(std::size_t bytes);
  void NoteRoom();

  int device_;
  CardInfo info_;
  bool shares_managed_ = false;  // with a host that looks while it works
  PriorityRange priorities_;
  std::atomic<std::int64_t> least_free_{std::numeric_limits<std::int64_t>::max()};  // since Room()
  cudnnHandle_t Asked();                                                            // under the lock
  std::unique_ptr<Conv> Make(const CardConv& problem, const ConvWay& way);

  std::mutex dividing_;
  std::map<int, std::vector<std::shared_ptr<const PartStreams>>> parts_;  // by how many they are

  // A stream and what is on it are used by one thread at a time.
  std::mutex asking_;
  std::unique_ptr<CudaStream> trials_;
  RecentPlans plans_;
};

}  // namespace tandem::gpu
