// A board: its units, the memories they work from and the links between those. File kind "platform/1".
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiles/base/ids.h"
#include "profiles/base/json_reader.h"
#include "profiles/base/time.h"
#include "profiles/costs/backend.h"

namespace tandem {

enum class UnitKind : std::uint8_t { kCpu, kGpu, kNpu, kVpu, kTpu, kDsp };
inline constexpr std::array<Named<UnitKind>, 6> kUnitKindNames = {{{"cpu", UnitKind::kCpu},
                                                                   {"gpu", UnitKind::kGpu},
                                                                   {"npu", UnitKind::kNpu},
                                                                   {"vpu", UnitKind::kVpu},
                                                                   {"tpu", UnitKind::kTpu},
                                                                   {"dsp", UnitKind::kDsp}}};

struct Memory {
  std::string name;
  std::optional<std::int64_t> capacity_bytes;  // unknown: not limited
  std::optional<double> bandwidth_bytes_per_s;
  std::string note = {};
};

struct Hub {  // what several links are plugged into
  std::string name;
  double bandwidth_bytes_per_s = 0;
  std::string note = {};
};

struct Link {  // works both ways
  MemoryId from, to;
  Nanos latency{0};
  double bandwidth_bytes_per_s = 0;
  bool engine = false;  // copies beside the unit's work
  HubId hub = {};       // that it is plugged into; none: into no other one's
  std::string note = {};
};

struct Watts {
  std::optional<double> idle, busy;
  double AboveIdle() const { return busy.value_or(idle.value_or(0)) - idle.value_or(0); }
};

// What a unit draws in a clock state: a variant of the profiles of that name.
struct StateWatts {
  std::string name;
  std::optional<double> idle_w, busy_w;
};

struct Unit {
  std::string name;
  UnitKind kind = UnitKind::kCpu;
  MemoryId memory;
  std::int64_t slots = 1;
  bool time_shared = false;  // so many tasks at a time take so many times as long
  bool preempts = false;     // those of the most urgent streams, while the others wait
  // So long each of the slots that share its time has it before it is the next one's turn; nothing: all go on
  // at once, as if it were no time at all. And what passes before the next one works.
  std::optional<Nanos> slice = {};
  Nanos switching{0};
  Nanos dispatch{0};
  std::optional<std::int64_t> resident_models;  // absent: as many as a scenario's `resident` says, or all
  // Memory on the chip for weights, shared by the models that are compiled together for it; null: it has none
  // that counts. What does not stay there comes with each task, at that rate.
  std::optional<std::int64_t> on_chip_bytes;
  std::optional<double> stream_bytes_per_s;
  std::optional<double> idle_w, busy_w;  // in states that do not say
  std::vector<StateWatts> states;
  std::string state = {};                       // that it is in; not of the file: a scenario says it
  const BackendDeclaration* backend = nullptr;  // null: it can be simulated, not run
  std::vector<std::int64_t> cores;              // units that share some exclude each other
  std::optional<std::int64_t> device;           // so do units of the same
  std::vector<std::string> command;             // of the user's program that drives it
  std::string note = {};

  Watts Draws() const;                                                     // in that state
  bool InClockState() const { return !states.empty() && !state.empty(); }  // somebody has to set it
  std::int64_t AtFullSpeed() const { return time_shared ? 1 : slots; }     // so many tasks at a time
  bool On(RunsOn what) const { return backend != nullptr && backend->runs_on == what; }
  bool OwnsCores() const { return backend != nullptr && backend->OwnsCores(); }
};

struct Price {
  double amount = 0;
  std::string currency;  // "USD"
};

struct Platform {
  std::string name;
  std::string note = {};  // "note" of the file: where the figures come from
  std::optional<Price> price;
  std::vector<Memory> memories;
  std::vector<Hub> hubs;
  std::vector<Link> links;
  std::vector<Unit> units;

  UnitId FindUnit(std::string_view name) const;
  MemoryId FindMemory(std::string_view name) const;
  HubId FindHub(std::string_view name) const;
  std::vector<std::string> UnitNames() const;
  const Unit& unit(UnitId id) const { return units[id.index()]; }
  // What a copy over the link has alone, in bytes a second: the least of the bandwidths of the link, of its
  // hub, and of the memories at its ends that have one.
  double AloneOver(const Link& link) const;
};

// For who looks up many: Platform::FindUnit goes through all of them.
class UnitNames {
 public:
  explicit UnitNames(const Platform& platform);  // outlives it, and its units stay as they are
  UnitId Find(std::string_view name) const;      // invalid: there is none

 private:
  std::unordered_map<std::string_view, UnitId> ids_;
};

// Do they share cores or a device? Then neither works while the other does.
bool Exclude(const Unit& a, const Unit& b);
// Two units of one memory that can be at work at once: what do they cost each other?
bool CanMeet(const Platform& platform, UnitId a, UnitId b);

// Reads and judges; throws InputError.
Platform ReadPlatform(const JsonReader& value);
Platform ReadPlatformFile(const std::filesystem::path& path);
std::string PlatformJson(const Platform& platform);

}  // namespace tandem
