// What `tandem-device profile` is asked to measure. File kind "profile-request/1"; a scenario or plan file
// stands for what it needs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiles/base/time.h"
#include "profiles/costs/platform.h"
#include "profiles/model/layer_parts.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

struct ProfiledModel {
  std::string model;  // a name of the zoo or a file
  std::int64_t batch = 1;
  friend auto operator<=>(const ProfiledModel&, const ProfiledModel&) = default;
};

// Models beside each other: none measured; `curves`, every model beside a stressor of known traffic, and what
// each model's own traffic comes to; `pairs`, these and every model beside every other.
enum class CoRunningWish : std::uint8_t { kNone, kCurves, kPairs };
inline constexpr std::array<Named<CoRunningWish>, 3> kCoRunningWishNames = {
    {{"none", CoRunningWish::kNone}, {"curves", CoRunningWish::kCurves}, {"pairs", CoRunningWish::kPairs}}};

// Models on this unit while something else takes so many percent of its cores.
struct LoadWish {
  std::string unit;
  std::int64_t load_pct = 0;  // 1..99
  friend bool operator==(const LoadWish&, const LoadWish&) = default;
};

// Layers computed in two parts, the first of which has these shares of what they make (rounded to what they
// can be cut at): those named, or every group and layer that is measured, can be split and takes long enough.
struct PartsWish {
  struct Piece {
    std::string model;
    std::vector<std::string> layers;
    friend bool operator==(const Piece&, const Piece&) = default;
  };
  std::vector<SplitAxis> axes = {SplitAxis::kChannels, SplitAxis::kRows};
  std::vector<double> shares = {0.25, 0.5};
  Nanos least{50'000};
  std::vector<Piece> of;  // empty: all that take `least`
};

// A state of the board's clocks that everything is measured in, by commands of the user's on the board.
struct ClockState {
  std::string name;    // files are called by it
  std::string before;  // reaches it: "nvpmodel -m 2"; empty: it is as it is
  std::string read;    // tells it; empty: governors and limits of the cores do, where the system has them
  std::string expect;  // is in what is read; empty: whatever is read
  friend bool operator==(const ClockState&, const ClockState&) = default;
};

struct ProfileOrder {
  Platform platform;               // "device" is asked for before
  std::vector<std::string> units;  // those to be measured; empty: all that can be
  // Each unit of cores that is measured becomes one for each of these: its first core, its first two. Empty:
  // units are as they are.
  std::vector<std::int64_t> threads;
  std::vector<std::int64_t> batches;  // of the models that name none; empty: one
  std::vector<ProfiledModel> models;
  bool groups = true;   // each fused group as a segment of its own
  bool layers = false;  // each layer alone
  bool cold = false;    // and again with caches emptied before each run
  bool mapped = false;  // and again through a zero-copy mapping, where a unit has one
  std::map<std::string, std::vector<std::string>> variants;  // precisions by unit; others: fp32
  std::optional<PartsWish> parts;
  CoRunningWish co_running = CoRunningWish::kCurves;
  std::vector<LoadWish> background;
  bool hand_overs = false;  // what units of one memory cost each other by handing over what they make
  bool pauses = false;      // what models cost after their unit has idled
  bool switches = false;    // and after it has run another
  bool repeats = false;     // what groups and layers cost that are run again soon, request after request
  bool memory = false;      // what each whole model takes of it
  bool energy = false;      // of one run of each model, where a sensor tells
  double noise = 0.01;      // stop where the median is known this well: half width of its 95 % interval
  Nanos budget{0};          // for everything; 0: as long as it takes, at most a while per entry
  std::int64_t min_samples = 10;
  Nanos warm_up{200'000'000};            // and at least three runs
  std::uint64_t seed = 1;                // of weights, inputs and the order of measuring
  std::vector<ClockState> clock_states;  // empty: as it is, and not read back
};

// With a model for each batch and a unit for each number of threads, "cpu-t2" of "cpu", on a platform that
// has them: "tinker-threads" of "tinker". As it is where the platform is not known yet.
ProfileOrder Expanded(ProfileOrder request);

// Can a file be called so?
bool IsNameOfState(std::string_view name);

// Throws InputError. `options.device` stands for the platform "device". It comes expanded.
ProfileOrder ReadProfileOrder(const JsonReader& root, const ScenarioOptions& options = {});
// Of a request, scenario or plan.
ProfileOrder ReadProfileOrderFrom(const JsonReader& root, const ScenarioOptions& options = {});
// With the platform in place and models by absolute path: it reads the same anywhere on this machine.
std::string ProfileOrderJson(const ProfileOrder& request);

// What a scenario on this platform needs: its models on all units, groups or layers where a policy cuts at
// them, parts of these where one may split them, under the loads of its units; through a mapping where
// something comes by zero copy; hand-overs where models may be cut over units that share a memory, pauses
// where requests come by the clock, switches where there are several models, repeats where these may be cut;
// units of the backend cuda in the precision that it runs them in; energy where that is what counts.
ProfileOrder RequestFor(const Scenario& scenario);

}  // namespace tandem
