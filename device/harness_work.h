// What the slots of one run do: kernels on the tensors of the requests, loading, waiting where a processor is
// only emulated.
#pragma once

#include <string>
#include <vector>

#include "device/device_runner.h"
#include "device/harness_tensors.h"
#include "device/harness_units.h"

namespace tandem {

// What requests bring and what becomes of it. One call at a time; pointers are aligned as kernels want them.
struct RequestData {
  // The so manieth input of the task's model.
  virtual const float* Input(const Task& task, std::size_t input) = 0;
  // Where the task, on that place, puts `tensor` of its cut, an output of its model.
  virtual float* Output(const Task& task, std::int32_t tensor, std::size_t place) = 0;
  // The task has computed. `hash`: of a program that keeps its outputs to itself, else empty.
  virtual void Ended(const Task& task, UnitId unit, bool computes, const std::string& hash) = 0;

 protected:
  ~RequestData() = default;
};

class HarnessWork final : public SlotWork {
 public:
  // All outlive it; `units` is prepared for the problem. Throws EnvironmentError where the device cannot make
  // a copy that the plan may ask for.
  HarnessWork(const Problem& problem, const Dispatcher& dispatcher, HarnessUnits& units, LiveTensors& tensors,
              RequestData& requests);

  void Begin(std::size_t place, const Occupation& slot, Nanos work) override;
  void Do(std::size_t place) override;
  void Ended(std::size_t place) override;

  // On the place's thread, before it serves.
  void Enter(std::size_t place, Processor& processor) { desks_[place].processor = &processor; }

 private:
  struct Desk {
    UnitId unit;
    bool emulated = false;  // copies take their time by waiting
    Processor* processor = nullptr;
    StepKind kind = StepKind::kCompute;
    Task task;
    Nanos work{0};
    ReadySegment* segment = nullptr;  // that ran
    std::vector<const float*> reads;
    std::vector<float*> writes;
    std::vector<char> holds;  // per model: is it on the unit?
    std::string hash;
  };
  void BeginCompute(Desk& desk, std::size_t place);
  void Compute(Desk& desk, std::size_t place);

  const Problem* problem_;
  const Dispatcher* dispatcher_;
  HarnessUnits* units_;
  LiveTensors* tensors_;
  RequestData* requests_;
  std::vector<Desk> desks_;
  // Per segment, for each of the spec's inputs and outputs: the tensor of the cut, and for inputs of the
  // model which of them.
  struct Reading {
    std::int32_t tensor = -1;
    std::int32_t model_input = -1;
  };
  std::vector<std::vector<Reading>> readings_;
  std::vector<std::vector<std::int32_t>> makings_;
};

}  // namespace tandem
