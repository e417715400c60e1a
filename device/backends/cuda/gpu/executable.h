// A compiled segment of the GPU backend: its steps, where their tensors lie, and how they are started.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/backends/cuda/gpu/assembler.h"
#include "profiles/base/input_error.h"

namespace tandem::gpu {

// Of one run between tensors on the card: what the host takes to start it, and until all of it is done.
struct GpuRunTimes {
  Nanos started{0}, done{0};
};

class GpuExecutable final : public Executable {
 public:
  explicit GpuExecutable(GpuProgram program);

  // Decides how a run starts: as one graph or by one call after the other, measured where `graph` does not
  // say it. Once, before the first run.
  void ChooseStart(std::optional<bool> graph);
  // Instead: as an earlier choice was. Throws EnvironmentError where that cannot be.
  void TakeStart(bool graph);
  // What each takes, in turn, started as was chosen.
  static std::vector<GpuRunTimes> InTurn(const std::vector<GpuExecutable*>& executables);
  Format format() const { return program_.format; }
  // Said at the end of the steps' texts: what was measured and rejected.
  void AddNote(const std::string& note) { note_ += (note_.empty() ? "" : "; ") + note; }
  std::string StartNote() const;
  // Of another that was rejected for this one: what was found out is kept all the same.
  void NoteProblemsOf(const GpuExecutable& other) {
    program_.kernels.problems.insert(other.program_.kernels.problems.begin(),
                                     other.program_.kernels.problems.end());
  }
  static std::string StartText(Format format, bool graph);  // "nhwc, starts as a graph"
  static std::string TimesText(const GpuRunTimes& times);   // "12.5 us, 3.0 of them to start"

  void Run(std::span<const float* const> inputs, std::span<float* const> outputs) override;
  std::optional<Nanos> RunOnDeviceClock(std::span<const float* const> inputs,
                                        std::span<float* const> outputs) override;
  void RunTimed(std::span<const float* const> inputs, std::span<float* const> outputs,
                std::span<Nanos> ends) override;
  std::vector<ExecutionStep> Steps() const override;
  ChosenKernels Kernels() const override;
  std::int64_t Bytes() const override;

 private:
  // A tensor of the caller's, and the executable's own for it.
  struct Edge {
    enum class Way : std::uint8_t { kDirect, kCopied, kStaged };
    ValueId value;
    std::byte *fixed = nullptr, *caller = nullptr;
    std::size_t bytes = 0, staging = 0;  // where in the staging buffer
    Way way = Way::kDirect;
  };

  // What a caller came with, and where it came again a graph for these addresses.
  struct CallersTensors {
    std::vector<std::byte*> tensors;  // null: one that is copied into the executable's
    std::unique_ptr<Graph> graph;     // of these, or of others before: that is updated where one is wanted
    bool ready = false;               // of these
    std::uint64_t last_run = 0;
  };

  void ListEdges();
  std::size_t ScratchBytes() const { return staging_bytes_ + arena_bytes_ + program_.workspace_bytes; }
  // Looks where the caller's tensors lie, binds the steps to them, and says by what the run starts: by a
  // graph, which has addresses of its own, only where one can be used.
  void Bind(std::span<const float* const> inputs, std::span<float* const> outputs, bool with_graph);
  bool Meet(Edge& edge, const void* caller);  // false: it has to be used where it lies
  void BindAll();
  const Graph* GraphFor();

  void StageInputs();
  void CopyInputs();
  void StartSteps();
  void StartStep(GpuStep& step);
  void Start();
  void CopyOutputs();
  void Finish();  // waits, and hands over what was staged
  [[noreturn]] void Fail(const std::string& where, const std::string& why);
  template <class Work>
  void Guarded(const char* what, Work work) {
    try {
      work();
    } catch (const EnvironmentError& error) {
      Fail(what, error.what());
    }
  }

  void Capture();
  CallersTensors& Met();  // entered where it was not there, in place of what was not met for longest
  bool CaptureFor(CallersTensors& caller);  // false: it cannot be
  std::unique_ptr<Graph> Captured(std::unique_ptr<Graph> earlier);
  class Rounds;  // of one that is measured

  GpuProgram program_;
  CardStream& stream_;
  // Of the edges, of what lies between the steps, and of what a step uses while it runs.
  std::size_t staging_bytes_ = 0, arena_bytes_ = 0;
  std::shared_ptr<const GpuBuffer> scratch_;
  std::vector<Edge> inputs_, outputs_;
  GpuAddresses at_;
  std::unique_ptr<Graph> graph_;            // for the executable's own tensors
  std::vector<CallersTensors> of_callers_;  // the last that came
  std::vector<std::byte*> met_;             // in this run, as in `tensors`
  bool graphs_for_callers_ = true;          // until one cannot be made
  std::uint64_t met_runs_ = 0;
  const Graph* starts_ = nullptr;  // in this run; null: step by step
  bool start_taken_ = false;
  std::optional<GpuRunTimes> graph_times_, launch_times_;
  std::vector<std::unique_ptr<Event>> events_;  // the begin, then the end of each step
  std::string note_;
};

}  // namespace tandem::gpu
