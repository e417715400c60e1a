// For scripts/soak: `soak PLAN MINUTES RATE` sends the library so many requests a second for so long, and
// looks each minute at the memory that the process holds and at latencies. Exit status 1 where a request has
// no answer, memory grew or latencies drifted.
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <mutex>
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

constexpr double kMostGrowth = 1 << 20;  // bytes in all,
constexpr double kMostOfARequest = 4;    // or of each request, whichever is more
constexpr double kMostDrift = 0.05;

double HeldBytes() {
  double pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
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
  // The median latency in ms, and the list is empty again.
  double Take(std::size_t& count) {
    const std::lock_guard lock(mutex_);
    count = latencies_.size();
    const double median = latencies_.empty() ? NAN : Median(latencies_);
    latencies_.clear();
    return median;
  }
  std::uint64_t failed() const { return failed_; }

 private:
  std::mutex mutex_;
  std::vector<double> latencies_;
  std::uint64_t failed_ = 0;
};

std::vector<double> Third(const std::vector<double>& all, bool last) {
  const auto third = static_cast<std::ptrdiff_t>(std::max<std::size_t>(all.size() / 3, 1));
  return last ? std::vector<double>(all.end() - third, all.end())
              : std::vector<double>(all.begin(), all.begin() + third);
}

double Spread(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high / *low - 1;
}

int Judged(const std::vector<double>& bytes, const std::vector<double>& medians, double requests,
           std::uint64_t unanswered) {
  const double growth = Median(Third(bytes, true)) - Median(Third(bytes, false));
  const double drift = Median(Third(medians, true)) / Median(Third(medians, false)) - 1;
  const bool grew = growth > std::max(kMostGrowth, kMostOfARequest * requests);
  const bool noisy = std::max(Spread(Third(medians, false)), Spread(Third(medians, true))) > std::abs(drift);
  const bool drifted = std::abs(drift) > kMostDrift && !noisy;
  std::printf("memory: %+.1f KiB from the first third of the time to the last: %s\n", growth / 1024,
              grew ? "it GREW" : "no growth");
  std::printf("median latency: %+.1f %%: %s\n", 100 * drift,
              drifted                        ? "it DRIFTED"
              : std::abs(drift) > kMostDrift ? "cannot be told, minutes differ by more than that"
                                             : "no drift");
  std::printf("requests without an answer, or with another than done: %llu\n",
              static_cast<unsigned long long>(unanswered));
  return grew || drifted || unanswered > 0 ? 1 : 0;
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
  std::vector<double> bytes, medians;
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
    std::size_t count = 0;
    const double median = minute.Take(count), held = HeldBytes();
    std::printf("minute %d of %d: %zu answers, median latency %.3f ms, %.1f MiB\n", m, minutes, count, median,
                held / (1 << 20));
    std::fflush(stdout);
    if (m == 0) continue;
    bytes.push_back(held);
    medians.push_back(median);
  }
  service.Drain();
  std::uint64_t answered = 0;
  for (const device::StreamStatistics& stream : service.statistics().streams) answered += stream.completed;
  return Judged(bytes, medians, static_cast<double>(sent), sent - answered);
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
