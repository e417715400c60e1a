#include "device/backends/cuda/gpu/executable.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "device/backends/cuda/gpu/memory.h"
#include "profiles/base/joined.h"

namespace tandem::gpu {
namespace {

constexpr std::size_t kBorder = 256;      // of tensors in the executable's own memory
constexpr std::size_t kMostCallers = 8;   // sets of a caller's tensors that graphs are kept for
constexpr std::uintptr_t kReadable = 16;  // bytes that kernels read at once

std::size_t RoundedUp(std::size_t bytes) { return (bytes + kBorder - 1) / kBorder * kBorder; }

}  // namespace

GpuExecutable::GpuExecutable(GpuProgram program)
    : program_(std::move(program)), stream_(program_.context->stream()) {
  arena_bytes_ = RoundedUp(static_cast<std::size_t>(program_.memory.Allocate()));
  ListEdges();
  scratch_ = program_.context->Scratch(ScratchBytes());
  std::byte* const arena = scratch_->data() + staging_bytes_;
  for (std::vector<Edge>* edges : {&inputs_, &outputs_}) {
    for (Edge& edge : *edges) edge.fixed = scratch_->data() + edge.staging;
  }
  at_.Place(program_.memory, arena);
  at_.Set(program_.workspace, program_.workspace_bytes == 0 ? nullptr : arena + arena_bytes_);
  of_callers_.reserve(kMostCallers);
  program_.context->ReserveStaging(staging_bytes_);
}

void GpuExecutable::ListEdges() {
  for (const bool out : {false, true}) {
    for (const ValueId value : out ? program_.outputs : program_.inputs) {
      Edge edge;
      edge.value = value;
      edge.bytes = static_cast<std::size_t>(program_.memory.CountOf(value));
      edge.staging = staging_bytes_;
      staging_bytes_ += RoundedUp(edge.bytes);
      (out ? outputs_ : inputs_).push_back(edge);
    }
  }
}

bool GpuExecutable::Meet(Edge& edge, const void* caller) {
  edge.caller = static_cast<std::byte*>(const_cast<void*>(caller));  // steps never write to an input
  const std::optional<GpuPlace> place = PlaceOf(caller);
  if (!place) {
    edge.way = Edge::Way::kStaged;
    return true;
  }
  const bool own = place->card == &program_.context->card();
  const bool readable = reinterpret_cast<std::uintptr_t>(caller) % kReadable == 0;
  const bool here = own || place->space != Space::kCard;
  edge.way = readable && here ? Edge::Way::kDirect : Edge::Way::kCopied;
  return edge.way == Edge::Way::kCopied || place->space == Space::kCard;
}

void GpuExecutable::Bind(std::span<const float* const> inputs, std::span<float* const> outputs,
                         bool with_graph) {
  bool graph = with_graph && graph_ != nullptr;
  for (std::size_t i = 0; i < inputs_.size(); ++i) graph = Meet(inputs_[i], inputs[i]) && graph;
  for (std::size_t i = 0; i < outputs_.size(); ++i) graph = Meet(outputs_[i], outputs[i]) && graph;
  starts_ = graph ? GraphFor() : nullptr;
  BindAll();
}

GpuExecutable::CallersTensors& GpuExecutable::Met() {
  const auto found = std::find_if(of_callers_.begin(), of_callers_.end(),
                                  [&](const CallersTensors& known) { return known.tensors == met_; });
  if (found != of_callers_.end()) return *found;
  if (of_callers_.size() < kMostCallers) return of_callers_.emplace_back();
  return *std::min_element(
      of_callers_.begin(), of_callers_.end(),
      [](const CallersTensors& a, const CallersTensors& b) { return a.last_run < b.last_run; });
}

// One for the caller's own tensors where it comes with the same ones again, as requests do that take turns on
// a few sets of buffers; else that of the executable's tensors, and what lies elsewhere is copied there.
const Graph* GpuExecutable::GraphFor() {
  met_.clear();
  for (const std::vector<Edge>* edges : {&inputs_, &outputs_}) {
    for (const Edge& edge : *edges) met_.push_back(edge.way == Edge::Way::kDirect ? edge.caller : nullptr);
  }
  if (std::count(met_.begin(), met_.end(), nullptr) == std::ssize(met_)) return graph_.get();
  CallersTensors& caller = Met();
  caller.last_run = ++met_runs_;
  if (caller.tensors != met_) {
    caller.tensors = met_;
    caller.ready = false;
  } else if (caller.ready || CaptureFor(caller)) {
    return caller.graph.get();
  }
  for (std::vector<Edge>* edges : {&inputs_, &outputs_}) {
    for (Edge& edge : *edges) {
      if (edge.way == Edge::Way::kDirect) edge.way = Edge::Way::kCopied;
    }
  }
  return graph_.get();
}

void GpuExecutable::BindAll() {
  for (const std::vector<Edge>* edges : {&inputs_, &outputs_}) {
    for (const Edge& edge : *edges) {
      at_.Set(edge.value, edge.way == Edge::Way::kDirect ? edge.caller : edge.fixed);
    }
  }
  at_.FollowCaller();
}

void GpuExecutable::StageInputs() {
  std::byte* const staging = program_.context->staging();
  for (const Edge& edge : inputs_) {
    if (edge.way == Edge::Way::kStaged) std::memcpy(staging + edge.staging, edge.caller, edge.bytes);
  }
}

void GpuExecutable::CopyInputs() {
  std::byte* const staging = program_.context->staging();
  for (const Edge& edge : inputs_) {
    if (edge.way == Edge::Way::kStaged) stream_.Copy(edge.fixed, staging + edge.staging, edge.bytes);
    if (edge.way == Edge::Way::kCopied) stream_.Copy(edge.fixed, edge.caller, edge.bytes);
  }
}

void GpuExecutable::StartStep(GpuStep& step) {
  try {
    step.Start(stream_, at_);
  } catch (const EnvironmentError& error) {
    const Model& model = *program_.spec.model;
    const std::string names = Joined(step.layers(), ", ", [&](LayerId id) { return model.layer(id).name; });
    Fail((names.empty() ? "a change of form" : names) + " (" + step.how() + ")", error.what());
  }
}

void GpuExecutable::StartSteps() {
  for (const auto& step : program_.steps) StartStep(*step);
}

void GpuExecutable::Start() {
  if (starts_ == nullptr) return StartSteps();
  Guarded("its graph", [&] { stream_.Run(*starts_); });
}

void GpuExecutable::CopyOutputs() {
  std::byte* const staging = program_.context->staging();
  for (const Edge& edge : outputs_) {
    if (edge.way == Edge::Way::kStaged) stream_.Copy(staging + edge.staging, edge.fixed, edge.bytes);
    if (edge.way == Edge::Way::kCopied) stream_.Copy(edge.caller, edge.fixed, edge.bytes);
  }
}

void GpuExecutable::Finish() {
  Guarded("its kernels", [&] { stream_.Wait(); });
  std::byte* const staging = program_.context->staging();
  for (const Edge& edge : outputs_) {
    if (edge.way == Edge::Way::kStaged) std::memcpy(edge.caller, staging + edge.staging, edge.bytes);
  }
}

// What was started before must not write to tensors that the caller frees.
void GpuExecutable::Fail(const std::string& where, const std::string& why) {
  try {
    stream_.Wait();
  } catch (const EnvironmentError&) {  // the first failure is the one to tell
  }
  throw EnvironmentError(program_.spec.model->name() + ": " + where + ": " + why);
}

void GpuExecutable::Run(std::span<const float* const> inputs, std::span<float* const> outputs) {
  Bind(inputs, outputs, true);
  StageInputs();
  Guarded("copying what it reads", [&] { CopyInputs(); });
  Start();
  Guarded("copying what it made", [&] { CopyOutputs(); });
  Finish();
}

std::vector<ExecutionStep> GpuExecutable::Steps() const {
  std::vector<ExecutionStep> steps;
  for (const auto& step : program_.steps) steps.push_back({step->layers(), step->how()});
  if (!note_.empty()) steps.back().how += " [segment: " + note_ + "]";
  return steps;
}

std::int64_t GpuExecutable::Bytes() const {
  return static_cast<std::int64_t>(ScratchBytes() + staging_bytes_) + program_.constants.bytes();
}

}  // namespace tandem::gpu
