#include "scenarios/request_shape.h"

#include <algorithm>

namespace tandem {
namespace {

class ShapeMaker {
 public:
  ShapeMaker(const CheckedRun& run, const CheckedRequest& request)
      : model_(run.model(run.stream(request.stream).model)), task_of_(model_.size(), -1) {
    for (std::size_t t = request.first_task; t < request.last_task; ++t) {
      std::vector<LayerId> layers = run.segment(run.tasks[t]).layers;
      for (std::size_t l = 0; run.segment(run.tasks[t]).layers.empty() && l < model_.size(); ++l) {
        if (model_.layers()[l].op != Op::kInput) layers.emplace_back(l);
      }
      for (const LayerId layer : layers) task_of_[layer.index()] = static_cast<std::int32_t>(layers_.size());
      layers_.push_back(std::move(layers));
    }
  }

  RequestShape Make() const {
    RequestShape shape;
    for (std::size_t t = 0; t < layers_.size(); ++t)
      shape.reads.push_back(ReadsOf(static_cast<std::int32_t>(t)));
    for (const LayerId output : model_.Outputs()) shape.outputs.push_back(SourceOf(output));
    return shape;
  }

 private:
  // What computes and moves nothing and belongs to no task is passed through.
  RequestShape::Tensor SourceOf(LayerId layer) const {
    while (task_of_[layer.index()] < 0 && IsFree(model_.layer(layer).op) &&
           !model_.layer(layer).inputs.empty()) {
      layer = model_.layer(layer).inputs.front();
    }
    return {layer, task_of_[layer.index()]};
  }

  std::vector<RequestShape::Tensor> ReadsOf(std::int32_t task) const {
    std::map<LayerId, RequestShape::Tensor> reads;
    for (const LayerId layer : layers_[static_cast<std::size_t>(task)]) {
      for (const LayerId input : model_.layer(layer).inputs) {
        const RequestShape::Tensor source = SourceOf(input);
        if (source.maker != task) reads.emplace(source.layer, source);
      }
    }
    std::vector<RequestShape::Tensor> list;
    for (const auto& [layer, tensor] : reads) list.push_back(tensor);
    return list;
  }

  const Model& model_;
  std::vector<std::vector<LayerId>> layers_;  // per task
  std::vector<std::int32_t> task_of_;         // per layer; -1: none
};

}  // namespace

const RequestShape& RequestShapes::Of(const CheckedRequest& request) {
  key_.clear();
  for (std::size_t t = request.first_task; t < request.last_task; ++t) key_.push_back(run_->tasks[t].segment);
  const auto found = shapes_.find(key_);
  if (found != shapes_.end()) return found->second;
  return shapes_.emplace(key_, ShapeMaker(*run_, request).Make()).first->second;
}

}  // namespace tandem
