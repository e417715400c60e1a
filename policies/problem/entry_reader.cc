#include "policies/problem/entry_reader.h"

#include <algorithm>

namespace tandem {

void AddPoint(SlowdownPoints& points, double at, double slowdown) {
  points.emplace(std::upper_bound(points.begin(), points.end(), std::pair(at, slowdown)), at, slowdown);
}

double OnLine(const SlowdownPoints& points, double at) {
  std::pair<double, double> before(0, 1);
  for (const auto& point : points) {
    if (point.first >= at) {
      const double width = point.first - before.first;
      if (width <= 0) return point.second;
      return before.second + (point.second - before.second) * ((at - before.first) / width);
    }
    before = point;
  }
  return before.second;
}

ModelId EntryReader::ModelNamed(const std::string& model) {
  const auto& models = cuts_.scenario().models;
  const std::string& key = keys_.Of(model);
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const ScenarioModel& m) { return m.key == key; });
  return ModelId(static_cast<std::size_t>(found - models.begin()));
}

EntryWork EntryReader::WorkOf(const std::string& model, const std::vector<std::string>& layers) {
  EntryWork work;
  if (model.empty()) return work;
  work.model = ModelNamed(model);
  if (layers.empty()) return work;
  work.segments.resize(std::max<std::size_t>(cuts_.segments().size(), 1));
  for (std::size_t s = 0; s < cuts_.segments().size(); ++s) {
    const Segment& segment = cuts_.segments()[s];
    if (model_of_[s] != work.model || segment.layers.empty()) continue;
    const Model& of = *cuts_.scenario().models[work.model.index()].model;
    work.segments[s] = std::all_of(segment.layers.begin(), segment.layers.end(), [&](LayerId id) {
      return std::find(layers.begin(), layers.end(), of.layer(id).name) != layers.end();
    });
  }
  return work;
}

std::vector<std::size_t> EntryReader::SegmentsOf(const std::string& model,
                                                 const std::vector<std::string>& layers) {
  std::vector<std::size_t> segments;
  const auto& models = cuts_.scenario().models;
  const ModelId id = ModelNamed(model);
  if (id.index() == models.size()) return segments;
  std::vector<LayerId> ids;
  for (const std::string& layer : layers) ids.push_back(models[id.index()].model->Find(layer));
  std::sort(ids.begin(), ids.end());
  for (std::size_t s = 0; s < cuts_.segments().size(); ++s) {
    const Segment& segment = cuts_.segments()[s];
    if (model_of_[s] == id && !segment.part && segment.layers == ids) segments.push_back(s);
  }
  return segments;
}

void EntryReader::Set(std::vector<double>& table, std::vector<int>& weights, UnitId unit,
                      const EntryWork& work, double value, double standard) const {
  const std::size_t units = cuts_.units();
  table.resize(model_of_.size() * units, standard);
  weights.resize(table.size(), -1);
  for (std::size_t s = 0; s < model_of_.size(); ++s) {
    const std::size_t at = s * units + unit.index();
    if (work.weight() <= weights[at] || !work.Covers(SegmentId(s), model_of_[s])) continue;
    weights[at] = work.weight();
    table[at] = value;
  }
}

}  // namespace tandem
