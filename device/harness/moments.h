// What the clocks and the heat are while a run is under way: looked at again and again beside it, and kept in
// its result.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/host/clock_settings.h"
#include "device/host/gpu_clocks.h"
#include "device/host/heat.h"
#include "profiles/costs/platform.h"
#include "scenarios/exchange/run_answer.h"
#include "scenarios/trace/span.h"

namespace tandem {

class MomentRecorder {
 public:
  static constexpr std::size_t kMost = 2000;  // beyond, every second one goes, and twice the time is between

  // Of the platform's units that work here: where none does, or nothing is told, no moment is kept.
  MomentRecorder(const Platform& platform, const ClockSources& sources, Nanos every);
  ~MomentRecorder();
  MomentRecorder(const MomentRecorder&) = delete;
  MomentRecorder& operator=(const MomentRecorder&) = delete;

  // It looks from now on, time zero, until Stop() or its own end.
  void Begin();
  // With a last one, of just now.
  std::vector<RunMoment> Stop();

 private:
  void AddCores(const Unit& unit, const std::filesystem::path& root);
  RunMoment Look() const;
  void Keep();
  void Watch();
  void End();

  struct UnitClock {
    std::string unit;
    std::set<std::filesystem::path> files;  // a core's or, where several have one clock, theirs; in kHz
  };
  ClockSources sources_;
  Nanos every_, begin_{0};
  std::vector<UnitClock> clocks_;
  ClockLimits limits_;
  GpuWatch cards_;
  bool looks_ = false;
  std::vector<RunMoment> moments_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::thread thread_;
};

// Sets beside each moment for what share of the time since the one before each unit was at work.
void AddBusy(std::span<const Span> spans, const Platform& platform, std::vector<RunMoment>& moments);

}  // namespace tandem
