#include "device/backends/cpu/onednn/thread_team.h"

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

#include "device/host/info.h"
#include "profiles/base/input_error.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#if defined(__x86_64__)
#include <xmmintrin.h>

#include "profiles/base/joined.h"
#endif

namespace tandem {
namespace {

thread_local std::uint64_t entered = 0;  // the team that this thread leads

#if defined(__x86_64__)
constexpr std::uint64_t kFlush = 0x8040;  // flush to zero, denormals are zero
std::uint64_t FloatControl() { return _mm_getcsr(); }
void SetFloatControl(std::uint64_t value) { _mm_setcsr(static_cast<unsigned>(value)); }
#elif defined(__aarch64__)
constexpr std::uint64_t kFlush = std::uint64_t{1} << 24;
std::uint64_t FloatControl() {
  std::uint64_t value;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void SetFloatControl(std::uint64_t value) { __asm__ volatile("msr fpcr, %0" : : "r"(value)); }
#else
constexpr std::uint64_t kFlush = 0;
std::uint64_t FloatControl() { return 0; }
void SetFloatControl(std::uint64_t) {}
#endif

bool PinTo(const std::vector<std::int64_t>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const std::int64_t core : cores) CPU_SET(static_cast<std::size_t>(core), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

// Without OpenMP of our own, oneDNN still has one that would use every core.
void SetThreads(int count) {
#ifdef _OPENMP
  omp_set_dynamic(0);
  omp_set_num_threads(count);
#else
  using Setter = void (*)(int);
  const auto set = reinterpret_cast<Setter>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set != nullptr) set(count);
#endif
}

// False: not all of its threads could be pinned.
bool PinTeam(const std::vector<std::int64_t>& cores, bool shared) {
  std::atomic<bool> pinned{true};
#ifdef _OPENMP
#pragma omp parallel num_threads(static_cast <int>(cores.size()))
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    if (omp_get_num_threads() != static_cast<int>(cores.size()) ||
        !PinTo(shared ? cores : std::vector{cores[thread]}))
      pinned = false;
    if (thread != 0) SetFloatControl(FloatControl() | kFlush);
  }
#else
  pinned = PinTo(shared ? cores : std::vector{cores[0]});
#endif
  return pinned;
}

std::string ListText(const std::vector<std::int64_t>& cores) { return Joined(cores); }

// Read once, before anything is pinned: afterwards a thread sees its own core alone.
const std::vector<std::int64_t>& ProcessCores() {
  static const std::vector<std::int64_t> cores = UsableCores();
  return cores;
}
[[maybe_unused]] const std::size_t core_count_at_start = ProcessCores().size();

}  // namespace

ThreadTeam::ThreadTeam(std::string unit, std::vector<std::int64_t> cores, bool shared)
    : unit_(std::move(unit)), cores_(std::move(cores)), shared_(shared) {
  static std::atomic<std::uint64_t> teams{0};
  id_ = ++teams;
  if (cores_.empty()) throw InputError(unit_ + ": backend cpu needs \"cores\", one thread runs on each");
  const std::vector<std::int64_t>& usable = ProcessCores();
  for (const std::int64_t core : cores_) {
    if (!std::binary_search(usable.begin(), usable.end(), core)) {
      throw InputError(unit_ + ": core " + std::to_string(core) +
                       " is not among those that this process may use: " + ListText(usable));
    }
  }
  if (std::set<std::int64_t>(cores_.begin(), cores_.end()).size() != cores_.size()) {
    throw InputError(unit_ + ": a core is named twice: " + ListText(cores_));
  }
#ifndef _OPENMP
  if (cores_.size() > 1) throw EnvironmentError(unit_ + ": built without OpenMP, units have one core");
#endif
  Enter();
}

ThreadTeam::~ThreadTeam() {
  if (entered != id_) return;
  PinTo(ProcessCores());
  entered = 0;
}

void ThreadTeam::Enter() const {
  if (entered == id_) return;
  SetThreads(static_cast<int>(cores_.size()));
  if (!PinTeam(cores_, shared_)) {
    throw EnvironmentError(unit_ + ": its threads cannot be pinned to cores " + ListText(cores_));
  }
  entered = id_;
}

FlushToZero::FlushToZero() : before_(FloatControl()) { SetFloatControl(before_ | kFlush); }
FlushToZero::~FlushToZero() { SetFloatControl(before_); }

}  // namespace tandem
