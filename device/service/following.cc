#include "device/service/following.h"

#include <utility>

#include "profiles/base/check.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

const DependentArrival* LinkOf(const Scenario& scenario, std::size_t stream) {
  return std::get_if<DependentArrival>(&scenario.streams[stream].arrival);
}

std::string SizeOf(const device::TensorInfo& tensor) {
  return Quoted(tensor.layer) + " (" + std::to_string(Elements(tensor.shape)) + " numbers, " +
         std::to_string(tensor.bytes) + " bytes)";
}

}  // namespace

Following::Following(const Problem& problem, const ServedStreams& streams, bool on)
    : problem_(&problem), streams_(&streams), on_(on) {
  const Scenario& scenario = problem.scenario();
  followed_.resize(scenario.streams.size());
  joins_.resize(scenario.streams.size());
  made_.resize(scenario.streams.size());
  for (std::size_t s = 0; on && s < scenario.streams.size(); ++s) {
    const DependentArrival* const link = LinkOf(scenario, s);
    if (!link) continue;
    for (const StreamId above : link->WaitsFor()) followed_[above.index()] = 1;
    if (!link->joins.empty()) ++joins_[link->parent.index()];
    CheckFits(scenario, StreamId(s));
  }
}

void Following::CheckFits(const Scenario& scenario, StreamId stream) const {
  const DependentArrival& link = *LinkOf(scenario, stream.index());
  const device::StreamInfo& from = streams_->infos()[link.parent.index()];
  const device::StreamInfo& to = streams_->infos()[stream.index()];
  const std::string place = scenario.file + ":/streams/" + std::to_string(stream.index()) + ": stream " +
                            Quoted(to.name) + " follows " + Quoted(from.name);
  if (!link.data && !streams_->HasFunction(stream)) {
    throw InputError(place +
                     " without \"data\", and no function runs it: nothing would bring what it reads; "
                     "say \"data\": true in its \"depends_on\", or leave ServiceOptions::follow out");
  }
  if (!link.data) return;
  for (std::size_t i = 0; i < to.inputs.size(); ++i) {
    const bool there = i < from.outputs.size();
    if (there && from.outputs[i].bytes == to.inputs[i].bytes &&
        Elements(from.outputs[i].shape) == Elements(to.inputs[i].shape)) {
      continue;
    }
    throw InputError(place + " and reads " + SizeOf(to.inputs[i]) + ", for which there is " +
                     (there ? SizeOf(from.outputs[i]) : "no output") +
                     "; let a stage between them make what it reads");
  }
}

void Following::Begin(std::unique_ptr<ServiceRequest> request, std::int64_t index) {
  ending_ = std::move(request);
  ending_index_ = index;
  if (!Completes()) return;
  const std::size_t stream = ending_->stream.index();
  // A program that keeps its outputs to itself hands on nothing.
  const bool computed = ending_->result.computed && ending_->result.output_hash.empty();
  made_[stream][index] = {ending_->submission, ending_->outputs, computed, joins_[stream]};
}

std::unique_ptr<ServiceRequest> Following::Follower(StreamId stream, std::int64_t index) {
  const DependentArrival& link = *LinkOf(problem_->scenario(), stream.index());
  const Made& made = made_[link.parent.index()].at(index);
  auto request = streams_->Request(stream, made.submission);
  request->cancelled = made.submission->cancelled;
  if (link.data) {
    request->handed = made.outputs;
    request->result.computed = made.computed;
  } else {
    for (const device::TensorInfo& input : streams_->infos()[stream.index()].inputs) {
      request->inputs.emplace_back(static_cast<std::size_t>(Elements(input.shape)));
    }
  }
  if (!link.joins.empty()) Read(link.parent, index);
  return request;
}

// By one of those that join others; with the last it goes.
void Following::Read(StreamId parent, std::int64_t index) {
  const auto made = made_[parent.index()].find(index);
  if (made == made_[parent.index()].end()) return;
  const bool ends = ending_ && ending_->stream == parent && ending_->outputs == made->second.outputs;
  if (--made->second.joins <= 0 && !ends) made_[parent.index()].erase(made);
}

void Following::LeftOut(StreamId stream, std::int64_t index) {
  Read(LinkOf(problem_->scenario(), stream.index())->parent, index);
}

std::unique_ptr<ServiceRequest> Following::TakeEnded() {
  if (!ending_) return nullptr;
  auto& of_stream = made_[ending_->stream.index()];
  const auto made = of_stream.find(ending_index_);
  if (made != of_stream.end() && made->second.joins <= 0) of_stream.erase(made);
  return std::move(ending_);
}

void Following::Cancel(std::uint64_t number) {
  for (auto& of_stream : made_) {
    for (auto& [index, made] : of_stream) {
      if (made.submission->number == number) made.submission->cancelled = true;
    }
  }
}

}  // namespace tandem
