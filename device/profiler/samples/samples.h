// Room device/profiler/samples: what was measured, as it is kept, and what it says. Nothing here measures.
//
// What a profiler has measured so far: samples by what they are of. It is kept beside the result while that
// is unfinished, so that a later run can go on with it. File kind "profile-samples/1".
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/costs/profile.h"
#include "scenarios/exchange/profile_order.h"

namespace tandem {

// How a model is cut for measuring, and how its parts are run.
enum class ProfileCut : std::uint8_t { kWhole, kGroups, kLayers };
inline constexpr std::array<Named<ProfileCut>, 3> kProfileCutNames = {
    {{"whole", ProfileCut::kWhole}, {"groups", ProfileCut::kGroups}, {"layers", ProfileCut::kLayers}}};
// Those that are asked for.
std::vector<ProfileCut> CutsOf(const ProfileOrder& request);

// kInside: the steps of the whole model. kMapped: tensors in host memory, through a mapping. kDevice: the
// whole model by the unit's own clock. kCore: what the unit's thread keeps a core busy meanwhile, where the
// unit has such a clock.
enum class ProfileManner : std::uint8_t { kWarm, kCold, kInside, kMapped, kDevice, kCore };
inline constexpr std::array<Named<ProfileManner>, 6> kProfileMannerNames = {
    {{"warm", ProfileManner::kWarm},
     {"cold", ProfileManner::kCold},
     {"inside", ProfileManner::kInside},
     {"mapped", ProfileManner::kMapped},
     {"device", ProfileManner::kDevice},
     {"core", ProfileManner::kCore}}};

struct SampleSource {
  ProfiledModel model;
  std::string unit;
  ProfileCut cut = ProfileCut::kWhole;
  ProfileManner manner = ProfileManner::kWarm;
  std::string precision = "fp32";
  friend auto operator<=>(const SampleSource&, const SampleSource&) = default;
};

struct SampledPart {
  std::vector<std::string> layers;  // empty: a change of layout, or the whole model
  std::vector<Nanos> samples;
};

struct SourceSamples {
  std::vector<SampledPart> parts;
  bool done = false;
  std::vector<Nanos> readings = {};  // of the unit's yardstick, per pass; 0: it has none
  bool scaled = false;               // to another state than the one they were taken in; not kept
  std::vector<bool> held_back = {};  // per pass: clocks were, for the heat; may be shorter: not at all
};

// Copies of so many bytes from one memory of the platform to another.
struct TransferSource {
  std::string from, to;
  std::int64_t bytes = 0;
  friend auto operator<=>(const TransferSource&, const TransferSource&) = default;
};
struct TransferSamples {
  std::vector<Nanos> samples;
  bool done = false;
};

// A model beside another: what the curves say of it, set against what was measured.
struct PairCheck {
  std::string unit, model, beside, beside_model;
  double measured = 1;
  double curve = 1;
};

// The energy of models on one unit, above what it draws idle.
struct MeteredEnergy {
  std::string sensors;  // their names
  std::string why;      // nothing can be told; empty where it can
  double idle_w = 0;
  double busy_w = 0;                       // the most that a model came to
  std::map<ProfiledModel, double> joules;  // of one run; 0: too little to be told
};

// What a unit was like at one moment.
struct StateReading {
  Nanos took{0};           // its yardstick; 0: it has none
  bool held_back = false;  // clocks were, for the heat
};
// What a stretch of work between the two counts as: what came upon it disturbed it too.
StateReading Worse(const StateReading& before, const StateReading& after);
// Of a source's passes since the last one: they were so.
void NoteReading(const StateReading& reading, SourceSamples& source);
// Is it so? What nobody asked was not.
bool WasHeldBack(const std::vector<bool>& held_back, std::size_t at);

// What a yardstick read, and when; `at_once`: while others read theirs.
struct TimedReading {
  Nanos at{0}, took{0};
  bool at_once = false;
};

struct ProfilerSamples {
  std::uint64_t request = 0;  // HashOfMeasured
  std::string host;
  std::map<std::string, std::string> libraries;
  std::string reading;  // of the clock state that it was measured in; empty: none
  std::map<std::string, std::int64_t> yardstick_rows;            // by unit, of their work; 0: it has none
  std::map<std::string, std::vector<Nanos>> yardsticks;          // by unit, what they read, in order of time
  std::map<std::string, std::vector<Nanos>> yardsticks_at_once;  // of several units
  std::map<std::string, std::vector<bool>> held_back;  // by unit, per reading, with yardstick or not
  std::map<std::string, std::vector<bool>> held_back_at_once;
  std::map<std::string, std::vector<TimedReading>> readings;  // all that this run of the program read
  std::map<std::string, MachineCourse> machine;               // what earlier ones knew by theirs
  std::map<SampleSource, SourceSamples> sources;
  std::map<TransferSource, TransferSamples> transfers;
  std::vector<PartEntry> parts;
  std::vector<LoadEntry> loads;
  std::vector<KernelEntry> kernels;
  std::vector<DispatchEntry> dispatch;
  std::vector<CoRunningEntry> co_running;
  std::vector<TrafficEntry> traffic;
  std::vector<BackgroundEntry> background;
  std::vector<TogetherEntry> together;
  std::vector<HandOverEntry> hand_overs;
  std::vector<AfterIdleEntry> after_idle;
  std::vector<AfterOtherEntry> after_other;
  std::vector<RepeatedEntry> repeated;
  std::vector<SharingEntry> sharing;
  std::vector<MemoryEntry> memory;
  std::map<std::string, MeteredEnergy> energy;  // by LabelOf unit and precision, where it was asked for
  std::vector<PairCheck> pairs;
  std::vector<std::string> finished;                // measurements of parts, of co-running and loads, by name
  std::vector<std::string> notes;                   // what was left out and why
  Nanos overhead{0};                                // what measuring nothing at all comes to; not kept
  std::int64_t expected_bytes = 0, peak_bytes = 0;  // of this process; not kept
};

// Is the measurement of this name among those?
bool IsFinished(const ProfilerSamples& samples, std::string_view name);

// "resnet50", or "resnet50 with batch 4".
std::string TextOf(const ProfiledModel& model);
// "gpu0", or "gpu0 in fp16".
std::string LabelOf(const std::string& unit, const std::string& precision);

std::string ProfilerSamplesJson(const ProfilerSamples& samples);
ProfilerSamples ReadProfilerSamples(const JsonReader& root);  // throws InputError

}  // namespace tandem
