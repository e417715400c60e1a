// The units of a scenario, opened for runs: a thread per slot, and on it the segments that were made ready.
// Plans for the same scenario take turns on them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/harness/functions.h"
#include "device/harness/kernels.h"
#include "device/harness/memories.h"
#include "device/processor/buffer.h"
#include "device/processor/model_store.h"
#include "device/threads/unit_thread.h"
#include "policies/problem/problem.h"

namespace tandem {

struct ReadySegment {
  std::unique_ptr<Executable> executable;  // null: the function runs it
  const StageFunction* function = nullptr;
  bool computes = true;
  bool warm = false;
};

// Per set of inputs each output, in order of its layer; empty where no unit computes the whole model.
struct WholeRun {
  std::vector<std::vector<Buffer>> outputs;
  UnitId unit;
};

// Per stream of the scenario 0 where its priority is the greatest, 1 where it is the next one, and so on.
std::vector<int> UrgencyOfStreams(const Scenario& scenario);

class HarnessUnits {
 public:
  // The scenario and the store outlive it. `seed`: of the inputs.
  HarnessUnits(const Scenario& scenario, ModelStore& store, std::uint64_t seed, FindBackend backend_of);
  // Prepared for the problem. `functions`: per segment, empty where units have kernels for it; of none where
  // there are none. On emulated units nothing is called.
  HarnessUnits(const Problem& problem, ModelStore& store, std::uint64_t seed, FindBackend backend_of,
               std::vector<StageFunction> functions = {});
  ~HarnessUnits();

  // Opens the units that the problem may use, makes ready on each slot what is resident there, and runs it
  // until it has its memory and its pages. What follows is about this problem until the next call. Throws
  // InputError, EnvironmentError.
  void Prepare(const Problem& problem);

  // Places are the slots of all units in order; null: that unit has nothing to run.
  std::size_t places() const { return slots_.size(); }
  UnitThread* thread(std::size_t place) { return slots_[place].thread.get(); }
  // The copy engines, which are the places after those, in the order of the platform's links.
  std::size_t engines() const { return engines_.size(); }
  JobThread& engine_thread(std::size_t engine) { return engines_[engine]->thread; }

  // Where tensors lie that units of that memory work on.
  TensorMemory& memory(MemoryId id) const { return *memories_[id.index()].memory; }
  // Whoever copies into that memory and out of it on the place's thread; null: the host's code where it reads
  // what lies there, else nobody.
  Copier* copier(std::size_t place, MemoryId id) const {
    return place < slots_.size() ? slots_[place].copiers.Of(id)
                                 : engines_[place - slots_.size()]->copiers.Of(id);
  }

  // How many requests may begin together on the unit; 1 where they run one by one.
  std::int64_t Together(SegmentId segment, UnitId unit) const {
    return std::max<std::int64_t>(1, std::ssize(times_together_[segment.index()][unit.index()]) - 1);
  }
  // On the place's own thread, inside a job given to thread(): `processor` is that job's. `together`: for so
  // many requests at once.
  ReadySegment& ReadyOn(std::size_t place, SegmentId segment, std::int64_t together, Processor& processor);
  // Lets go of models that `holds` (by ModelId) does not name, and makes ready anew all of `model`.
  void Load(std::size_t place, ModelId model, const std::vector<char>& holds, Processor& processor);

  // Null: the unit's own kernels run it.
  const StageFunction* FunctionOf(SegmentId segment, UnitId unit) const;

  // Of a part of a split layer: that of the whole layer.
  const SegmentSpec& spec(SegmentId segment) const { return *spec_of_segment_[segment.index()]; }

  // A few sets of inputs per model and batch, a buffer for each of the model's inputs.
  static constexpr std::size_t kInputSets = 3;
  const std::vector<Buffer>& Inputs(CutId cut, std::int64_t request) const {
    return inputs_of_cut_[cut.index()][static_cast<std::size_t>(request) % kInputSets];
  }

  // Since the last call: segments whose kernels are not those of the profile, a sentence for each reason.
  std::vector<std::string> TakeKernelNotices() { return kernels_.TakeNotices(); }

  // What the whole model gives on one unit alone, the most precise that runs it; on one of whole numbers, its
  // cores in fp32. Not while a run is under way.
  const WholeRun& RunWhole(CutId cut);

 private:
  struct SegmentKey {
    ModelId model;
    std::int64_t batch = 1;
    std::vector<LayerId> layers;  // empty: the whole model
    std::optional<LayerPart> part = {};
    friend auto operator<=>(const SegmentKey&, const SegmentKey&) = default;
  };
  struct Slot {
    UnitId unit;
    OpenedUnit opened;
    PlaceCopiers copiers;
    std::unique_ptr<UnitThread> thread;
    std::map<SegmentKey, ReadySegment> ready;            // the thread's own
    std::vector<std::vector<ReadySegment*>> by_segment;  // and how many requests less one; null: not ready
  };
  struct Engine {
    const Link* link = nullptr;
    PlaceCopiers copiers;
    JobThread thread;
  };
  using InputSets = std::vector<std::vector<Buffer>>;
  using ModelAtBatch = std::pair<ModelId, std::int64_t>;

  SegmentKey KeyOf(SegmentId segment, std::int64_t together = 1) const;
  std::vector<Nanos> TimesTogether(SegmentId segment, UnitId unit) const;
  const SegmentSpec& SpecOf(SegmentKey key);
  bool Uses(UnitId unit) const;
  std::vector<Slot*> SlotsByPrecision();
  OpenRequest RequestFor(UnitId unit) const;
  void Open(Slot& slot);
  void OpenUnits();
  Copier* OpenCopier(PlaceCopiers& copiers, UnitId owner, MemoryId memory) const;
  void OpenCopiers(Slot& slot, Processor& processor) const;
  void OpenEngine(Engine& engine) const;
  void MakeInputs();
  template <class Make>
  void Explained(const Slot& slot, const SegmentSpec& spec, const Make& make) const;
  void PrepareSlot(Slot& slot, Processor& processor);
  Variant VariantOf(UnitId unit) const { return scenario_->units[unit.index()].variant.value_or(Variant{}); }
  ReadySegment& Compile(Slot& slot, SegmentId segment, std::int64_t together, Processor& processor);
  std::vector<std::vector<Buffer>> RunInFloat(const Slot& slot, const SegmentSpec& spec,
                                              const InputSets& inputs) const;
  static std::vector<std::vector<Buffer>> RunAlone(Executable& executable, const SegmentSpec& spec,
                                                   const InputSets& inputs, TensorMemory& memory,
                                                   Processor& processor);

  const Scenario* scenario_;
  ModelStore* store_;
  std::uint64_t seed_;
  FindBackend backend_of_;
  ProfiledKernels kernels_;
  std::vector<StageFunction> functions_;
  std::vector<std::string> model_names_;
  const Problem* problem_ = nullptr;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::vector<HarnessMemory> memories_;  // per memory of the platform
  TensorMemory* inputs_memory_ = nullptr;
  std::map<SegmentKey, SegmentSpec> specs_;
  std::vector<const SegmentSpec*> spec_of_segment_;
  // Per segment and unit what 0, 1, ... requests take at once; empty: they run one by one.
  std::vector<std::vector<std::vector<Nanos>>> times_together_;
  std::map<ModelAtBatch, InputSets> inputs_;
  std::vector<std::span<const std::vector<Buffer>>> inputs_of_cut_;
  std::map<ModelAtBatch, WholeRun> whole_runs_;
};

}  // namespace tandem
