#include "device/service/requests.h"

#include <algorithm>
#include <utility>

#include "profiles/base/check.h"

namespace tandem {

void ServiceRequests::Add(std::unique_ptr<ServiceRequest> request) {
  const std::lock_guard lock(mutex_);
  added_.push_back(std::move(request));
}

void ServiceRequests::HandOver(Dispatcher& dispatcher, Nanos now) {
  std::vector<std::unique_ptr<ServiceRequest>> added;
  {
    const std::lock_guard lock(mutex_);
    added.swap(added_);
  }
  for (std::size_t i = 0; i < added.size(); ++i) {
    const StreamId stream = added[i]->stream;
    try {
      const auto index = static_cast<std::int32_t>(dispatcher.Submit(stream, now));
      under_way_[stream.index()].emplace(index, std::move(added[i]));
    } catch (...) {
      const std::lock_guard lock(mutex_);
      for (; i < added.size(); ++i) added_.push_back(std::move(added[i]));
      throw;
    }
  }
}

std::unique_ptr<ServiceRequest> ServiceRequests::Take(StreamId stream, std::int32_t index) {
  return std::move(under_way_[stream.index()].extract(index).mapped());
}

std::vector<std::unique_ptr<ServiceRequest>> ServiceRequests::TakeAll() {
  const std::lock_guard lock(mutex_);
  std::vector<std::unique_ptr<ServiceRequest>> all = std::exchange(added_, {});
  for (ByIndex& requests : under_way_) {
    for (auto& [index, request] : requests) all.push_back(std::move(request));
    requests.clear();
  }
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a->result.number < b->result.number; });
  return all;
}

const float* ServiceRequests::Input(const Task& task, std::size_t input) {
  return Of(task).inputs[input].data();
}

float* ServiceRequests::Output(const Task& task, std::int32_t tensor, std::size_t) {
  const std::int32_t output = output_of_[task.stream.index()][static_cast<std::size_t>(tensor)];
  TANDEM_CHECK(output >= 0, "what leaves a model is one of its outputs");
  return Of(task).outputs[static_cast<std::size_t>(output)].data();
}

void ServiceRequests::Ended(const Task& task, UnitId, bool computes, const std::string& hash) {
  device::RequestResult& result = Of(task).result;
  result.computed = result.computed && computes;
  // Of a part of a model the hash says nothing of the whole.
  if (problem_->cut(task.stream).segments == 1) result.output_hash = hash;
}

}  // namespace tandem
