// For scripts/soak: `soak PLAN MINUTES RATE` sends the library so many requests a second for so long, and
// looks each minute at the memory that the process holds and at latencies. Exit status 1 where a request has
// no answer, memory grew, or the median or the 99th percentile of latencies drifted or may have.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/service/tandem_device.h"
#include "profiles/base/statistics.h"
#include "tests/bench/drift.h"

namespace tandem {
namespace {

using device::PlanService;
using device::RequestResult;
using device::RequestStatus;
using Clock = std::chrono::steady_clock;

constexpr double kMostGrowth = 1 << 20;  // bytes in all,
constexpr double kMostOfARequest = 4;    // or of each request, whichever is more
constexpr double kMostDrift = 0.05, kMostDriftOfTail = 0.25;

double HeldBytes() {
  double pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// What came back in a minute. The list is as long as it gets from the start: it is not to be what grows.
class Minute {
 public:
  explicit Minute(std::size_t requests) { latencies_.reserve(2 * requests); }

  void Add(const RequestResult& result) {
    const std::lock_guard lock(mutex_);
    if (result.status != RequestStatus::kDone) ++failed_;
    if (latencies_.size() < latencies_.capacity())
      latencies_.push_back(static_cast<double>(result.latency.count()) / 1e6);
  }
  struct Latencies {
    std::size_t count = 0;
    double median = 0, p99 = 0;  // in ms
  };
  // Of all since then.
  Latencies Take() {
    const std::lock_guard lock(mutex_);
    if (latencies_.empty()) throw std::runtime_error("a minute without an answer");
    const Latencies taken = {latencies_.size(), LowerMedian(latencies_), Percentile(latencies_, 9900)};
    latencies_.clear();
    return taken;
  }
  std::uint64_t failed() const { return failed_; }

 private:
  std::mutex mutex_;
  std::vector<double> latencies_;
  std::uint64_t failed_ = 0;
};

// Noise is no reason to pass.
bool Drifts(const char* what, const std::vector<double>& minutes, double most) {
  const Drift drift = DriftOf(minutes, most);
  std::string told;
  switch (drift.verdict) {
    case DriftVerdict::kNone:
      told = "no drift";
      break;
    case DriftVerdict::kDrifts:
      told = "it DRIFTED";
      break;
    case DriftVerdict::kUnknown:
      told = "CANNOT BE TOLD, minutes differ too much: more of them, or a quieter machine";
      break;
    case DriftVerdict::kTooFew:
      told = "not judged, " + std::to_string(kLeastMinutesOfDrift) + " minutes tell";
  }
  std::printf("%s latency: %+.1f %% (%+.1f to %+.1f): %s\n", what, 100 * drift.middle, 100 * drift.low,
              100 * drift.high, told.c_str());
  return drift.verdict == DriftVerdict::kDrifts || drift.verdict == DriftVerdict::kUnknown;
}

int Judged(const std::vector<double>& bytes, const std::vector<double>& medians,
           const std::vector<double>& tails, double requests, std::uint64_t unanswered) {
  const double growth = LowerMedian(LastThird(bytes)) - LowerMedian(FirstThird(bytes));
  const bool grew = growth > std::max(kMostGrowth, kMostOfARequest * requests);
  std::printf("memory: %+.1f KiB from the first third of the time to the last: %s\n", growth / 1024,
              grew ? "it GREW" : "no growth");
  const bool median_drifts = Drifts("median", medians, kMostDrift);
  const bool tail_drifts = Drifts("p99", tails, kMostDriftOfTail);
  std::printf("requests without an answer, or with another than done: %llu\n",
              static_cast<unsigned long long>(unanswered));
  return grew || median_drifts || tail_drifts || unanswered > 0 ? 1 : 0;
}

int Soak(const std::string& plan, int minutes, int rate) {
  device::ServiceOptions options;
  options.on_drift = [](const device::DriftInfo&) {};
  PlanService service(plan, options);
  std::vector<std::vector<std::vector<float>>> inputs;
  for (const device::StreamInfo& stream : service.streams()) {
    auto& of = inputs.emplace_back();
    for (const device::TensorInfo& tensor : stream.inputs) of.emplace_back(tensor.floats, 0.5F);
  }
  const auto in_a_minute = static_cast<std::size_t>(rate) * 60;
  Minute minute(in_a_minute);
  std::vector<double> bytes, medians, tails;
  std::uint64_t sent = 0;
  const Clock::time_point begin = Clock::now();
  for (int m = 0; m <= minutes; ++m) {  // the first makes everything warm
    for (std::size_t k = 0; k < in_a_minute; ++k, ++sent) {
      std::this_thread::sleep_until(begin + std::chrono::nanoseconds(1'000'000'000 / rate) *
                                                static_cast<std::int64_t>(sent));
      const std::size_t s = sent % inputs.size();
      service.Submit(service.streams()[s].name, inputs[s],
                     [&](const RequestResult& result) { minute.Add(result); });
    }
    const Minute::Latencies taken = minute.Take();
    const double held = HeldBytes();
    std::printf("minute %d of %d: %zu answers, median latency %.3f ms, p99 %.3f ms, %.1f MiB\n", m, minutes,
                taken.count, taken.median, taken.p99, held / (1 << 20));
    std::fflush(stdout);
    if (m == 0) continue;
    bytes.push_back(held);
    medians.push_back(taken.median);
    tails.push_back(taken.p99);
  }
  service.Drain();
  std::uint64_t answered = 0;
  for (const device::StreamStatistics& stream : service.statistics().streams) answered += stream.completed;
  return Judged(bytes, medians, tails, static_cast<double>(sent), sent - answered);
}

}  // namespace
}  // namespace tandem

int main(int count, char** words) {
  const int minutes = count == 4 ? std::atoi(words[2]) : 0, rate = count == 4 ? std::atoi(words[3]) : 0;
  if (minutes < 1 || rate < 1) {
    std::fprintf(stderr, "usage: soak PLAN MINUTES RATE\n");
    return 2;
  }
  try {
    return tandem::Soak(words[1], minutes, rate);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "soak: %s\n", error.what());
    return 3;
  }
}
