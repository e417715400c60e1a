#include "device/service/requests.h"

#include <algorithm>
#include <utility>

#include "device/service/following.h"
#include "profiles/base/check.h"

namespace tandem {

void ServiceRequests::Add(std::unique_ptr<ServiceRequest> request) {
  const std::lock_guard lock(mutex_);
  added_.push_back(std::move(request));
}

void ServiceRequests::Cancel(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  cancelled_.push_back(number);
}

std::unique_ptr<ServiceRequest> ServiceRequests::TakeWaiting(std::uint64_t number) {
  const auto found = std::find_if(handing_.begin(), handing_.end(),
                                  [&](const auto& request) { return request->result.number == number; });
  if (found == handing_.end()) return nullptr;
  std::unique_ptr<ServiceRequest> request = std::move(*found);
  handing_.erase(found);
  return request;
}

// Its buffers stay: a part of it may be at work on them, and the dispatcher goes on to its end.
std::unique_ptr<ServiceRequest> ServiceRequests::TakeAnswerOf(std::uint64_t number) {
  for (ByIndex& requests : under_way_) {
    for (auto& [index, request] : requests) {
      if (request->result.number != number || request->cancelled) continue;
      auto answer = std::make_unique<ServiceRequest>();
      answer->stream = request->stream;
      answer->submission = request->submission;
      answer->result = request->result;
      answer->result.why.clear();
      request->cancelled = request->submission->cancelled = true;
      return answer;
    }
  }
  return nullptr;
}

bool ServiceRequests::IsWanted(StreamId stream, std::int32_t index) const {
  const ByIndex& requests = under_way_[stream.index()];
  const auto found = requests.find(index);
  return found != requests.end() && found->second->IsWanted();
}

// Whatever throws, most likely for want of memory, no request is lost: each is in one of the lists.
void ServiceRequests::HandOver(Dispatcher& dispatcher, Nanos now, Following* following) {
  std::vector<std::uint64_t> cancelled;
  {
    const std::lock_guard lock(mutex_);
    handing_.swap(added_);
    cancelled.swap(cancelled_);
  }
  for (const std::uint64_t number : cancelled) {
    if (following) following->Cancel(number);
    for (;;) {
      answers_.reserve(answers_.size() + 1);
      auto answer = TakeWaiting(number);
      if (!answer) answer = TakeAnswerOf(number);
      if (!answer) break;
      answers_.push_back(std::move(answer));
    }
  }
  for (auto& request : handing_) {
    const auto index = static_cast<std::int32_t>(dispatcher.Submit(request->stream, now));
    under_way_[request->stream.index()][index].swap(request);
  }
  handing_.clear();
}

void ServiceRequests::Begin(std::unique_ptr<ServiceRequest> request, std::int64_t index) {
  under_way_[request->stream.index()][static_cast<std::int32_t>(index)].swap(request);
}

std::unique_ptr<ServiceRequest> ServiceRequests::Take(StreamId stream, std::int32_t index) {
  std::unique_ptr<ServiceRequest> request = std::move(under_way_[stream.index()].extract(index).mapped());
  return request->cancelled ? nullptr : std::move(request);
}

std::vector<std::unique_ptr<ServiceRequest>> ServiceRequests::TakeAll() {
  const std::lock_guard lock(mutex_);
  std::vector<std::unique_ptr<ServiceRequest>> all;
  std::size_t most = added_.size() + handing_.size() + answers_.size();
  for (const ByIndex& requests : under_way_) most += requests.size();
  all.reserve(most);  // from here on nothing throws
  const auto take = [&](std::unique_ptr<ServiceRequest>& request) {
    if (request && !request->cancelled) all.push_back(std::move(request));
  };
  for (auto* requests : {&added_, &handing_, &answers_}) {
    for (auto& request : *requests) take(request);
    requests->clear();
  }
  for (ByIndex& requests : under_way_) {
    for (auto& [index, request] : requests) take(request);
    requests.clear();
  }
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a->result.number < b->result.number; });
  return all;
}

const float* ServiceRequests::Input(const Task& task, std::size_t input) {
  const ServiceRequest& request = Of(task);
  return (request.handed ? *request.handed : request.inputs)[input].data();
}

float* ServiceRequests::Output(const Task& task, std::int32_t tensor, std::size_t) {
  const std::int32_t output = output_of_[task.stream.index()][static_cast<std::size_t>(tensor)];
  TANDEM_CHECK(output >= 0, "what leaves a model is one of its outputs");
  return (*Of(task).outputs)[static_cast<std::size_t>(output)].data();
}

void ServiceRequests::Ended(const Task& task, UnitId, bool computes, const std::string& hash, std::size_t) {
  device::RequestResult& result = Of(task).result;
  result.computed = result.computed && computes;
  // Of a part of a model the hash says nothing of the whole.
  if (problem_->cut(task.stream).segments == 1) result.output_hash = hash;
}

}  // namespace tandem
