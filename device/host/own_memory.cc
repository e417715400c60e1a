#include "device/host/own_memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace tandem {
namespace {

constexpr int kLargeBlock = 1 << 20;
constexpr std::int64_t kKibibyte = 1024;

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
  return usage.ru_maxrss * kKibibyte;
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
