#include "policies/engine/live_requests.h"

#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/base/table.h"

namespace tandem {

LiveRequests::LiveRequests(const Problem& problem, std::size_t most_bytes)
    : problem_(&problem), memories_(problem.platform().memories.size()) {
  for (const Cut& cut : problem.cuts()) {
    segments_ = std::max(segments_, static_cast<std::size_t>(cut.segments));
    tensors_ = std::max(tensors_, cut.tensors.size());
  }
  most_ = std::max<std::size_t>(most_bytes / BytesOfOne(), 1);
}

std::size_t LiveRequests::BytesOfOne() const {
  return 2 * sizeof(std::int32_t) + segments_ * (sizeof(std::int32_t) + sizeof(Nanos)) +
         tensors_ * (memories_ * sizeof(Place) + sizeof(std::int8_t) + sizeof(UnitId));
}

void LiveRequests::FailTooMany() const {
  throw InputError(problem_->scenario().file + ":/streams: more than " +
                   Grouped(static_cast<std::int64_t>(most_)) +
                   " requests of several tasks are under way at once, each of which takes " +
                   Grouped(static_cast<std::int64_t>(BytesOfOne())) +
                   " bytes; let fewer come, or use a coarser granularity, which has fewer tasks");
}

std::int32_t LiveRequests::Begin(StreamId stream, Nanos release) {
  std::int32_t live = 0;
  if (free_.empty()) {
    if (parts_left_.size() == most_) FailTooMany();
    live = static_cast<std::int32_t>(parts_left_.size());
    parts_left_.push_back(0);
    waits_for_.resize(waits_for_.size() + segments_);
    ready_.resize(ready_.size() + segments_);
    place_.resize(place_.size() + tensors_ * memories_);
    element_bytes_.resize(element_bytes_.size() + tensors_);
    maker_.resize(maker_.size() + tensors_);
  } else {
    live = free_.back();
    free_.pop_back();
  }
  const Cut& cut = problem_->cut(stream);
  parts_left_[static_cast<std::size_t>(live)] = cut.segments;
  for (std::int32_t i = 0; i < cut.segments; ++i) {
    waits_for_[SegmentAt(live, i)] =
        problem_->segments()[cut.first.index() + static_cast<std::size_t>(i)].waits_for;
    ready_[SegmentAt(live, i)] = release;
  }
  for (std::size_t t = 0; t < cut.tensors.size(); ++t) {
    const auto tensor = static_cast<std::int32_t>(t);
    SetElementBytes(live, tensor, kFp32Bytes);
    SetMaker(live, tensor, UnitId());
    for (std::size_t m = 0; m < memories_; ++m) SetPlace(live, tensor, MemoryId(m), Place::kAbsent);
    if (!cut.tensors[t].producer.valid()) SetPlace(live, tensor, MemoryId(0), Place::kHere);
  }
  return live;
}

void LiveRequests::End(std::int32_t live) { free_.push_back(live); }

bool LiveRequests::InputMade(std::int32_t live, std::int32_t segment, Nanos now) {
  ready_[SegmentAt(live, segment)] = now;
  return --waits_for_[SegmentAt(live, segment)] == 0;
}

std::int64_t LiveRequests::ElementBytes(std::int32_t live, std::int32_t tensor) const {
  return element_bytes_[static_cast<std::size_t>(live) * tensors_ + static_cast<std::size_t>(tensor)];
}

void LiveRequests::SetElementBytes(std::int32_t live, std::int32_t tensor, std::int64_t bytes) {
  element_bytes_[static_cast<std::size_t>(live) * tensors_ + static_cast<std::size_t>(tensor)] =
      static_cast<std::int8_t>(bytes);
}

}  // namespace tandem
