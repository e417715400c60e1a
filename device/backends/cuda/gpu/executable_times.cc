// What a segment takes: by step, by the card's clock, and started in one way or another.
#include <algorithm>
#include <cstdio>

#include "device/backends/cuda/gpu/executable.h"
#include "device/backends/cuda/gpu/memory.h"
#include "device/backends/cuda/gpu/trial.h"
#include "device/host/clock.h"
#include "device/processor/buffer.h"
#include "profiles/base/statistics.h"

namespace tandem::gpu {
namespace {

constexpr std::size_t kRuns = 9, kFirstRuns = 2;

std::string Text(const char* what, const GpuRunTimes& times) {
  char text[96];
  const auto microseconds = [](Nanos time) { return static_cast<double>(time.count()) / 1000; };
  std::snprintf(text, sizeof text, "%s %.1f us, %.1f of them to start", what, microseconds(times.done),
                microseconds(times.started));
  return text;
}

// Tensors as the caller's will be.
struct CallersTensors {
  CallersTensors(const GpuContext& context, const Model& model, std::span<const LayerId> layers) {
    for (const LayerId id : layers) {
      buffers.emplace_back(static_cast<std::size_t>(Elements(model.layer(id).output)),
                           MemoryOf(context.card(), context.options().tensors));
      at.push_back(buffers.back().data());
    }
  }
  std::vector<Buffer> buffers;
  std::vector<float*> at;
};

}  // namespace

void GpuExecutable::RunTimed(std::span<const float* const> inputs, std::span<float* const> outputs,
                             std::span<Nanos> ends) {
  while (events_.size() <= program_.steps.size()) events_.push_back(program_.context->card().MakeEvent());
  Bind(inputs, outputs, false);
  StageInputs();
  Guarded("copying what it reads", [&] {
    CopyInputs();
    stream_.Wait();
  });
  const Nanos start = SteadyNow();
  stream_.Record(*events_[0]);
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    StartStep(*program_.steps[i]);
    stream_.Record(*events_[i + 1]);
  }
  Guarded("copying what it made", [&] { CopyOutputs(); });
  Finish();
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = start + events_[i + 1]->Since(*events_[0]);
}

std::optional<Nanos> GpuExecutable::RunOnDeviceClock(std::span<const float* const> inputs,
                                                     std::span<float* const> outputs) {
  while (events_.size() < 2) events_.push_back(program_.context->card().MakeEvent());
  const bool graph = Bind(inputs, outputs, true);
  StageInputs();
  Guarded("copying what it reads", [&] {
    stream_.Record(*events_[0]);
    CopyInputs();
  });
  Start(graph);
  Guarded("copying what it made", [&] {
    CopyOutputs();
    stream_.Record(*events_[1]);
  });
  Finish();
  return events_[1]->Since(*events_[0]);
}

// With the addresses of the executable's own tensors, which stay. What is loaded or made when it is first
// started cannot be captured, so everything has been started by then.
void GpuExecutable::Capture() {
  for (std::vector<Edge>* edges : {&inputs_, &outputs_}) {
    for (Edge& edge : *edges) edge.way = Edge::Way::kCopied;
  }
  BindAll();
  StartSteps();
  Guarded("its graph", [&] {
    stream_.Wait();
    stream_.BeginCapture();
  });
  try {
    StartSteps();
  } catch (const EnvironmentError&) {
    try {
      stream_.EndCapture();
    } catch (const EnvironmentError&) {  // of the capture that failed already
    }
    throw;
  }
  Guarded("its graph", [&] { graph_ = stream_.EndCapture(); });
}

GpuRunTimes GpuExecutable::Measure(std::span<const float* const> inputs, std::span<float* const> outputs,
                                   bool graph) {
  std::vector<Nanos> started, done;
  for (std::size_t run = 0; run < kFirstRuns + kRuns; ++run) {
    const Nanos begin = SteadyNow();
    const bool use = Bind(inputs, outputs, graph);
    CopyInputs();
    Start(use);
    CopyOutputs();
    const Nanos away = SteadyNow();
    Finish();
    if (run < kFirstRuns) continue;
    started.push_back(away - begin);
    done.push_back(SteadyNow() - begin);
  }
  return {LowerMedian(started), LowerMedian(done)};
}

void GpuExecutable::ChooseStart(std::optional<bool> graph, bool timed) {
  timed = timed || !graph;
  if (!timed) return *graph ? Capture() : void();
  const CallersTensors from(*program_.context, *program_.spec.model, program_.spec.inputs);
  const CallersTensors to(*program_.context, *program_.spec.model, program_.spec.outputs);
  const std::vector<const float*> inputs(from.at.begin(), from.at.end());
  const std::lock_guard lock(MeasuringMutex());
  if (!graph.value_or(false)) launch_times_ = Measure(inputs, to.at, false);
  try {
    if (graph.value_or(true)) {
      Capture();
      graph_times_ = Measure(inputs, to.at, true);
    }
  } catch (const EnvironmentError& error) {
    if (graph) throw;
    graph_.reset();
    return AddNote(std::string("no graph: ") + error.what());
  }
  if (!graph && launch_times_->done <= graph_times_->done) graph_.reset();
}

std::optional<Nanos> GpuExecutable::time() const {
  const std::optional<GpuRunTimes>& times = graph_ ? graph_times_ : launch_times_;
  return times ? std::optional(times->done) : std::nullopt;
}

std::string GpuExecutable::StartText(Format format, bool graph) {
  return std::string(format == Format::kNhwc ? "nhwc" : "nchw") +
         (graph ? ", starts as a graph" : ", starts one by one");
}

void GpuExecutable::TakeStart(bool graph) {
  ChooseStart(graph, false);
  start_taken_ = true;
  AddNote(StartNote() + ", as it was chosen before");
}

ChosenKernels GpuExecutable::Kernels() const {
  ChosenKernels kernels = program_.kernels;
  kernels.choices[kWholeSegment] = StartText(program_.format, graph_ != nullptr);
  kernels.anew = kernels.anew || !start_taken_;
  return kernels;
}

std::string GpuExecutable::StartNote() const {
  std::string text = StartText(program_.format, graph_ != nullptr);
  if (graph_times_) text += ", " + Text("graph", *graph_times_);
  if (launch_times_) text += ", " + Text("one by one", *launch_times_);
  return text;
}

}  // namespace tandem::gpu
