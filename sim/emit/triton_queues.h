// The queue that Triton has for each model: levels of priority, what it drops, and what it begins together.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/emit/text_proto.h"
#include "sim/emit/triton_scripts.h"

namespace tandem::triton_server {

class Queues {
 public:
  // All of them outlive it.
  Queues(const Deployment& deployment, const Serving& serving, const std::vector<DeployedCut>& cuts);

  // How requests go together there; null: one by one.
  const Batching* BatchingOf(const Served& served) const;

  // "dynamic_batching", where there is something to say.
  void Write(const Served& served, TextProto& proto) const;

  // What of drops, batches and levels is lost there.
  void Say(const std::vector<Served>& served, Emitted& emitted) const;

 private:
  const Scenario& scenario() const { return deployment_.scenario(); }
  std::vector<StreamId> StreamsOf(const DeployedCut& cut) const;
  std::map<std::int64_t, Nanos> DropsOf(const DeployedCut& cut) const;
  const DeployedCut& CutOf(StreamId stream) const;
  void SayOfDrops(StreamId stream, Emitted& emitted) const;
  void SayOfBatches(const DeployedCut& cut, const std::vector<Served>& served, Emitted& emitted) const;
  void SayOfOthers(const DeployedCut& cut, StreamId first, Emitted& emitted) const;

  const Deployment& deployment_;
  const Serving& serving_;
  const std::vector<DeployedCut>& cuts_;
  std::map<ModelId, std::string> why_of_one_batch_;  // of those that cannot have another one
};

}  // namespace tandem::triton_server
