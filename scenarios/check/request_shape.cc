#include "scenarios/check/request_shape.h"

#include <algorithm>

namespace tandem {
namespace {

class ShapeMaker {
 public:
  ShapeMaker(const CheckedRun& run, const CheckedRequest& request)
      : run_(run),
        stream_(request.stream),
        model_(run.model(run.stream(request.stream).model)),
        tasks_of_(model_.size()) {
    for (std::size_t t = request.first_task; t < request.last_task; ++t) {
      const CheckedSegment& segment = run.segment(run.tasks[t]);
      std::vector<LayerId> layers = segment.layers;
      for (std::size_t l = 0; segment.layers.empty() && l < model_.size(); ++l) {
        if (model_.layers()[l].op != Op::kInput) layers.emplace_back(l);
      }
      for (const LayerId layer : layers) {
        tasks_of_[layer.index()].push_back(static_cast<std::int32_t>(layers_.size()));
      }
      layers_.push_back(std::move(layers));
      segments_.push_back(&segment);
    }
  }

  RequestShape Make() const {
    RequestShape shape;
    for (std::size_t t = 0; t < layers_.size(); ++t)
      shape.reads.push_back(ReadsOf(static_cast<std::int32_t>(t)));
    for (const LayerId output : model_.Outputs()) {
      for (RequestShape::Tensor tensor : SourcesOf(output)) {
        tensor.mode = run_.ModeBack(stream_, output);
        shape.outputs.push_back(tensor);
      }
    }
    return shape;
  }

 private:
  // What computes and moves nothing and belongs to no task is passed through.
  std::vector<RequestShape::Tensor> SourcesOf(LayerId layer) const {
    while (tasks_of_[layer.index()].empty() && IsFree(model_.layer(layer).op) &&
           !model_.layer(layer).inputs.empty()) {
      layer = model_.layer(layer).inputs.front();
    }
    std::vector<RequestShape::Tensor> sources;
    for (const std::int32_t task : tasks_of_[layer.index()]) {
      sources.push_back({layer, task, segments_[static_cast<std::size_t>(task)]->part});
    }
    if (sources.empty()) sources.push_back({layer, -1});
    return sources;
  }

  bool Has(std::int32_t task, LayerId layer) const {
    const auto& tasks = tasks_of_[layer.index()];
    return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
  }

  std::vector<RequestShape::Tensor> ReadsOf(std::int32_t task) const {
    std::map<std::pair<LayerId, std::int32_t>, RequestShape::Tensor> reads;
    for (const LayerId layer : layers_[static_cast<std::size_t>(task)]) {
      for (const LayerId input : model_.layer(layer).inputs) {
        for (RequestShape::Tensor source : SourcesOf(input)) {
          if (Has(task, source.layer)) continue;
          source.mode = run_.ModeOf(stream_, source.layer, segments_[static_cast<std::size_t>(task)]->layers);
          reads.emplace(source.key(), source);
        }
      }
    }
    std::vector<RequestShape::Tensor> list;
    for (const auto& [key, tensor] : reads) list.push_back(tensor);
    return list;
  }

  const CheckedRun& run_;
  StreamId stream_;
  const Model& model_;
  std::vector<std::vector<LayerId>> layers_;  // per task
  std::vector<const CheckedSegment*> segments_;
  std::vector<std::vector<std::int32_t>> tasks_of_;  // per layer
};

}  // namespace

const RequestShape& RequestShapes::Of(const CheckedRequest& request) {
  key_ = {run_->stream(request.stream).batch};
  for (std::size_t t = request.first_task; t < request.last_task; ++t) key_.push_back(run_->tasks[t].segment);
  const auto found = shapes_.find(key_);
  if (found != shapes_.end()) return found->second;
  return shapes_.emplace(key_, ShapeMaker(*run_, request).Make()).first->second;
}

}  // namespace tandem
