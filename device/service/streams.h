// The streams of a plan as callers know them: by name, with what goes in and what comes out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/processor/model_store.h"
#include "device/service/requests.h"
#include "device/service/tandem_device.h"
#include "policies/problem/problem.h"

namespace tandem {

class ServedStreams {
 public:
  ServedStreams(const Problem& problem, ModelStore& store);

  const std::vector<device::StreamInfo>& infos() const { return infos_; }
  // Per stream and tensor of its cut which output of the model it is; -1: none.
  const std::vector<std::vector<std::int32_t>>& output_of() const { return output_of_; }

  // The stream of that name, or the only one that runs the model of that name. Throws InputError.
  StreamId Find(const std::string& name) const;
  // With the inputs copied and room for the outputs. Throws InputError.
  std::unique_ptr<ServiceRequest> Request(StreamId stream,
                                          const std::vector<std::vector<float>>& inputs) const;

 private:
  std::vector<device::StreamInfo> infos_;
  std::vector<std::vector<std::int32_t>> output_of_;
};

}  // namespace tandem
