#include "policies/problem/cuts.h"

#include <algorithm>
#include <map>

#include "policies/problem/cut_model.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {

Cuts::Cuts(const Scenario& scenario, Granularity granularity, std::shared_ptr<const CutPlan> plan)
    : scenario_(&scenario),
      units_(scenario.platform->units.size()),
      routes_(std::make_shared<CopyRoutes>(scenario)),
      granularity_(granularity),
      plan_(plan && !plan->empty() ? std::move(plan) : nullptr) {
  CheckPlan();
  CutStreams();
}

// What is said of what is not there would do nothing.
void Cuts::CheckPlan() const {
  if (!plan_) return;
  const auto runs = [&](ModelId model, std::int64_t batch) {
    return std::any_of(scenario_->streams.begin(), scenario_->streams.end(),
                       [&](const Stream& s) { return s.model == model && s.batch == batch; });
  };
  const auto fail = [&](ModelId model, std::int64_t batch, const std::string& what) {
    throw InputError(scenario_->file + ": " + what + " model " + Quoted(scenario_->model(model).name) +
                     " in batches of " + std::to_string(batch));
  };
  const auto& cuts = plan_->cuts;
  for (auto cut = cuts.begin(); cut != cuts.end(); ++cut) {
    if (!runs(cut->model, cut->batch)) fail(cut->model, cut->batch, "the plan cuts, and no stream runs,");
    const auto same = [&](const ModelPieces& c) { return c.model == cut->model && c.batch == cut->batch; };
    if (std::any_of(cuts.begin(), cut, same)) fail(cut->model, cut->batch, "the plan cuts twice");
  }
  for (const EdgeMode& edge : plan_->edges) {
    if (!runs(edge.model, edge.batch)) fail(edge.model, edge.batch, "no stream runs");
    CheckEdge(edge);
  }
}

void Cuts::CheckEdge(const EdgeMode& edge) const {
  const Model& model = *scenario_->model(edge.model).model;
  const auto users = model.users(edge.from);
  const std::string from = "layer " + Quoted(model.layer(edge.from).name) + " of model " +
                           Quoted(scenario_->model(edge.model).name);
  if (!edge.to.valid() && !users.empty()) {
    throw InputError(scenario_->file + ": " + from +
                     " is no output of the model: name the layer that reads it");
  }
  if (edge.to.valid() && std::find(users.begin(), users.end(), edge.to) == users.end()) {
    throw InputError(scenario_->file + ": layer " + Quoted(model.layer(edge.to).name) + " does not read " +
                     from);
  }
}

CutSegments Cuts::CutOf(ModelId model, std::int64_t batch) const {
  if (!plan_) return CutModel(*scenario_, model, batch, granularity_);
  for (const ModelPieces& cut : plan_->cuts) {
    if (cut.model != model || cut.batch != batch) continue;
    try {
      return CutAsPlanned(*scenario_, cut);
    } catch (const InputError& error) {
      throw InputError(scenario_->file + ": " + error.what());
    }
  }
  return CutModel(*scenario_, model, batch, granularity_);
}

// How tensors come to those that read them: as the scenario says, or as a plan chooses for an edge.
void Cuts::SetModes(ModelId model, std::int64_t batch, CutSegments& made) const {
  for (Segment& segment : made.segments) segment.modes.assign(segment.reads.size(), scenario_->transfer);
  for (CutTensor& tensor : made.cut.tensors) {
    tensor.back = scenario_->transfer;
    tensor.element_bytes = scenario_->model(model).model->ElementBytes(tensor.layer);
  }
  if (!plan_) return;
  for (const EdgeMode& edge : plan_->edges) {
    if (edge.model != model || edge.batch != batch) continue;
    for (std::size_t t = 0; t < made.cut.tensors.size(); ++t) {
      CutTensor& tensor = made.cut.tensors[t];
      if (tensor.layer != edge.from) continue;
      if (!edge.to.valid()) tensor.back = edge.mode;
      for (const SegmentId reader : tensor.consumers) {
        Segment& segment = made.segments[reader.index()];
        const auto reads = [&](LayerId layer) { return layer == edge.to; };
        const bool whole = segment.layers.empty() && edge.to.valid();
        if (!whole && std::none_of(segment.layers.begin(), segment.layers.end(), reads)) continue;
        const auto place =
            std::find(segment.reads.begin(), segment.reads.end(), static_cast<std::int32_t>(t));
        segment.modes[static_cast<std::size_t>(place - segment.reads.begin())] = edge.mode;
      }
    }
  }
}

void Cuts::CutStreams() {
  std::map<std::pair<ModelId, std::int64_t>, CutId> known;
  for (const Stream& stream : scenario_->streams) {
    const auto [found, is_new] = known.try_emplace({stream.model, stream.batch}, CutId(cuts_.size()));
    cut_of_stream_.push_back(found->second);
    if (!is_new) continue;
    CutSegments made = CutOf(stream.model, stream.batch);
    SetModes(stream.model, stream.batch, made);
    const std::size_t base = segments_.size();
    const auto shift = [&](SegmentId& id) { id = SegmentId(id.index() + base); };
    made.cut.first = SegmentId(base);
    for (SegmentId& source : made.cut.sources) shift(source);
    for (CutTensor& tensor : made.cut.tensors) {
      if (tensor.producer.valid()) shift(tensor.producer);
      for (SegmentId& consumer : tensor.consumers) shift(consumer);
    }
    for (Segment& segment : made.segments) {
      segment.cut = found->second;
      for (SegmentId& next : segment.feeds) shift(next);
      segments_.push_back(std::move(segment));
    }
    cuts_.push_back(std::move(made.cut));
  }
  for (std::size_t s = 0; s < scenario_->streams.size(); ++s) {
    const Stream& stream = scenario_->streams[s];
    for (CutTensor& tensor : cuts_[cut_of_stream_[s].index()].tensors) {
      const bool input = !tensor.producer.valid();
      tensor.by_first = tensor.by_first && !(input ? stream.ReadsFrom().valid() : stream.stays);
    }
  }
}

bool Cuts::Moves(SegmentId id, TransferMode mode) const {
  const Segment& of = segment(id);
  if (std::find(of.modes.begin(), of.modes.end(), mode) != of.modes.end()) return true;
  return std::any_of(of.makes.begin(), of.makes.end(), [&](std::int32_t t) {
    const CutTensor& tensor = cut(of.cut).tensors[static_cast<std::size_t>(t)];
    if (tensor.leaves && tensor.back == mode) return true;
    return std::any_of(tensor.consumers.begin(), tensor.consumers.end(), [&](SegmentId reader) {
      const Segment& other = segment(reader);
      const auto place = std::lower_bound(other.reads.begin(), other.reads.end(), t);
      return other.modes[static_cast<std::size_t>(place - other.reads.begin())] == mode;
    });
  });
}

std::string Cuts::NameOf(SegmentId id) const {
  const Segment& of = segment(id);
  const ScenarioModel& model = scenario_->model(cut(of.cut).model);
  if (of.layers.empty()) return "model " + Quoted(model.name);
  const std::string part = of.part ? of.part->Text() + " of " : "";
  const std::string first = Quoted(model.model->layer(of.layers.front()).name);
  if (of.layers.size() == 1) return part + "layer " + first + " of model " + Quoted(model.name);
  return part + "layers " + first + " to " + Quoted(model.model->layer(of.layers.back()).name) +
         " of model " + Quoted(model.name);
}

}  // namespace tandem
