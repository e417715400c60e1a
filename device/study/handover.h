// `tandem-device handover`: what it costs to hand images to a unit with a memory of its own, by copies or
// through a mapping, in time and energy; study 002's comparison.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "device/energy/meter.h"
#include "device/processor/backend.h"
#include "device/profiler/bench/watch.h"
#include "device/study/heat_meanwhile.h"

namespace tandem {

// kCopy: from host memory of the kind that the unit copies from fastest. kPageable: from plain memory.
// kZeroCopy: the unit reads and writes the host's memory where it lies. kManaged: memory that moves itself.
enum class HandoverMode : std::uint8_t { kCopy, kPageable, kZeroCopy, kManaged };
inline constexpr std::array<Named<HandoverMode>, 4> kHandoverModeNames = {
    {{"copy", HandoverMode::kCopy},
     {"pageable", HandoverMode::kPageable},
     {"zero_copy", HandoverMode::kZeroCopy},
     {"managed", HandoverMode::kManaged}}};

struct HandoverRequest {
  Platform platform;
  std::string model;  // a name of the zoo or a file
  std::string unit;   // empty: the first with a memory of its own
  std::int64_t images = 100;
  std::vector<HandoverMode> modes = {HandoverMode::kCopy, HandoverMode::kPageable, HandoverMode::kZeroCopy};
  std::uint64_t seed = 1;
  std::filesystem::path kernel_store = {};  // KernelStore
  std::optional<Nanos> trials = {};         // OpenRequest::trials
  ClockSources clocks = {};                 // where heat and throttling are read
};

// One unit in one mode.
struct HandoverRow {
  std::string unit;
  std::optional<HandoverMode> mode;  // nothing: it works from the host's memory
  std::vector<Nanos> samples;        // of single images; empty: it could not be done
  std::string why_not;
  std::optional<double> joules, above_idle;  // of one image: all that the sensors count, and above idle
  std::string sensors, why_no_energy;
};

struct HandoverResult {
  std::string model, unit, platform;
  std::int64_t images = 0;
  std::vector<HandoverRow> rows;  // units of the host's memory first, then the modes in the order asked for
  HeatMeanwhile warmth;           // while all of them were measured
  bool stopped = false;
};

// An image is written where the mode wants it, handed over, run, and its result read back: all of that is
// timed, in every mode. The modes take turns of ten images in random order; energy is measured after that, in
// turns too, of as long as the sensors need. Throws InputError where unit or model are wrong,
// EnvironmentError where no unit has anything to compare.
HandoverResult CompareHandovers(const HandoverRequest& request, EnergyMeter& meter,
                                const ProfilerProgress& progress, const FindBackend& backend_of = BackendOf);

std::string HandoverJson(const HandoverResult& result);
std::string HandoverText(const HandoverResult& result, std::size_t width);

}  // namespace tandem
