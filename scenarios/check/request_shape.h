// How a request is cut into tasks: what each reads that others make. Requests cut alike share it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "scenarios/check/checked_run.h"

namespace tandem {

struct RequestShape {
  // What a task makes of a layer's output: all of it or a part.
  struct Tensor {
    LayerId layer;
    std::int32_t maker = -1;  // task of the request, counted from its first; -1: an input of the model
    std::optional<LayerPart> part = {};
    TransferMode mode = TransferMode::kCopy;  // how it comes to this reader, or back
    std::pair<LayerId, std::int32_t> key() const { return {layer, maker}; }
  };
  std::vector<std::vector<Tensor>> reads;  // per task, ascending, none twice
  std::vector<Tensor> outputs;             // of the model
};

class RequestShapes {
 public:
  explicit RequestShapes(const CheckedRun& run) : run_(&run) {}
  const RequestShape& Of(const CheckedRequest& request);

 private:
  const CheckedRun* run_;
  std::map<std::vector<std::int64_t>, RequestShape> shapes_;  // per batch and segments of the tasks
  std::vector<std::int64_t> key_;
};

}  // namespace tandem
