// Room device/profiler: times measured here, of what works by itself; and the order of all measuring.
//
// `tandem-device profile`: measures on this machine what a request asks for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/energy/meter.h"
#include "device/host/clock_settings.h"
#include "device/machine/yardstick.h"
#include "device/processor/backend.h"
#include "device/profiler/bench/watch.h"
#include "device/profiler/beside/sharer.h"
#include "device/profiler/samples/samples.h"

namespace tandem {

struct ProfilerOptions {
  std::filesystem::path kept;  // of unfinished samples; empty: none
  bool resume = false;         // goes on with those
  ProfilerOnlooker onlooker;
  std::function<void(std::int64_t bytes)> expects;  // of memory, before it is taken
  EnergyMeter* meter = nullptr;                     // instead of this machine's sensors
  std::map<std::string, std::string> readings;      // of clock states that this one is not
  ClockSources clocks = {};                         // where they are read, and the heat
  FindBackend backend_of = BackendOf;
  MakeYardstick yardstick_of = YardstickOf;
  std::optional<Nanos> trials = {};         // OpenRequest::trials
  std::filesystem::path kernel_store = {};  // whose kernels are taken and added to; empty: none
  StartSharer start_sharer = {};            // MeasureSharing
};

struct ProfilerOutcome {
  Profile profile;
  ProfilerSamples samples;  // those that count
  bool stopped = false;     // before all was measured
};

// Of what is to be measured, not of how well and how long: samples count whatever budget they were taken in.
std::uint64_t HashOfMeasured(ProfileOrder request);

// Samples of the same request, made here with the same libraries and clocks as `reading` tells, or none of
// them yet. Throws InputError where what is kept is of something else.
ProfilerSamples KeptSamples(const ProfileOrder& request, const std::filesystem::path& kept,
                            const std::string& reading);

// Of its clock states the request has one at most. Throws InputError where the request cannot be met or the
// kept samples are of something else, EnvironmentError where a unit fails.
ProfilerOutcome MeasureProfile(const ProfileOrder& request, const ProfilerOptions& options);

}  // namespace tandem
