// The requests of a PlanService: those submitted that wait for the next instant, and those under way.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/harness/work.h"
#include "device/processor/buffer.h"
#include "device/service/tandem_device.h"
#include "policies/engine/dispatcher.h"

namespace tandem {

class Following;

// What one Submit asked for: its request and all that follow it.
struct Submission {
  std::uint64_t number = 0;
  device::PlanService::Callback callback;
  std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
  bool cancelled = false;       // under the dispatcher
  std::int64_t unanswered = 0;  // of its requests; guarded by the service
};

struct ServiceRequest {
  StreamId stream;
  std::shared_ptr<Submission> submission;
  device::RequestResult result;
  std::vector<Buffer> inputs;
  std::shared_ptr<const std::vector<Buffer>> handed;  // what it reads, in place of inputs of its own; or null
  std::shared_ptr<std::vector<Buffer>> outputs;
  bool cancelled = false;  // and answered: what is still under way is for nobody
  bool IsWanted() const { return !cancelled && result.why.empty(); }
};

class ServiceRequests final : public RequestData {
 public:
  // `output_of`: per stream and tensor of its cut which output of the model it is; -1: none.
  ServiceRequests(const Problem& problem, std::vector<std::vector<std::int32_t>> output_of)
      : problem_(&problem), output_of_(std::move(output_of)), under_way_(output_of_.size()) {}

  // From any thread.
  void Add(std::unique_ptr<ServiceRequest> request);
  // From any thread: the next instant sees to it.
  void Cancel(std::uint64_t number);
  // From here on one call at a time: what has been added goes to the dispatcher. `following` may be told what
  // was cancelled.
  void HandOver(Dispatcher& dispatcher, Nanos now, Following* following = nullptr);
  // What is to be answered as cancelled: those that had not got so far, and of the others all but what their
  // parts under way work on.
  std::vector<std::unique_ptr<ServiceRequest>> TakeCancelled() { return std::exchange(answers_, {}); }
  // One that follows others, of that index.
  void Begin(std::unique_ptr<ServiceRequest> request, std::int64_t index);
  // Null: it has been answered as cancelled.
  std::unique_ptr<ServiceRequest> Take(StreamId stream, std::int32_t index);
  // In order of their numbers: all that have no answer. Where memory runs out nothing is taken.
  std::vector<std::unique_ptr<ServiceRequest>> TakeAll();

  const float* Input(const Task& task, std::size_t input) override;
  float* Output(const Task& task, std::int32_t tensor, std::size_t place) override;
  void Ended(const Task& task, UnitId unit, bool computes, const std::string& hash,
             std::size_t together) override;
  bool IsWanted(const Task& task) override { return Of(task).IsWanted(); }
  std::uint64_t Number(const Task& task) override { return Of(task).result.number; }
  void Failed(const Task& task, const std::string& why) override { Of(task).result.why = why; }
  bool IsWanted(StreamId stream, std::int32_t index) const;  // false, too, where it is under way no more

 private:
  std::unique_ptr<ServiceRequest> TakeWaiting(std::uint64_t number);
  std::unique_ptr<ServiceRequest> TakeAnswerOf(std::uint64_t number);

  using ByIndex = std::unordered_map<std::int32_t, std::unique_ptr<ServiceRequest>>;
  ServiceRequest& Of(const Task& task) { return *under_way_[task.stream.index()].at(task.index); }

  const Problem* problem_;
  std::vector<std::vector<std::int32_t>> output_of_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<ServiceRequest>> added_;    // guarded by it
  std::vector<std::uint64_t> cancelled_;                  // the same
  std::vector<std::unique_ptr<ServiceRequest>> handing_;  // of those, what is being handed over
  std::vector<std::unique_ptr<ServiceRequest>> answers_;  // that TakeCancelled takes
  std::vector<ByIndex> under_way_;                        // per stream
};

}  // namespace tandem
