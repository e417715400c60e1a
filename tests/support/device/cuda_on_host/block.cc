#include "tests/support/device/cuda_on_host/block.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "profiles/base/check.h"
#include "tests/support/device/cuda_on_host/fiber.h"

namespace tandem::cuda_on_host {
namespace {

struct Barrier {
  unsigned size = 0, arrived = 0, passed = 0;
};

struct Warp {
  Barrier barrier;
  // By turns: whoever writes the third time has met those who read the first.
  std::array<std::array<unsigned, kWarp>, 2> words{};
};

unsigned ThreadNumber() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

// Of one thread of the host, which runs one block at a time.
class Block {
 public:
  void Run(const Place& extent, const std::function<void()>& thread) {
    const unsigned count = extent.x * extent.y * extent.z;
    thread_ = &thread;
    count_ = count;
    next_ = finished_ = 0;
    barrier_ = {count};
    warps_.assign((count + kWarp - 1) / kWarp, {});
    for (unsigned i = 0; i < count; ++i) ++warps_[i / kWarp].barrier.size;
    while (next_ < count_) Resume(IdleFiber());
    while (finished_ < count_) RunWaiting();
  }

  void Meet(Barrier& barrier) {
    if (++barrier.arrived == barrier.size) {
      barrier.arrived = 0;
      ++barrier.passed;
      ++progress_;
      return;
    }
    const Place place = threadIdx;
    for (const unsigned before = barrier.passed; barrier.passed == before;) {
      waiting_.push_back(running_);
      SwitchTo(*running_, home_);
    }
    threadIdx = place;
  }

  Barrier& barrier() { return barrier_; }
  Warp& warp() { return warps_[ThreadNumber() / kWarp]; }

 private:
  // A fiber that has no thread of the block half done.
  Fiber* IdleFiber() {
    if (idle_.empty()) {
      fibers_.push_back(std::make_unique<Fiber>([this] { RunThreads(); }));
      idle_.push_back(fibers_.back().get());
    }
    Fiber* const fiber = idle_.back();
    idle_.pop_back();
    return fiber;
  }

  void Resume(Fiber* fiber) {
    running_ = fiber;
    SwitchTo(home_, *fiber);
  }

  void RunThreads() {
    for (;;) {
      while (next_ < count_) {
        const unsigned number = next_++;
        threadIdx = {number % blockDim.x, number / blockDim.x % blockDim.y, number / blockDim.x / blockDim.y};
        (*thread_)();
        ++finished_;
        ++progress_;
      }
      idle_.push_back(running_);
      SwitchTo(*running_, home_);
    }
  }

  void RunWaiting() {
    const unsigned before = progress_;
    for (Fiber* const fiber : std::exchange(waiting_, {})) Resume(fiber);
    TANDEM_CHECK(progress_ != before, "all threads of a warp or block come to each of its barriers");
  }

  const std::function<void()>* thread_ = nullptr;
  unsigned count_ = 0, next_ = 0, finished_ = 0, progress_ = 0;
  Barrier barrier_;
  std::vector<Warp> warps_;
  Fiber home_;  // who called
  Fiber* running_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_, waiting_;
};

thread_local Block block;

}  // namespace

void RunBlock(const Place& extent, const std::function<void()>& thread) { block.Run(extent, thread); }
void MeetBlock() { block.Meet(block.barrier()); }
void MeetWarp() { block.Meet(block.warp().barrier); }
unsigned Lane() { return ThreadNumber() % kWarp; }

unsigned Exchange(unsigned word, unsigned lane) {
  Warp& warp = block.warp();
  auto& words = warp.words[warp.barrier.passed % 2];
  words[Lane()] = word;
  block.Meet(warp.barrier);
  return words[lane];
}

}  // namespace tandem::cuda_on_host
