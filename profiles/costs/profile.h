// Room profiles/costs: boards, what was measured on them, and the table that answers what a layer costs
// where.
//
// What was measured, published or estimated of a platform: the times of models, groups of layers and single
// layers on its units, and of what surrounds them. File kind "profile/1".
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/base/json_reader.h"
#include "profiles/base/time.h"
#include "profiles/costs/machine_state.h"
#include "profiles/costs/platform.h"
#include "profiles/model/layer_parts.h"
#include "profiles/model/model.h"

namespace tandem {

enum class OriginKind : std::uint8_t { kMeasured, kPublished, kEstimated };
inline constexpr std::array<Named<OriginKind>, 3> kOriginKindNames = {
    {{"measured", OriginKind::kMeasured},
     {"published", OriginKind::kPublished},
     {"estimated", OriginKind::kEstimated}}};

// in_network: in the place where the layer runs, after its predecessors. warm: repeated alone. cold: caches
// emptied before each run.
enum class CacheMode : std::uint8_t { kInNetwork, kWarm, kCold };
inline constexpr std::array<Named<CacheMode>, 3> kCacheModeNames = {
    {{"in_network", CacheMode::kInNetwork}, {"warm", CacheMode::kWarm}, {"cold", CacheMode::kCold}}};

struct Origin {
  OriginKind kind = OriginKind::kMeasured;
  std::string source;                            // published: required
  std::string method;                            // estimated: required
  std::string host;                              // from here on, measured: required
  std::string date;                              // "2026-11-20", perhaps with "T09:15:00Z"
  std::map<std::string, std::string> clocks;     // "cpu0": "2400 MHz, performance"
  std::map<std::string, std::string> libraries;  // "onednn": "2.6.3"
  std::map<std::string, std::vector<std::int64_t>>
      threads;  // unit: the cores that its threads were pinned to
  std::optional<CacheMode> cache_mode;
  std::map<std::string, Nanos>
      yardsticks;  // unit: what the yardstick takes in the state that was measured in
  std::map<std::string, Nanos>
      yardsticks_at_once;  // the same, while others that can work beside it have theirs
  std::map<std::string, std::int64_t>
      yardstick_rows;  // unit: of the yardstick's work, where they are fewer than usual
  std::map<std::string, MachineCourse>
      machine;  // unit: how disturbed it was while this was measured; all units' begin and end together
  std::optional<double> error;  // relative standard error that all its times may share
  std::string note;
  std::vector<Origin> merged;  // of a profile that others were made one in: theirs; the rest is of them all
  friend bool operator==(const Origin&, const Origin&) = default;
};

// By how much all its times may lie off together: a profile that others were made one in is no surer than the
// least sure of them. Nothing: nobody knows, of what was measured the drift was not.
std::optional<double> ErrorOfAll(const Origin& origin);

// `median_us`, or `samples_us` and their lower median.
struct Timing {
  static constexpr std::size_t kFewSamples = 5;  // fewer may agree by chance
  Nanos median{0};
  std::vector<Nanos> samples;  // empty where the file gives the median alone
  bool to_fill_in = false;     // null in the file: nobody has said it yet; ReadProfile refuses it
  static Timing OfSamples(std::vector<Nanos> samples);  // at least one
  friend bool operator==(const Timing&, const Timing&) = default;
};

inline constexpr std::array<Named<bool>, 7> kPrecisions = {{{"fp32", true},
                                                            {"tf32", true},
                                                            {"fp16", true},
                                                            {"bf16", true},
                                                            {"int16", true},
                                                            {"int8", true},
                                                            {"int4", true}}};

// Of an element: "fp32", "tf32", "fp16", "int8", ...: a number of bits stands in the name.
std::int64_t BytesOfPrecision(std::string_view precision);

// A library and a precision of a unit: "cudnn" in fp32. A plan uses one per unit. Written "cudnn/fp32", or
// "fp32" where the library has no name.
struct Variant {
  std::string name;
  std::string precision = "fp32";
  std::string Text() const;
  friend auto operator<=>(const Variant&, const Variant&) = default;
};

// "entries": the time of a whole model, of a fused group or of one layer.
struct CostEntry {
  std::string model;
  std::string unit;
  std::vector<std::string> layers;  // empty: "*", the whole model
  std::int64_t batch = 1;           // inferences in one run; the time is the run's
  Variant variant;
  bool mapped = false;  // reads its inputs through a zero-copy mapping
  Timing time;
  std::optional<double> energy_j;  // of one run, above idle
  Shape input_shape;  // of one inference, {3, 227, 227}, where it is not the model's usual one; it documents
                      // the measurement, the entry counts for the model as a scenario names it
  // What measuring tells beside the time; of it `inside` alone counts, where groups run as one.
  std::optional<Nanos> cold;    // median with caches emptied before each run
  std::optional<Nanos> inside;  // median of the same layers as a step inside the whole model
  std::optional<Nanos> device;  // median of the whole model by the unit's own clock: nothing of starting it
  // Median of what the unit's thread kept a core busy meanwhile, starting it and waiting for it, where the
  // unit is no core itself.
  std::optional<Nanos> core;
  bool unstable = false;  // the samples did not come together
  friend bool operator==(const CostEntry&, const CostEntry&) = default;
};

// "parts": the time of `size` channels or rows of a layer, or of a few layers that run as one; whichever they
// are of them.
struct PartEntry {
  std::string model;
  std::string unit;
  std::vector<std::string> layers;
  SplitAxis axis = SplitAxis::kChannels;
  std::int64_t size = 0;
  std::int64_t batch = 1;
  Variant variant;
  Timing time;
  bool unstable = false;  // the samples did not come together
  friend bool operator==(const PartEntry&, const PartEntry&) = default;
};

// "transfers": one copy of so many bytes between two memories. Both directions are their own.
struct TransferEntry {
  std::string from, to;
  std::int64_t bytes = 0;
  Timing time;
  bool unstable = false;  // the samples did not come together
  friend bool operator==(const TransferEntry&, const TransferEntry&) = default;
};

// "loads": putting a model on a unit.
struct LoadEntry {
  std::string model;
  std::string unit;
  Variant variant;
  Timing time;
  friend bool operator==(const LoadEntry&, const LoadEntry&) = default;
};

// "dispatch": what starting a task on a unit costs beside its work; it counts instead of the platform's.
// `split`: what a part of a split layer costs instead, waiting for each other included.
struct DispatchEntry {
  std::string unit;
  Timing time;
  bool split = false;
  friend bool operator==(const DispatchEntry&, const DispatchEntry&) = default;
};

// "co_running": the work of `unit` (of one model, of some of its layers, or any) takes `slowdown` times as
// long while `beside` works: on that model or those layers, with that traffic to memory, or on anything.
struct CoRunningEntry {
  std::string unit;
  std::string model;                // empty: any
  std::vector<std::string> layers;  // empty: any; needs model
  std::string beside;
  std::string beside_model;                          // empty: any
  std::vector<std::string> beside_layers;            // empty: any; needs beside_model
  std::optional<double> beside_traffic_bytes_per_s;  // instead of beside_model
  double slowdown = 1;                               // 0.1..1000
  std::optional<double> error;                       // relative standard error of it
  friend bool operator==(const CoRunningEntry&, const CoRunningEntry&) = default;
};

// "traffic": what the work of a model (or of some of its layers) on `unit` costs others through what they
// share, as the traffic to memory that slows them as much. With it the slowdowns that `co_running` has by
// `beside_traffic_bytes_per_s` are a curve: beside this work it is read off, linearly, at this traffic.
struct TrafficEntry {
  std::string model;
  std::vector<std::string> layers;  // empty: the whole model, and any layers without an entry of their own
  std::string unit;
  double bytes_per_s = 0;
  friend bool operator==(const TrafficEntry&, const TrafficEntry&) = default;
};

// "together": the work of `unit` takes `slowdown` times as long while all of `beside`, two units or more,
// work; it counts instead of what `co_running` says of each of them alone.
struct TogetherEntry {
  std::string unit;
  std::string model;                // empty: any
  std::vector<std::string> layers;  // empty: any; needs model
  std::vector<std::string> beside;
  double slowdown = 1;  // 0.1..1000
  std::optional<double> error;
  friend bool operator==(const TogetherEntry&, const TogetherEntry&) = default;
};

// "hand_overs": what a task of `to` takes longer where its input, of so many bytes, was made by `from` and
// lies in a memory of both.
struct HandOverEntry {
  std::string from, to;
  std::int64_t bytes = 0;
  Timing time;
  bool unstable = false;  // the samples did not come together
  friend bool operator==(const HandOverEntry&, const HandOverEntry&) = default;
};

// "after_idle": work of `unit` takes `slowdown` times as long where the unit has idled for so long before it.
struct AfterIdleEntry {
  std::string unit;
  std::string model;  // empty: any
  Nanos idle{0};
  double slowdown = 1;  // 0.1..1000
  std::optional<double> error;
  friend bool operator==(const AfterIdleEntry&, const AfterIdleEntry&) = default;
};

// "after_other": work of `unit` takes `slowdown` times as long where the unit has done another model's since
// it last did this.
struct AfterOtherEntry {
  std::string unit;
  std::string model;                // empty: any
  std::vector<std::string> layers;  // empty: any; needs model
  double slowdown = 1;              // 0.1..1000
  std::optional<double> error;
  friend bool operator==(const AfterOtherEntry&, const AfterOtherEntry&) = default;
};

// "repeated": a task of these very layers takes `slowdown` times as long where its unit took one of them last
// so long before. Points of a curve.
struct RepeatedEntry {
  std::string unit;
  std::string model;
  std::vector<std::string> layers;  // of the segment; empty: "*", the whole model
  Nanos every{0};
  double slowdown = 1;  // 0.1..1000
  std::optional<double> error;
  friend bool operator==(const RepeatedEntry&, const RepeatedEntry&) = default;
};

// "sharing": of a unit whose time is shared, work takes `slowdown` times as long while so many tasks are on
// it at once, all like it. Points of a curve.
struct SharingEntry {
  std::string unit;
  std::string model;         // empty: any
  std::string beside_model;  // of the other tasks; empty: any
  bool apart = false;        // each in a program of its own
  std::int64_t at_once = 2;  // itself among them
  double slowdown = 2;       // 0.1..1000
  std::optional<double> error;
  friend bool operator==(const SharingEntry&, const SharingEntry&) = default;
};

// "memory": what a whole model takes of the unit's memory, weights and tensors and whatever the library wants
// beside: while it is made ready and runs, at most, and then as long as it is there.
struct MemoryEntry {
  std::string model;
  std::string unit;
  std::int64_t batch = 1;
  Variant variant;
  std::int64_t peak_bytes = 0, held_bytes = 0;  // held: never more than the peak
  friend bool operator==(const MemoryEntry&, const MemoryEntry&) = default;
};

// "kernels": which of its algorithms a library was found fastest with for these layers, as the unit's backend
// writes it. Without a model: for what is computed, whichever layer of whichever model does so.
struct KernelEntry {
  std::string model;  // empty: any
  std::string unit;
  std::vector<std::string> layers;  // of the segment; empty: "*", the whole model
  std::int64_t batch = 1;
  Variant variant;
  std::string library;  // "onednn 2.6.3"
  // By the first layer of a step, "*": of the segment; without a model by what is computed.
  std::map<std::string, std::string> choices;
  friend bool operator==(const KernelEntry&, const KernelEntry&) = default;
};

// "background": the work of `unit` takes `slowdown` times as long under a load from outside.
struct BackgroundEntry {
  std::string unit;
  std::int64_t load_pct = 0;        // 1..99
  std::string model;                // empty: any
  std::vector<std::string> layers;  // empty: any; needs model
  double slowdown = 1;              // 0.1..1000
  std::optional<double> error;      // relative standard error of it
  friend bool operator==(const BackgroundEntry&, const BackgroundEntry&) = default;
};

// "models": what the network was that a name or a path of the other lists stands for.
struct ModelStructure {
  std::string model;
  std::string structure;  // StructureOf
  friend bool operator==(const ModelStructure&, const ModelStructure&) = default;
};

struct Profile {
  std::string file;    // what messages call it, and what paths in it are relative to; not part of its JSON
  std::string inside;  // where it stands in that file, "/profiles/0"; empty: it is the file
  std::string
      platform;  // as written: a shipped board's name, a path, or the name of a board described elsewhere
  std::string note;
  Origin origin;
  std::vector<ModelStructure> models;
  std::vector<CostEntry> entries;
  std::vector<PartEntry> parts;
  std::vector<TransferEntry> transfers;
  std::vector<LoadEntry> loads;
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
  std::vector<KernelEntry> kernels;
  std::optional<std::uint64_t> hash_as_read;  // where it was changed since: what ProfileHash said before

  std::string At(std::string_view pointer) const {  // what a message about "/entries/0" opens with
    return file + ":" + inside + std::string(pointer);
  }
};

// Reads and judges what the file alone can tell, entries given twice among it; throws InputError.
Profile ReadProfile(const JsonReader& value);
// The same of one that was begun and that nothing is computed from: times may still have to be filled in.
Profile ReadBegunProfile(const JsonReader& value);
Profile ReadProfileFile(const std::filesystem::path& path);

// What `tandem check` adds: the platform, if it can be found (FindProfilePlatform), has the units and
// memories; every model can be loaded and has the layers. Throws InputError with the entry's place.
std::optional<Platform> FindProfilePlatform(const Profile& profile);
void CheckUnits(const Profile& profile, const Platform& platform);
void CheckModels(const Profile& profile);
void CheckProfile(const Profile& profile);  // all of these

// One entry in two profiles is an error that names both files; CombineProfiles (combine.h) before it settles
// what profiles of one board may share.
void CheckTogether(const std::vector<const Profile*>& profiles);

// One entry a line; reading it back and writing it again gives the same bytes.
std::string ProfileJson(const Profile& profile);

// FNV-1a-64 over ProfileJson, as it was read: a plan keeps it to know the profile that it was made from.
std::uint64_t ProfileHash(const Profile& profile);

// How profiles and scenarios agree on a model: a zoo name as it is, a file by its absolute path.
std::string ModelKey(std::string_view model, const std::filesystem::path& from);

// The same for all entries of a file: the file system is asked once per name.
class ModelKeys {
 public:
  explicit ModelKeys(std::filesystem::path from) : from_(std::move(from)) {}
  const std::string& Of(const std::string& model);

 private:
  std::filesystem::path from_;
  std::map<std::string, std::string> keys_;
};

}  // namespace tandem
