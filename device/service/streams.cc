#include "device/service/streams.h"

#include <algorithm>
#include <span>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

// Kernels, and programs, take numbers in float, whatever the type.
std::vector<device::TensorInfo> TensorsOf(const Model& model, const std::vector<LayerId>& layers,
                                          bool has_function) {
  std::vector<device::TensorInfo> tensors;
  for (const LayerId id : layers) {
    const Layer& layer = model.layer(id);
    const std::size_t bytes = has_function ? BytesForFunctions(model, id)
                                           : static_cast<std::size_t>(Elements(layer.output)) * sizeof(float);
    tensors.push_back({layer.name, layer.output, (bytes + sizeof(float) - 1) / sizeof(float), bytes});
  }
  return tensors;
}

// As kernels work on it: nothing is copied but whole tensors of floats.
Buffer RoomFor(const device::TensorInfo& tensor) {
  return Buffer(static_cast<std::size_t>(Elements(tensor.shape)));
}

bool HasFunctions(const Cut& cut, const std::vector<StageFunction>& functions) {
  const std::size_t first = cut.first.index();
  return !functions.empty() &&
         std::all_of(functions.begin() + static_cast<std::ptrdiff_t>(first),
                     functions.begin() + static_cast<std::ptrdiff_t>(first) + cut.segments,
                     [](const StageFunction& function) { return static_cast<bool>(function); });
}

std::vector<std::int32_t> OutputOfTensors(const Cut& cut, const std::vector<LayerId>& outputs) {
  std::vector<std::int32_t> output_of;
  for (const CutTensor& tensor : cut.tensors) {
    const auto found = std::find(outputs.begin(), outputs.end(), tensor.layer);
    output_of.push_back(found == outputs.end() ? -1 : static_cast<std::int32_t>(found - outputs.begin()));
  }
  return output_of;
}

}  // namespace

ServedStreams::ServedStreams(const Problem& problem, ModelStore& store,
                             const std::vector<StageFunction>& functions, bool follow) {
  const Scenario& scenario = problem.scenario();
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    const Cut& cut = problem.cut(StreamId(s));
    const ScenarioModel& named = scenario.model(cut.model);
    const Model& model = *store.Get(named.key, cut.batch).model;
    const bool has_function = HasFunctions(cut, functions);
    has_function_.push_back(has_function ? 1 : 0);
    const auto* after = std::get_if<DependentArrival>(&scenario.streams[s].arrival);
    infos_.push_back({scenario.streams[s].name, named.name, cut.batch,
                      TensorsOf(model, model.Inputs(), has_function),
                      TensorsOf(model, model.Outputs(), has_function),
                      follow && after ? scenario.streams[after->parent.index()].name : ""});
    output_of_.push_back(OutputOfTensors(cut, model.Outputs()));
  }
}

StreamId ServedStreams::Find(const std::string& name) const {
  StreamId of_model;
  bool several = false;
  std::vector<std::string> names;
  for (std::size_t s = 0; s < infos_.size(); ++s) {
    if (infos_[s].name == name) return StreamId(s);
    several = several || (infos_[s].model == name && of_model.valid());
    if (infos_[s].model == name) of_model = StreamId(s);
    names.push_back(infos_[s].name);
  }
  if (several) throw InputError("several streams run model " + Quoted(name) + ": say which by its name");
  if (!of_model.valid())
    throw InputError("the plan has no stream or model " + Quoted(name) + Suggestion(name, names));
  return of_model;
}

std::unique_ptr<ServiceRequest> ServedStreams::Request(StreamId stream,
                                                       std::shared_ptr<Submission> submission) const {
  const device::StreamInfo& info = infos_[stream.index()];
  auto request = std::make_unique<ServiceRequest>();
  request->stream = stream;
  request->result.stream = info.name;
  request->result.number = submission->number;
  request->submission = std::move(submission);
  request->outputs = std::make_shared<std::vector<Buffer>>();
  for (const device::TensorInfo& output : info.outputs) request->outputs->push_back(RoomFor(output));
  return request;
}

std::unique_ptr<ServiceRequest> ServedStreams::Request(StreamId stream,
                                                       const std::vector<std::vector<float>>& inputs) const {
  const device::StreamInfo& info = infos_[stream.index()];
  if (!info.follows.empty()) {
    throw InputError("requests of stream " + Quoted(info.name) + " follow those of " + Quoted(info.follows) +
                     " (ServiceOptions::follow): submit to that one");
  }
  if (inputs.size() != info.inputs.size()) {
    throw InputError("stream " + Quoted(info.name) + " takes " + std::to_string(info.inputs.size()) +
                     " inputs, here are " + std::to_string(inputs.size()));
  }
  auto request = Request(stream, std::make_shared<Submission>());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].size() != info.inputs[i].floats) {
      throw InputError("stream " + Quoted(info.name) + ", input " + Quoted(info.inputs[i].layer) + ": " +
                       std::to_string(info.inputs[i].floats) + " floats, here are " +
                       std::to_string(inputs[i].size()));
    }
    request->inputs.push_back(RoomFor(info.inputs[i]));
    std::copy(inputs[i].begin(), inputs[i].end(), request->inputs.back().data());
  }
  return request;
}

}  // namespace tandem
