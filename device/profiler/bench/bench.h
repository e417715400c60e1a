// Room device/profiler/bench: units and models ready to be measured, turns of them, states of units.
//
// The units and models that are measured: every unit has its thread, for each precision that it is measured
// in one, and counts as often here; every model is cut and compiled on each once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/host/heat.h"
#include "device/machine/yardstick.h"
#include "device/profiler/bench/profiled_chain.h"
#include "device/profiler/samples/samples.h"
#include "device/threads/unit_thread.h"

namespace tandem {

class ProfilerBench {
 public:
  // Opens every unit that is to be measured. Of the samples `notes` gets a sentence for each that is passed
  // over, and `kernels`, what all that is compiled was made of: what an earlier run measured with them counts
  // on. Throws InputError where no unit is left.
  ProfilerBench(const ProfileOrder& request, const FindBackend& backend_of, ProfilerSamples& samples,
                MakeYardstick yardstick_of = YardstickOf, ClockLimits limits = ClockLimits(),
                std::optional<Nanos> trials = {});
  ~ProfilerBench();
  ProfilerBench(const ProfilerBench&) = delete;
  ProfilerBench& operator=(const ProfilerBench&) = delete;

  std::size_t units() const { return units_.size(); }
  const Unit& unit(std::size_t unit) const { return *units_[unit].unit; }
  // What choosing its kernels may take; empty where there is no such bound.
  std::string TrialsText(std::size_t unit) const;
  const Variant& variant(std::size_t unit) const { return units_[unit].variant; }
  std::string Label(std::size_t unit) const;    // "gpu0", "gpu0 in fp16"
  bool IsFirstVariant(std::size_t unit) const;  // of its unit: what counts where entries have no variant
  bool OwnMemory(std::size_t unit) const { return units_[unit].own_memory; }  // beside the host's
  // Does it read host memory of a kind of its own where it lies, other than the memory that it works from?
  bool Maps(std::size_t unit) const { return units_[unit].maps; }
  UnitThread& thread(std::size_t unit) { return *units_[unit].thread; }
  CacheSweep& sweep(std::size_t unit);
  const ReadYardstick& yardstick(std::size_t unit) const { return units_[unit].yardstick; }
  const ClockLimits& clock_limits() const { return limits_; }
  // Is it one core that is busy while the unit works, so that its thread's own time tells what others took?
  TimedBy OwnTimeOf(std::size_t unit) const;

  const ProfiledModel& wish(std::size_t model) const { return request_->models[model]; }
  const Model& model(std::size_t model) const { return *graphs_[model]; }  // without its weights
  const ModelStore::Entry& Entry(std::size_t model);

  std::vector<std::size_t> FirstOfEachModel() const;  // whatever its batch

  // Null where the unit cannot run it, which is noted, and where the cut is the whole model. It stays until
  // one of the next two drops it.
  ProfiledChain* Chain(std::size_t unit, std::size_t model, ProfileCut cut);
  struct ChainAt {
    std::size_t unit = 0, model = 0;
    ProfileCut cut = ProfileCut::kWhole;
    friend auto operator<=>(const ChainAt&, const ChainAt&) = default;
  };
  // Would these find room beside what is there, within MostBytes, and so many bytes more?
  bool HasRoom(const std::vector<ChainAt>& wanted, std::int64_t beside = 0) const;
  // Where they do not, all others are dropped, sweeps too.
  void MakeRoom(const std::vector<ChainAt>& wanted, std::int64_t beside = 0);
  // Those that were read to make models ready: chains keep what they need of them.
  void ForgetWeights();
  // What the tensors of so many requests as a chain repeats its parts for come to, beside its own.
  std::int64_t BytesOfRequests(std::size_t model) const;
  // What this process is to come to: twice the largest model, and 200 MB for all else.
  std::int64_t MostBytes() const { return most_bytes_; }
  // With what compiling the second of a pair needs beside.
  std::int64_t ExpectedBytes() const;

  // On the unit's thread: a segment of a model, or a part of it, as it is measured and as plans run it.
  std::unique_ptr<Executable> Compiled(std::size_t unit, Processor& processor, SegmentSpec segment,
                                       const std::optional<LayerPart>& part = {});
  // Where its tensors lie.
  TensorMemory& MemoryOf(std::size_t unit, Processor& processor) const {
    return MemoryInPlans(processor, *units_[unit].unit);
  }

  // The unit once more, for another of its slots than 0, which thread() is; and a whole model there, null as
  // Chain is: it goes on that thread.
  std::unique_ptr<UnitThread> AnotherThread(std::size_t unit, std::int64_t slot) const;
  std::unique_ptr<ProfiledChain> ChainOn(UnitThread& thread, std::size_t unit, std::size_t model) {
    return Compile(thread, unit, model, ProfileCut::kWhole);
  }

  // May the two work at the same time?
  bool AtOnce(std::size_t a, std::size_t b) const;
  // And do they share a memory? Of others it is the thread that waits for one, and copies, that the other
  // feels: whole models alone are measured so.
  bool BesideEachOther(std::size_t a, std::size_t b) const;
  // The sets of those that may all work at once while this one does, none a part of another; where many may,
  // the one that the platform's order finds.
  std::vector<std::vector<std::size_t>> AllBeside(std::size_t unit) const;

 private:
  struct OpenUnit {
    UnitId id;
    const Unit* unit = nullptr;
    const DeviceBackend* backend = nullptr;
    Variant variant;
    bool own_memory = false, maps = false;
    std::unique_ptr<UnitThread> thread;
    std::map<ChainAt, std::unique_ptr<ProfiledChain>> chains;
    std::unique_ptr<CacheSweep> sweep;
    ReadYardstick yardstick;  // the thread's own; empty: it has none
    std::optional<Nanos> most_trials;
  };
  void LoadGraphs();
  std::int64_t BytesOf(const ChainAt& chain) const;
  bool HasWeightsOf(std::size_t model) const;
  void DropAllBut(const std::vector<ChainAt>& wanted);
  void OpenAll(UnitId id, const FindBackend& backend_of);
  void Open(UnitId id, const DeviceBackend& backend, Variant variant);
  void NoteUnfinished(std::size_t unit, const SegmentSpec& segment, const ChosenKernels& kernels);
  OpenRequest RequestFor(UnitId id, const Variant& variant) const;
  std::unique_ptr<ProfiledChain> Compile(UnitThread& thread, std::size_t unit, std::size_t model,
                                         ProfileCut cut);

  const ProfileOrder* request_;
  ProfilerSamples* samples_;
  MakeYardstick yardstick_of_;
  ClockLimits limits_;
  std::optional<Nanos> trials_;
  ModelStore store_;                                  // weights of one model
  std::size_t loaded_;                                // that one
  std::vector<std::shared_ptr<const Model>> graphs_;  // at their batches
  std::int64_t largest_ = 0, most_bytes_ = 0;
  std::map<ChainAt, std::int64_t> bytes_of_;  // those that were there
  std::vector<OpenUnit> units_;
};

}  // namespace tandem
