// For scripts/stress: `stress SECONDS SEED PLAN...` opens the library with each plan again and again, floods
// it with requests from several threads, cancels some, stops it at any moment, and looks whether each request
// was answered once and everything is given back. Meanwhile the wall clock jumps by days; a program that
// hangs is waited for a second instead of minutes; and with a plan whose name has "memory" in it large blocks
// are refused now and then. A plan whose name has "refused" in it cannot be opened; with every other one some
// requests have to be done.
#include <dirent.h>
#include <malloc.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "device/service/tandem_device.h"

namespace {

constexpr std::size_t kLargeBlock = 32 << 10;  // bytes: tensors alone are as large
std::atomic<bool> memory_runs_out{false};
std::atomic<unsigned> large_blocks{0};
std::atomic<long> refused_blocks{0}, wall_clock_reads{0};

bool IsRefused(std::size_t bytes) {
  if (bytes < kLargeBlock || !memory_runs_out) return false;
  if (++large_blocks % 97 != 0) return false;
  ++refused_blocks;
  return true;
}

}  // namespace

// These stand before those of the standard library. Inlined, g++ would find that free() gets what new made.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const block = IsRefused(bytes) ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto multiple = static_cast<std::size_t>(alignment);
  const std::size_t rounded = (bytes + multiple - 1) / multiple * multiple;
  void* const block = IsRefused(bytes) ? nullptr : std::aligned_alloc(multiple, rounded);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  std::free(block);
}

// Nobody who looks at the wall clock sees the same day twice.
extern "C" int clock_gettime(clockid_t clock, timespec* time) {
  const long failed = ::syscall(SYS_clock_gettime, clock, time);
  if (clock == CLOCK_REALTIME) time->tv_sec += (wall_clock_reads++ % 7 - 3) * 86400;
  return static_cast<int>(failed);
}

// Who would wait for minutes waits for a second.
extern "C" int poll(pollfd* files, nfds_t count, int millis) {
  const int most = millis > 60'000 ? 1000 : millis;
  const timespec limit{most / 1000, most % 1000 * 1'000'000L};
  return static_cast<int>(::syscall(SYS_ppoll, files, count, most < 0 ? nullptr : &limit, nullptr, 0));
}

namespace tandem {
namespace {

using device::PlanService;
using device::RequestResult;
using device::RequestStatus;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostRequests = 3000;
constexpr double kHeapSlack = 256 << 10;  // bytes

std::size_t CountIn(const char* folder) {
  DIR* const open = ::opendir(folder);
  std::size_t count = 0;
  while (open != nullptr && ::readdir(open) != nullptr) ++count;
  if (open != nullptr) ::closedir(open);
  return count;
}

struct Held {
  double heap = 0;
  std::size_t files = 0, threads = 0;
};

Held HeldNow() {
  return {static_cast<double>(::mallinfo2().uordblks), CountIn("/proc/self/fd"), CountIn("/proc/self/task")};
}

// What became of the requests of one opening.
struct Answers {
  explicit Answers(std::size_t most) : of(most) {}
  std::vector<std::atomic<int>> of;  // callbacks, per request that was taken
  std::atomic<std::size_t> taken{0};
  std::atomic<int> done{0}, not_done{0}, wrong{0};
};

// It may have memory for nothing; then the request stays.
void Cancel(PlanService& service, std::uint64_t number) {
  try {
    service.Cancel(number);
  } catch (const device::DeviceFailure&) {
  }
}

void Send(PlanService& service, Answers& answers, std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  for (std::size_t k = 0; k < count; ++k) {
    const device::StreamInfo& stream = service.streams()[random() % service.streams().size()];
    const float value = static_cast<float>(random() % 100);
    const std::size_t place = answers.taken++;
    try {
      std::vector<std::vector<float>> inputs;
      for (const device::TensorInfo& tensor : stream.inputs) inputs.emplace_back(tensor.floats, value);
      const auto answered = [&answers, place, value](const RequestResult& result) {
        ++answers.of[place];
        ++(result.status == RequestStatus::kDone ? answers.done : answers.not_done);
        // The model doubles what is not negative.
        const bool told = result.status == RequestStatus::kDone && result.computed && !result.outputs.empty();
        if (told && result.outputs[0][0] != 2 * value) ++answers.wrong;
      };
      const std::uint64_t number = service.Submit(stream.name, std::move(inputs), answered);
      if (random() % 4 == 0) Cancel(service, number - random() % std::min<std::uint64_t>(number + 1, 20));
    } catch (
        const std::exception&) {  // it was stopped, its device is gone or memory ran out: it was not taken
      ++answers.of[place];
    }
    if (random() % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
  }
}

// As long as it lives.
class RunsOut {
 public:
  explicit RunsOut(bool does) { memory_runs_out = does; }
  ~RunsOut() { memory_runs_out = false; }
  RunsOut(const RunsOut&) = delete;
  RunsOut& operator=(const RunsOut&) = delete;
};

bool IsNamed(const std::string& plan, const char* word) {
  return std::filesystem::path(plan).filename().string().find(word) != std::string::npos;
}

// What has become of one plan in all rounds.
struct PlanSoFar {
  long openings = 0, refused = 0, done = 0;
  std::string why;  // the last one was refused
};

// What is wrong; empty: nothing.
std::string Round(const std::string& plan, std::mt19937_64& random, std::map<std::string, long>& counts,
                  PlanSoFar& so_far) {
  device::ServiceOptions options;
  options.force = options.allow_commands = true;
  options.on_drift = [](const device::DriftInfo&) {};
  Answers answers(4 * kMostRequests);
  try {
    PlanService service(plan, options);
    const bool short_of_memory = IsNamed(plan, "memory");
    const std::size_t most = short_of_memory ? kMostRequests / 10 : kMostRequests;
    const RunsOut runs_out(short_of_memory);
    std::vector<std::thread> threads;
    const std::size_t count = 1 + random() % 4;
    for (std::size_t t = 0; t < count; ++t) {
      threads.emplace_back(
          [&, seed = random(), sends = 1 + random() % most] { Send(service, answers, seed, sends); });
    }
    const bool stops = random() % 2 == 0;
    if (stops) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 30000));
      service.Stop();
    }
    for (std::thread& thread : threads) thread.join();
    if (!stops && random() % 2 == 0) service.Drain();
  } catch (const std::exception& error) {
    ++counts["openings refused"];
    ++so_far.refused;
    so_far.why = error.what();
    if (answers.taken == 0) return {};
    return error.what();
  }
  const std::size_t taken = answers.taken;
  for (std::size_t i = 0; i < taken; ++i) {
    if (answers.of[i] != 1)
      return "request " + std::to_string(i) + " was answered " + std::to_string(answers.of[i]) + " times";
  }
  counts["requests done"] += answers.done;
  so_far.done += answers.done;
  counts["requests stopped, cancelled, dropped or failed"] += answers.not_done;
  if (answers.wrong > 0)
    return std::to_string(answers.wrong) + " requests were answered with what the model does not give";
  if (::waitpid(-1, nullptr, WNOHANG) != -1) return "a program was left behind";
  return {};
}

std::string WrongWith(const std::string& plan, const PlanSoFar& so_far) {
  if (IsNamed(plan, "refused")) {
    return so_far.refused == so_far.openings ? "" : "it was opened, and cannot be by its name";
  }
  if (so_far.done > 0) return "";
  return "no request was done" + (so_far.why.empty() ? "" : "; it could not be opened: " + so_far.why);
}

bool WallClockJumps() {
  const auto one = std::chrono::system_clock::now(), other = std::chrono::system_clock::now();
  return one - other > std::chrono::hours(1) || other - one > std::chrono::hours(1);
}

int Stress(int seconds, std::uint64_t seed, const std::vector<std::string>& plans) {
  std::mt19937_64 random(seed);
  std::map<std::string, long> counts;
  std::map<std::string, PlanSoFar> by_plan;
  if (!WallClockJumps()) {
    std::printf("the wall clock does not jump: this is not the test that it should be\n");
    return 1;
  }
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  Held first;
  for (std::size_t round = 0; Clock::now() < end || round < 3 * plans.size(); ++round) {
    const std::string& plan = plans[round % plans.size()];
    ++by_plan[plan].openings;
    const std::string wrong = Round(plan, random, counts, by_plan[plan]);
    if (!wrong.empty()) {
      std::printf("round %zu, %s: %s\n", round, plan.c_str(), wrong.c_str());
      return 1;
    }
    ++counts["openings"];
    const Held now = HeldNow();
    if (round < 2 * plans.size()) {  // what is made once and kept
      first.heap = std::max(first.heap, now.heap);
      first.files = std::max(first.files, now.files);
      first.threads = std::max(first.threads, now.threads);
    } else if (now.heap > first.heap + kHeapSlack || now.files > first.files || now.threads > first.threads) {
      std::printf(
          "round %zu, %s: it holds %.0f KiB, %zu files and %zu threads; after the first rounds %.0f KiB, %zu "
          "and %zu\n",
          round, plan.c_str(), now.heap / 1024, now.files, now.threads, first.heap / 1024, first.files,
          first.threads);
      return 1;
    }
  }
  for (const auto& [plan, so_far] : by_plan) {
    const std::string wrong = WrongWith(plan, so_far);
    if (wrong.empty()) continue;
    std::printf("%s: %s\n", plan.c_str(), wrong.c_str());
    return 1;
  }
  counts["blocks of memory refused"] = refused_blocks;
  counts["looks at a wall clock that jumps"] = wall_clock_reads;
  for (const auto& [what, count] : counts) std::printf("%ld %s\n", count, what.c_str());
  return 0;
}

}  // namespace
}  // namespace tandem

int main(int count, char** words) {
  if (count < 4) {
    std::fprintf(stderr, "usage: stress SECONDS SEED PLAN...\n");
    return 2;
  }
  return tandem::Stress(std::atoi(words[1]), std::strtoull(words[2], nullptr, 10),
                        {words + 3, words + count});
}
