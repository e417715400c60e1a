// Requests of a PlanService that follow others (ServiceOptions::follow): what they read, and whose they are.
// When there is one, the dispatcher says.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "device/service/requests.h"
#include "device/service/streams.h"

namespace tandem {

class Following {
 public:
  // Both outlive it. Not `on`: nothing follows anything. Throws InputError where what is to be handed on does
  // not fit.
  Following(const Problem& problem, const ServedStreams& streams, bool on);

  bool on() const { return on_; }
  // Do others follow the stream's requests?
  bool IsFollowed(StreamId stream) const { return on_ && followed_[stream.index()] != 0; }

  // A request that others may follow has ended. Null: it has been answered as cancelled.
  void Begin(std::unique_ptr<ServiceRequest> request, std::int64_t index);
  // Has it made what others need?
  bool Completes() const { return ending_ && ending_->result.status == device::RequestStatus::kDone; }
  // The request that follows it, or that joins what has ended by now.
  std::unique_ptr<ServiceRequest> Follower(StreamId stream, std::int64_t index);
  void LeftOut(StreamId stream, std::int64_t index);
  // All that follow it are there. Null: as for Begin, or it has been taken.
  std::unique_ptr<ServiceRequest> TakeEnded();

  // What follows these in time to come is for nobody.
  void Cancel(std::uint64_t number);

 private:
  // What has ended, and may be read.
  struct Made {
    std::shared_ptr<Submission> submission;
    std::shared_ptr<const std::vector<Buffer>> outputs;
    bool computed = true;
    std::int32_t joins = 0;  // streams whose request waits for others, too
  };
  void CheckFits(const Scenario& scenario, StreamId stream) const;
  void Read(StreamId parent, std::int64_t index);

  const Problem* problem_;
  const ServedStreams* streams_;
  bool on_;
  std::vector<char> followed_;       // per stream
  std::vector<std::int32_t> joins_;  // per stream: that join others and name it first
  std::vector<std::unordered_map<std::int64_t, Made>> made_;  // per stream, by index
  std::unique_ptr<ServiceRequest> ending_;
  std::int64_t ending_index_ = 0;
};

}  // namespace tandem
