// How a request is cut into tasks: what each reads that others make. Requests cut alike share it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "scenarios/checked_run.h"

namespace tandem {

struct RequestShape {
  struct Tensor {
    LayerId layer;            // whose output it is
    std::int32_t maker = -1;  // task of the request, counted from its first; -1: an input of the model
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
  std::map<std::vector<std::int32_t>, RequestShape> shapes_;  // per segments of the tasks
  std::vector<std::int32_t> key_;
};

}  // namespace tandem
