// What a PlanService counts while it runs; from any thread.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "device/service/running_medians.h"
#include "device/service/tandem_device.h"
#include "scenarios/trace/span.h"

namespace tandem {

class ServiceCounts {
 public:
  ServiceCounts(const Problem& problem, double drift);

  void Submitted(StreamId stream);
  void Answered(StreamId stream, const device::RequestResult& result);
  void CallbackFailed();
  // A step of a unit's slot has ended. A part that has left the profile by now.
  std::optional<device::DriftInfo> Ended(const Span& span);

  device::ServiceStatistics All() const;
  std::vector<RunningMedians::Place> Medians() const;

 private:
  struct OfStream {
    device::StreamStatistics counts;
    std::chrono::nanoseconds total{0};
    std::vector<std::chrono::nanoseconds> last;  // latencies
    std::size_t next = 0;
  };
  device::DriftInfo InfoOf(const RunningMedians::Place& place) const;

  const Problem* problem_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  RunningMedians medians_;
  std::vector<OfStream> streams_;
  std::vector<device::UnitStatistics> units_;
  std::uint64_t callback_failures_ = 0;
};

}  // namespace tandem
