#include "device/host/own_memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>

namespace tandem {
namespace {

constexpr int kLargeBlock = 1 << 20;
constexpr std::int64_t kKibibyte = 1024;

// Before the system was last told to forget it.
std::atomic<std::int64_t>& EarlierPeak() {
  static std::atomic<std::int64_t> earlier = 0;
  return earlier;
}

}  // namespace

std::int64_t ResidentBytes() {
  std::ifstream stream("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  if (!(stream >> all >> resident)) return 0;
  return resident * ::sysconf(_SC_PAGESIZE);
}

std::int64_t PeakResidentBytes() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return std::max<std::int64_t>(usage.ru_maxrss * kKibibyte, EarlierPeak());
}

ResidentPeak::ResidentPeak() {
  EarlierPeak() = PeakResidentBytes();
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5";  // the high-water mark begins at what is there now
  clear.flush();
  begun_ = clear.good();
}

std::optional<std::int64_t> ResidentPeak::Bytes() const {
  std::ifstream status("/proc/self/status");
  for (std::string word; begun_ && status >> word;) {
    std::int64_t kibibytes = 0;
    if (word == "VmHWM:" && status >> kibibytes) return kibibytes * kKibibyte;
  }
  return std::nullopt;
}

void GiveLargeBlocksBack() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  mallopt(M_TRIM_THRESHOLD, kLargeBlock);
#endif
}

void GiveUnusedBack() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace tandem
