// What a segment takes: by step, by the card's clock, and started in one way or another.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>

#include "device/backends/cuda/gpu/executable.h"
#include "device/backends/cuda/gpu/memory.h"
#include "device/backends/cuda/gpu/trial.h"
#include "device/host/clock.h"
#include "device/processor/buffer.h"
#include "profiles/base/statistics.h"

namespace tandem::gpu {
namespace {

constexpr std::size_t kRuns = 9, kFirstRuns = 2;

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
  Bind(inputs, outputs, true);
  StageInputs();
  Guarded("copying what it reads", [&] {
    stream_.Record(*events_[0]);
    CopyInputs();
  });
  Start();
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
  graph_ = Captured(nullptr);
}

std::unique_ptr<Graph> GpuExecutable::Captured(std::unique_ptr<Graph> earlier) {
  Guarded("its graph", [&] {
    stream_.Wait();
    stream_.BeginCapture();
  });
  try {
    StartSteps();
  } catch (const EnvironmentError&) {
    try {
      stream_.EndCapture(nullptr);
    } catch (const EnvironmentError&) {  // of the capture that failed already
    }
    throw;
  }
  std::unique_ptr<Graph> graph;
  Guarded("its graph", [&] { graph = stream_.EndCapture(std::move(earlier)); });
  return graph;
}

bool GpuExecutable::CaptureFor(CallersTensors& caller) {
  if (!graphs_for_callers_) return false;
  BindAll();
  try {
    caller.graph = Captured(std::move(caller.graph));
    caller.ready = true;
  } catch (const EnvironmentError&) {  // the other graph does
    graphs_for_callers_ = false;
  }
  return caller.ready;
}

// Runs of it by one start, between tensors as the caller's will be.
class GpuExecutable::Rounds {
 public:
  Rounds(GpuExecutable& of, bool graph) : of_(of), graph_(graph) {
    const SegmentSpec& spec = of.program_.spec;
    for (const LayerId id : spec.inputs) inputs_.push_back(CallersTensor(id));
    for (const LayerId id : spec.outputs) outputs_.push_back(CallersTensor(id));
  }

  void Take() {
    const Nanos begin = SteadyNow();
    of_.Bind(inputs_, outputs_, graph_);
    of_.CopyInputs();
    of_.Start();
    of_.CopyOutputs();
    const Nanos away = SteadyNow();
    of_.Finish();
    started_.push_back(away - begin);
    done_.push_back(SteadyNow() - begin);
  }
  // The first ones were to become warm.
  GpuRunTimes Times() const {
    const auto median = [](const std::vector<Nanos>& times) {
      return LowerMedian(std::vector<Nanos>(times.begin() + kFirstRuns, times.end()));
    };
    return {median(started_), median(done_)};
  }
  // In turn, so that what changes meanwhile changes for all.
  static std::vector<GpuRunTimes> InTurn(std::vector<std::unique_ptr<Rounds>> all) {
    const std::lock_guard lock(MeasuringMutex());
    all.front()->of_.program_.context->WarmUp([&] { all.front()->Take(); });
    for (const auto& one : all) {
      one->started_.clear();
      one->done_.clear();
    }
    for (std::size_t run = 0; run < kFirstRuns + kRuns; ++run) {
      for (const auto& one : all) one->Take();
    }
    std::vector<GpuRunTimes> times;
    for (const auto& one : all) times.push_back(one->Times());
    return times;
  }

 private:
  float* CallersTensor(LayerId id) {
    const GpuContext& context = *of_.program_.context;
    const auto floats = static_cast<std::size_t>(Elements(of_.program_.spec.model->layer(id).output));
    return buffers_.emplace_back(floats, MemoryOf(context.card(), context.options().tensors)).data();
  }

  GpuExecutable& of_;
  bool graph_;
  std::vector<Buffer> buffers_;
  std::vector<const float*> inputs_;
  std::vector<float*> outputs_;
  std::vector<Nanos> started_, done_;
};

std::vector<GpuRunTimes> GpuExecutable::InTurn(const std::vector<GpuExecutable*>& executables) {
  std::vector<std::unique_ptr<Rounds>> all;
  for (GpuExecutable* const one : executables) {
    all.push_back(std::make_unique<Rounds>(*one, one->graph_ != nullptr));
  }
  return Rounds::InTurn(std::move(all));
}

void GpuExecutable::ChooseStart(std::optional<bool> graph) {
  if (graph) return *graph ? Capture() : void();
  try {
    Capture();
    std::vector<std::unique_ptr<Rounds>> both;
    for (const bool as_graph : {false, true}) both.push_back(std::make_unique<Rounds>(*this, as_graph));
    const std::vector<GpuRunTimes> times = Rounds::InTurn(std::move(both));
    launch_times_ = times[0];
    graph_times_ = times[1];
  } catch (const EnvironmentError& error) {
    graph_.reset();
    return AddNote(std::string("no graph: ") + error.what());
  }
  if (launch_times_->done <= graph_times_->done) graph_.reset();
}

std::string GpuExecutable::TimesText(const GpuRunTimes& times) {
  char text[96];
  const auto microseconds = [](Nanos time) { return static_cast<double>(time.count()) / 1000; };
  std::snprintf(text, sizeof text, "%.1f us, %.1f of them to start", microseconds(times.done),
                microseconds(times.started));
  return text;
}

std::string GpuExecutable::StartText(Format format, bool graph) {
  return std::string(format == Format::kNhwc ? "nhwc" : "nchw") +
         (graph ? ", starts as a graph" : ", starts one by one");
}

void GpuExecutable::TakeStart(bool graph) {
  ChooseStart(graph);
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
  if (graph_times_) text += ", graph " + TimesText(*graph_times_);
  if (launch_times_) text += ", one by one " + TimesText(*launch_times_);
  return text;
}

}  // namespace tandem::gpu
