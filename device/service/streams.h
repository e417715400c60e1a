// The streams of a plan as callers know them: by name, with what goes in and what comes out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/harness/functions.h"
#include "device/processor/model_store.h"
#include "device/service/requests.h"
#include "device/service/tandem_device.h"
#include "policies/problem/problem.h"

namespace tandem {

class ServedStreams {
 public:
  // `functions`: as the units have them. `follow`: streams follow others.
  ServedStreams(const Problem& problem, ModelStore& store, const std::vector<StageFunction>& functions,
                bool follow);

  const std::vector<device::StreamInfo>& infos() const { return infos_; }
  // Per stream and tensor of its cut which output of the model it is; -1: none.
  const std::vector<std::vector<std::int32_t>>& output_of() const { return output_of_; }

  // The stream of that name, or the only one that runs the model of that name. Throws InputError.
  StreamId Find(const std::string& name) const;
  // With room for the outputs, of a submission.
  std::unique_ptr<ServiceRequest> Request(StreamId stream, std::shared_ptr<Submission> submission) const;
  // Does a function of the application run all of its model?
  bool HasFunction(StreamId stream) const { return has_function_[stream.index()] != 0; }
  // With the inputs copied and room for the outputs. Throws InputError, where the stream follows another,
  // too.
  std::unique_ptr<ServiceRequest> Request(StreamId stream,
                                          const std::vector<std::vector<float>>& inputs) const;

 private:
  std::vector<device::StreamInfo> infos_;
  std::vector<std::vector<std::int32_t>> output_of_;
  std::vector<char> has_function_;  // per stream
};

}  // namespace tandem
