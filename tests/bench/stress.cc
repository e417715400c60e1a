// For scripts/stress: `stress SECONDS SEED PLAN...` opens the library with each plan again and again, floods
// it with requests from several threads, stops it at any moment, and looks whether each request was answered
// once and everything is given back.
#include <dirent.h>
#include <malloc.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "device/service/tandem_device.h"

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

void Send(PlanService& service, Answers& answers, std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  for (std::size_t k = 0; k < count; ++k) {
    const device::StreamInfo& stream = service.streams()[random() % service.streams().size()];
    const float value = static_cast<float>(random() % 100);
    std::vector<std::vector<float>> inputs;
    for (const device::TensorInfo& tensor : stream.inputs) inputs.emplace_back(tensor.floats, value);
    const std::size_t place = answers.taken++;
    try {
      service.Submit(stream.name, std::move(inputs), [&answers, place, value](const RequestResult& result) {
        ++answers.of[place];
        ++(result.status == RequestStatus::kDone ? answers.done : answers.not_done);
        // The model doubles what is not negative.
        const bool told = result.status == RequestStatus::kDone && result.computed && !result.outputs.empty();
        if (told && result.outputs[0][0] != 2 * value) ++answers.wrong;
      });
    } catch (const std::exception&) {  // it was stopped, or its device is gone: this one was not taken
      ++answers.of[place];
    }
    if (random() % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
  }
}

// What is wrong; empty: nothing.
std::string Round(const std::string& plan, std::mt19937_64& random, std::map<std::string, long>& counts) {
  device::ServiceOptions options;
  options.force = options.allow_commands = true;
  options.on_drift = [](const device::DriftInfo&) {};
  Answers answers(4 * kMostRequests);
  try {
    PlanService service(plan, options);
    std::vector<std::thread> threads;
    const std::size_t count = 1 + random() % 4;
    for (std::size_t t = 0; t < count; ++t) {
      threads.emplace_back([&, seed = random(), sends = 1 + random() % kMostRequests] {
        Send(service, answers, seed, sends);
      });
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
    if (answers.taken == 0) return {};
    return error.what();
  }
  const std::size_t taken = answers.taken;
  for (std::size_t i = 0; i < taken; ++i) {
    if (answers.of[i] != 1)
      return "request " + std::to_string(i) + " was answered " + std::to_string(answers.of[i]) + " times";
  }
  counts["requests done"] += answers.done;
  counts["requests stopped, dropped or failed"] += answers.not_done;
  if (answers.wrong > 0)
    return std::to_string(answers.wrong) + " requests were answered with what the model does not give";
  if (::waitpid(-1, nullptr, WNOHANG) != -1) return "a program was left behind";
  return {};
}

int Stress(int seconds, std::uint64_t seed, const std::vector<std::string>& plans) {
  std::mt19937_64 random(seed);
  std::map<std::string, long> counts;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  Held first;
  for (std::size_t round = 0; Clock::now() < end || round < 3 * plans.size(); ++round) {
    const std::string& plan = plans[round % plans.size()];
    const std::string wrong = Round(plan, random, counts);
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
