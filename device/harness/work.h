// What the slots of one run do: kernels on the tensors of the requests, copies between memories, loading,
// waiting where a processor is only emulated.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "device/harness/device_runner.h"
#include "device/harness/moves.h"
#include "device/harness/tensors.h"
#include "device/harness/units.h"

namespace tandem {

// What requests bring and what becomes of it, in memory that the host reads. One call at a time; pointers are
// aligned as kernels want them.
struct RequestData {
  // The so manieth input of the task's model.
  virtual const float* Input(const Task& task, std::size_t input) = 0;
  // Where the task, on that place, puts `tensor` of its cut, an output of its model.
  virtual float* Output(const Task& task, std::int32_t tensor, std::size_t place) = 0;
  // The task has computed. `hash`: of a program that keeps its outputs to itself, else empty, of all that ran
  // `together` as one. Also called for a copy that was only waited for: nothing came of it.
  virtual void Ended(const Task& task, UnitId unit, bool computes, const std::string& hash,
                     std::size_t together) = 0;
  // Does anybody want what comes of the request? Of one that nobody wants no step works any more, nor copies.
  virtual bool IsWanted(const Task&) { return true; }
  // What its application knows it by.
  virtual std::uint64_t Number(const Task& task) { return static_cast<std::uint64_t>(task.index); }
  // Before Ended: the application's function has failed with it.
  virtual void Failed(const Task&, const std::string& /*why*/) {}

 protected:
  ~RequestData() = default;
};

class HarnessWork final : public SlotWork {
 public:
  // All outlive it; `units` is prepared for the problem.
  HarnessWork(const Problem& problem, const Dispatcher& dispatcher, HarnessUnits& units, LiveTensors& tensors,
              RequestData& requests);

  // Room for so many batches at once; more is made when it is needed.
  void Reserve(const RequestsInFlight& batches);

  void Begin(std::size_t place, const Occupation& slot, Nanos work) override;
  void Do(std::size_t place) override;
  void Ended(std::size_t place) override;

  // On the place's thread, before it serves.
  void Enter(std::size_t place, Processor& processor) { at_[place].processor = &processor; }

 private:
  struct Borrowed {
    std::int32_t tensor = 0;
    float* at = nullptr;
  };
  // Inputs and outputs of requests that are begun together, one behind the other, from the first step of
  // theirs to the last.
  struct Together {
    SegmentId segment;
    MemoryId memory;                    // of the units that run them
    std::vector<Buffer> reads, writes;  // per input and output of the segment
    StreamId stream;                    // of the first request; invalid: nobody is here
    std::int32_t index = -1;            // the same
    std::size_t to_leave = 0;           // outputs that are still to be copied away
  };
  // One of these tensors, of all of them, in a memory on its way over several links.
  struct Relay {
    SegmentId segment;
    std::int32_t tensor = -1;
    MemoryId memory;
    Buffer block;
    StreamId stream;  // of the first request; invalid: it is free
    std::int32_t index = -1;
  };
  struct Stretch {  // of a request in it
    const float* from = nullptr;
    float* to = nullptr;
    std::size_t count = 0;
    void Copy() const { std::copy_n(from, count, to); }
  };
  struct AtPlace {
    UnitId unit;
    MemoryId memory;
    bool emulated = false;  // copies take their time by waiting
    bool preempts = false;  // the unit does the urgent first
    Processor* processor = nullptr;
    StepKind kind = StepKind::kCompute;
    Step copy;
    bool waits = false;  // the copy: nothing is moved
    bool skips = false;  // nobody wants what would come of it: nothing is done
    Task task;
    Nanos work{0};
    ReadySegment* segment = nullptr;  // that ran
    std::vector<const float*> reads;
    std::vector<float*> writes;
    std::vector<Task> with;              // that were begun together with it
    std::vector<Stretch> before, after;  // what is brought together for them, and apart again
    std::vector<TensorMove> moves;       // copies, or what a task needs to have all of a tensor in one place
    std::vector<Borrowed> borrowed;      // for these
    std::vector<char> holds;             // per model: is it on the unit?
    std::string hash;
    std::vector<FunctionCall> calls;      // where a function runs it: one for each request
    std::vector<std::string> why_failed;  // per call; empty: it has not
  };
  // Per segment, for each of the spec's inputs: the tensor of the cut, and for inputs of the model which of
  // them.
  struct Reading {
    std::int32_t tensor = -1;
    std::int32_t model_input = -1;
    TransferMode mode = TransferMode::kCopy;
  };

  void AddSegment(SegmentId segment);
  void MakePlaces();
  void ReserveTogether();
  Together& MakeRoom(SegmentId segment, MemoryId memory);
  std::int64_t MostTogether(SegmentId segment, MemoryId memory) const;
  // Of the batch with that first request.
  Together& RoomOf(const Task& first, MemoryId memory);
  // Of every tensor of it that comes from the first memory or goes there over several links.
  void MakeRelays(SegmentId segment, MemoryId memory);
  Relay* FindRelay(const Task& first, std::int32_t tensor, MemoryId memory);
  Relay& TakeRelay(const Task& first, std::int32_t tensor, MemoryId memory, std::size_t together);
  const CutTensor& TensorOf(const Task& task, std::int32_t tensor) const {
    return problem_->cut(task.stream).tensors[static_cast<std::size_t>(tensor)];
  }
  bool EndsThere(const CutTensor& tensor, MemoryId memory) const {
    return tensor.leaves && (memory == MemoryId(0) || tensor.back != TransferMode::kCopy);
  }
  bool NobodyWants(const AtPlace& here) const;
  void BeginCopy(AtPlace& here, std::size_t place);
  void BeginCopyTogether(AtPlace& here, std::size_t place);
  void EndCopy(AtPlace& here);
  void EndCopyTogether(AtPlace& here);
  const float* Source(const AtPlace& here, std::int32_t tensor, MemoryId memory);
  void BeginCompute(AtPlace& here, std::size_t place);
  void BeginTogether(AtPlace& here, std::size_t place);
  void EndCompute(const AtPlace& here);
  void EndTogether(const AtPlace& here);
  const float* Read(AtPlace& here, std::size_t place, const Reading& reading);
  bool AllHere(const Task& task, std::int32_t tensor, MemoryId memory);
  const float* Gather(AtPlace& here, std::size_t place, std::int32_t tensor);
  MemoryId WhereItLies(const Task& task, std::int32_t tensor);
  void Compute(AtPlace& here, std::size_t place);
  void BeginFunction(AtPlace& here);
  void CallFunction(AtPlace& here);
  void EndFunction(const AtPlace& here);
  std::string CopyText(const AtPlace& here) const;

  const Problem* problem_;
  const Dispatcher* dispatcher_;
  HarnessUnits* units_;
  LiveTensors* tensors_;
  RequestData* requests_;
  TensorMoves moves_;
  std::vector<int> urgency_;  // per stream
  std::vector<AtPlace> at_;
  std::deque<Together> together_;
  std::deque<Relay> relays_;
  std::vector<std::vector<Reading>> readings_;
  std::vector<std::vector<std::int32_t>> makings_;
  std::vector<std::vector<std::int32_t>> model_input_;  // per cut and tensor; -1: it is none
  std::size_t most_ = 1;                                // tensors, parts counted, that a segment reads
};

}  // namespace tandem
