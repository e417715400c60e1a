#include "device/backends/cuda/card/card.h"

#include <algorithm>
#include <limits>
#include <map>
#include <new>
#include <string>

#include "device/backends/cuda/card/facts.h"
#include "device/backends/cuda/libraries/conv_trial.h"
#include "device/backends/cuda/libraries/cuda_check.h"
#include "device/backends/cuda/libraries/cudnn_library.h"
#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

constexpr Nanos kWarmAfter{100'000'000};
constexpr std::size_t kWorthALook = std::size_t{1} << 20;
constexpr int kLeastUrgent = std::numeric_limits<int>::max();

CardInfo InfoOf(const cudaDeviceProp& properties) {
  CardInfo info;
  info.name = properties.name;
  info.library = "cuDNN " + LoadCudnn().version;
  info.driver = DriverText(FindNvmlLibrary().get());
  info.major = properties.major;
  info.minor = properties.minor;
  info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  info.multiprocessors = properties.multiProcessorCount;
  info.integrated = properties.integrated != 0;
  info.warm_after = kWarmAfter;
  return info;
}

}  // namespace

CudaCard::CudaCard(int device) : device_(device) {
  cudaDeviceProp properties{};
  Check(cudaGetDeviceProperties(&properties, device), "looking at the card");
  info_ = InfoOf(properties);
  if (properties.unifiedAddressing == 0 || properties.canMapHostMemory == 0) {
    throw EnvironmentError("gpu" + std::to_string(device) +
                           ": the card and the host have no addresses in common, which is needed here");
  }
  shares_managed_ = properties.managedMemory != 0 && properties.concurrentManagedAccess != 0;
  Use();
  Check(cudaDeviceGetStreamPriorityRange(&priorities_.least, &priorities_.most), "asking for priorities");
}

void CudaCard::Use() const { Check(cudaSetDevice(device_), "choosing the card"); }

std::int64_t CudaCard::FreeBytes() {
  Use();
  std::size_t free = 0, all = 0;
  Check(cudaMemGetInfo(&free, &all), "asking for free memory");
  return static_cast<std::int64_t>(free);
}

CardRoom CudaCard::Room() {
  const std::int64_t free = FreeBytes();
  return {free, std::min(free, least_free_.exchange(free))};
}

// What others take meanwhile, too: it is the card's word. Asking takes a fraction of what taking memory does.
void CudaCard::NoteRoom() {
  const std::int64_t free = FreeBytes();
  std::int64_t least = least_free_.load();
  while (free < least && !least_free_.compare_exchange_weak(least, free)) {
  }
}

void* CudaCard::Allocate(Space space, std::size_t bytes) {
  Use();
  void* at = nullptr;
  bytes = std::max<std::size_t>(bytes, 1);
  switch (space) {
    case Space::kCard:
      Check(cudaMalloc(&at, bytes), "memory of the card");
      if (bytes >= kWorthALook) NoteRoom();
      break;
    case Space::kPinned:  // with addresses in common it lies at the same one for the card
      Check(cudaHostAlloc(&at, bytes, cudaHostAllocMapped | cudaHostAllocPortable), "pinned memory");
      break;
    case Space::kManaged:
      return AllocateManaged(bytes);
  }
  return at;
}

// More than is free would move to and fro between the card and the host instead of failing.
void* CudaCard::AllocateManaged(std::size_t bytes) {
  if (!shares_managed_) {
    throw EnvironmentError("managed memory: " + info_.name +
                           " does not let the host look at it while the card works; use zero_copy");
  }
  if (bytes > static_cast<std::size_t>(FreeBytes())) throw std::bad_alloc();
  void* at = nullptr;
  Check(cudaMallocManaged(&at, bytes, cudaMemAttachGlobal), "managed memory");
  return at;
}

// What goes wrong here is told by the next call.
void CudaCard::Free(Space space, void* at) noexcept {
  if (at == nullptr || cudaSetDevice(device_) != cudaSuccess) return;
  if (space == Space::kPinned) {
    cudaFreeHost(at);
  } else {
    cudaFree(at);
  }
}

std::unique_ptr<CardStream> CudaCard::MakeStream(int urgency) {
  return std::make_unique<CudaStream>(device_, priorities_, urgency);
}

std::unique_ptr<CardStream> CudaCard::MakePartStream(int parts, int part, int urgency) {
  Use();
  const std::lock_guard<std::mutex> lock(dividing_);
  auto& all = parts_[parts];
  if (all.empty()) all = MakeParts(device_, parts);
  return std::make_unique<CudaStream>(device_, priorities_, urgency, all.at(static_cast<std::size_t>(part)));
}

std::unique_ptr<Event> CudaCard::MakeEvent() { return std::make_unique<CudaEvent>(device_); }

cudnnHandle_t CudaCard::Asked() {
  Use();
  if (!trials_) trials_ = std::make_unique<CudaStream>(device_, priorities_, kLeastUrgent);
  return trials_->cudnn().get();
}

std::vector<ConvWay> CudaCard::ConvWays(const CardConv& problem, std::size_t most_workspace,
                                        std::size_t most) {
  const std::lock_guard<std::mutex> lock(asking_);
  const cudnnHandle_t handle = Asked();
  std::vector<ConvWay> ways = plans_.WaysOf(handle, problem, most_workspace, most);
  for (ConvWay& way : ListedWays(handle, problem, most_workspace)) ways.push_back(std::move(way));
  return WaysThatRun(*this, *trials_, problem, ways, most,
                     [&](const ConvWay& way) { return Make(problem, way); });
}

std::unique_ptr<Conv> CudaCard::MakeConv(const CardConv& problem, const ConvWay& way) {
  const std::lock_guard<std::mutex> lock(asking_);
  return Make(problem, way);
}

std::unique_ptr<Conv> CudaCard::Make(const CardConv& problem, const ConvWay& way) {
  const cudnnHandle_t handle = Asked();
  if (way.algorithm < kFirstEngineWay) return std::make_unique<CudnnConv>(problem, way);
  return std::make_unique<EngineConv>(problem, plans_.PlanOf(handle, problem, way));
}

// Never taken down: at the program's end the runtime may be gone before they are.
Card& RealCard(int device) {
  static std::mutex mutex;
  static auto* const cards = new std::map<int, std::unique_ptr<CudaCard>>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<CudaCard>& card = (*cards)[device];
  if (!card) card = std::make_unique<CudaCard>(device);
  return *card;
}

}  // namespace tandem::gpu
