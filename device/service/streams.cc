#include "device/service/streams.h"

#include <algorithm>
#include <span>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

std::vector<device::TensorInfo> TensorsOf(const Model& model, const std::vector<LayerId>& layers) {
  std::vector<device::TensorInfo> tensors;
  for (const LayerId id : layers) {
    const Layer& layer = model.layer(id);
    tensors.push_back({layer.name, layer.output, static_cast<std::size_t>(Elements(layer.output))});
  }
  return tensors;
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

ServedStreams::ServedStreams(const Problem& problem, ModelStore& store) {
  const Scenario& scenario = problem.scenario();
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    const Cut& cut = problem.cut(StreamId(s));
    const ScenarioModel& named = scenario.model(cut.model);
    const Model& model = *store.Get(named.key, cut.batch).model;
    infos_.push_back({scenario.streams[s].name, named.name, cut.batch, TensorsOf(model, model.Inputs()),
                      TensorsOf(model, model.Outputs())});
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
                                                       const std::vector<std::vector<float>>& inputs) const {
  const device::StreamInfo& info = infos_[stream.index()];
  if (inputs.size() != info.inputs.size()) {
    throw InputError("stream " + Quoted(info.name) + " takes " + std::to_string(info.inputs.size()) +
                     " inputs, here are " + std::to_string(inputs.size()));
  }
  auto request = std::make_unique<ServiceRequest>();
  request->stream = stream;
  request->result.stream = info.name;
  request->submitted = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].size() != info.inputs[i].floats) {
      throw InputError("stream " + Quoted(info.name) + ", input " + Quoted(info.inputs[i].layer) + ": " +
                       std::to_string(info.inputs[i].floats) + " floats, here are " +
                       std::to_string(inputs[i].size()));
    }
    request->inputs.emplace_back(std::span<const float>(inputs[i]));
  }
  for (const device::TensorInfo& output : info.outputs) request->outputs.emplace_back(output.floats);
  return request;
}

}  // namespace tandem
