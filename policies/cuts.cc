// How a model is cut into segments: whole, at the groups that its profiles know, or layer by layer.
#include <algorithm>
#include <map>
#include <numeric>

#include "policies/problem.h"

namespace tandem {
namespace {

CutSegments WholeModel(const Model& model, ModelId id, std::int64_t batch) {
  CutSegments made;
  made.cut.model = id;
  made.cut.batch = batch;
  made.cut.first = SegmentId(0);
  made.cut.segments = 1;
  made.cut.sources = {SegmentId(0)};
  Segment whole;
  for (const LayerId input : model.Inputs()) {
    whole.reads.push_back(static_cast<std::int32_t>(made.cut.tensors.size()));
    made.cut.tensors.push_back(
        {SegmentId(), Elements(model.layer(input).output) / model.batch() * batch, {SegmentId(0)}, false});
  }
  for (const LayerId output : model.Outputs()) {
    whole.makes.push_back(static_cast<std::int32_t>(made.cut.tensors.size()));
    made.cut.tensors.push_back(
        {SegmentId(0), Elements(model.layer(output).output) / model.batch() * batch, {}, true});
  }
  made.segments.push_back(std::move(whole));
  return made;
}

}  // namespace

CutSegments CutModel(const Scenario& scenario, ModelId id, std::int64_t batch, Granularity granularity) {
  const Model& model = *scenario.model(id).model;
  if (granularity == Granularity::kModel) return WholeModel(model, id, batch);
  return WholeModel(model, id, batch);
}

}  // namespace tandem
