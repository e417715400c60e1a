// Room device/processor: the seam to the backends: processors, executables, memory, parts.
//
// What runs layers: an open unit of the platform, and the parts of models that were made ready to run on it.
// A backend implements these two; the profiler, the harness, `infer` and the contract tests use nothing else.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/processor/tensor_memory.h"
#include "profiles/base/time.h"
#include "profiles/model/layer_parts.h"
#include "profiles/model/model.h"
#include "profiles/model/weights.h"

namespace tandem {

// Which of a library's algorithms the steps of a segment run, by the first layer of each, as the backend
// writes it; what counts for the segment as a whole under kWholeSegment. Only where there was a choice.
using KernelChoices = std::map<std::string, std::string>;
inline constexpr const char* kWholeSegment = "*";
// A choice ends so where no way, or but a few, were tried for lack of time.
inline constexpr std::string_view kUntried = ", untried", kFewTried = ", few tried";
inline bool IsUnfinished(std::string_view choice) {
  return choice.ends_with(kUntried) || choice.ends_with(kFewTried);
}

// A part of a model that runs in one go. Ids are those of `model`, which has the batch that is run;
// ascending.
struct SegmentSpec {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Weights> weights;
  std::string model_name;  // as scenarios call it: a name of the zoo or a file
  std::int64_t batch = 1;
  std::vector<LayerId> layers;   // without those of op input
  std::vector<LayerId> inputs;   // layers outside whose outputs it reads, those of op input among them
  std::vector<LayerId> outputs;  // layers of it whose outputs others read, or that leave the model
  bool part = false;           // `model` was made up for a part of some layers of the one that the name says
  std::optional<Nanos> takes;  // what a schedule counts for it: units that only wait need not look it up
  KernelChoices kernels;       // to be taken instead of choosing anew, as far as they can be had
  KernelChoices problems;      // the same by what is computed, for steps that those do not speak of

  bool WholeModel() const;  // that of the name
};

// `layers` (input layers are passed over) with what goes in and out of them.
SegmentSpec SegmentOf(std::shared_ptr<const Model> model, std::shared_ptr<const Weights> weights,
                      std::string model_name, std::span<const LayerId> layers);
SegmentSpec WholeSegment(std::shared_ptr<const Model> model, std::shared_ptr<const Weights> weights,
                         std::string model_name);

// What an executable does, one after the other.
struct ExecutionStep {
  std::vector<LayerId> layers;  // run as one; empty: a change of layout
  std::string how;              // "conv jit:avx512_core, bias, relu"; for people and the profile's notes
};

struct ChosenKernels {
  KernelChoices choices;   // SegmentSpec::kernels that lead to the same executable
  bool anew = false;       // some of them were not taken from there
  KernelChoices problems;  // SegmentSpec::problems of all that was looked at, what was rejected among it
};

class Executable {
 public:
  virtual ~Executable() = default;

  // Runs once. One pointer for each of the spec's inputs and outputs, in its order: dense fp32 tensors in
  // plain order (batch, channels, height, width), aligned to 64 bytes, in the host's memory or in the
  // processor's own. Inputs in its host_memory() or managed_memory() are read where they lie, other host
  // tensors may be copied first. Back when the outputs are there. Throws EnvironmentError that names the
  // layer where a kernel fails, std::bad_alloc where memory runs out. Allocates nothing after its first run.
  virtual void Run(std::span<const float* const> inputs, std::span<float* const> outputs) = 0;

  // The same, and by the device's own clock the time from the begin of its first work to the end of its last:
  // what starting and waiting take is not in it. Nothing, and nothing is run, where it has no such clock.
  virtual std::optional<Nanos> RunOnDeviceClock(std::span<const float* const>, std::span<float* const>) {
    return std::nullopt;
  }

  // The steps in order of execution, and a run that notes when each of them ended (steady clock; one entry
  // per step). What cannot look inside has one step with all layers.
  virtual std::vector<ExecutionStep> Steps() const = 0;
  virtual void RunTimed(std::span<const float* const> inputs, std::span<float* const> outputs,
                        std::span<Nanos> ends) = 0;

  virtual ChosenKernels Kernels() const { return {}; }
  // Bytes that it holds, weights and scratch, as far as it knows.
  virtual std::int64_t Bytes() const { return 0; }
  // A program outside that keeps its outputs to itself says what they hash to; then `outputs` stay as they
  // were. Empty: the outputs were written.
  virtual std::string OutputHash() const { return {}; }
  // False: it computes nothing (emulated units), its outputs mean nothing.
  virtual bool Computes() const { return true; }
};

// All calls come from the thread that opened it, which it may pin.
class Processor : public Copier {
 public:
  // Where tensors lie that it works on at its full speed; the host's own where that is it.
  virtual TensorMemory& memory() { return HostMemory(); }
  // Host memory that it reads and writes without help, and copies from fastest.
  virtual TensorMemory& host_memory() { return HostMemory(); }
  // Memory that moves to whoever touches it, used where someone asks for it alone; null where there is none.
  // It gives no more than the processor's own memory has free.
  virtual TensorMemory* managed_memory() { return nullptr; }
  // What is free in memory(); nothing: nobody but the system tells, which counts it as the host's.
  virtual std::optional<MemoryRoom> Room() { return std::nullopt; }
  // Between those two, the host's plain memory, and managed_memory(), and within each.
  void Copy(float* to, const float* from, const TensorBlock& block) override;
  // The block of the whole tensor `to` from numbers that follow each other without gaps, in the same
  // memories. Run by run as it stands here: whoever can do all of them in one go does.
  virtual void Spread(float* to, const float* dense, const TensorBlock& block);

  // How urgent what it runs from here on is beside what other slots of its unit run: 0 is the most urgent,
  // greater numbers less. Backends that do not declare heeds_urgency run all alike. What it needs for an
  // urgency it has from the first call with that one on.
  virtual void SetUrgency(int /*urgency*/) {}

  // What it would run as one when the whole model is one segment: every layer but those of op input once, in
  // topological order of the groups' last layers. The same for every unit of a backend.
  virtual std::vector<std::vector<LayerId>> Groups(const Model& model) const = 0;
  // The library that it chooses algorithms of, with its version, and whatever else they were chosen for:
  // "oneDNN 2.6.3". Empty: there is nothing to choose.
  virtual std::string KernelLibrary() const { return {}; }
  // What trials of the layers of one model may take before it takes what is likely the best; nothing: it has
  // no such bound.
  virtual std::optional<Nanos> MostTrials() const { return std::nullopt; }
  // Makes a segment ready: packs weights, chooses algorithms. Throws EnvironmentError with the layer's name
  // where it cannot run one.
  virtual std::unique_ptr<Executable> Compile(const SegmentSpec& spec) = 0;
};

}  // namespace tandem
