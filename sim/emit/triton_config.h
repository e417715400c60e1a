// config.pbtxt of the models of a repository.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/emit/triton_queues.h"

namespace tandem::triton_server {

class ConfigWriter {
 public:
  // All of them outlive it.
  ConfigWriter(const Deployment& deployment, const Serving& serving, const Queues& queues)
      : deployment_(deployment), serving_(serving), queues_(queues) {}

  std::string ModelText(const Served& served, Emitted& emitted);
  // Of the models in `parts`, one for each part of the cut; empty: none.
  std::string EnsembleText(const DeployedCut& cut, const std::string& name,
                           const std::vector<std::string>& parts) const;

  // Of the rate limiter, of all models so far: how much there is.
  const std::map<std::string, std::int64_t>& resources() const { return resources_; }

  // Does a GPU alone run it, in fp16? Then TensorRT does inside ONNX Runtime.
  bool InFp16(const Served& served) const;

 private:
  const Platform& platform() const { return deployment_.platform(); }
  void AddGroup(TextProto& proto, const Served& served, const Serving::Group& group, Emitted& emitted);
  void AddLimiter(TextProto& proto, const Serving::Group& group);
  void AddResource(TextProto& proto, const std::string& name, std::int64_t needs, std::int64_t count);
  void AddThreads(TextProto& proto, const Served& served, Emitted& emitted) const;

  const Deployment& deployment_;
  const Serving& serving_;
  const Queues& queues_;
  PlainNames resource_names_;
  std::map<std::string, std::string> plain_resource_;  // a unit's or resource's name
  std::map<std::string, std::int64_t> resources_;      // by plain name
};

}  // namespace tandem::triton_server
