// What is known of the requests under way that consist of several tasks, or that read what another one has
// handed on. Any other request of one task has no state: its place in a policy's queue is all that there is
// of it.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/problem/problem.h"
#include "policies/problem/task.h"

namespace tandem {

class LiveRequests {
 public:
  enum class Place : std::uint8_t { kAbsent, kComing, kHere };

  static constexpr std::size_t kMostBytes = std::size_t{4} << 30;

  explicit LiveRequests(const Problem& problem, std::size_t most_bytes = kMostBytes);

  // Begins a request; its place is what Task::live holds from then on. Throws InputError where those under
  // way would take more than there may be.
  std::int32_t Begin(StreamId stream, Nanos release);
  void End(std::int32_t live);

  // An input of the task is made: is it ready by this?
  bool InputMade(std::int32_t live, std::int32_t segment, Nanos now);
  Nanos ReadySince(std::int32_t live, std::int32_t segment) const { return ready_[SegmentAt(live, segment)]; }
  // One task, or one output on its way, more or fewer; true where nothing is left.
  void AddPart(std::int32_t live) { ++parts_left_[static_cast<std::size_t>(live)]; }
  bool PartEnded(std::int32_t live) { return --parts_left_[static_cast<std::size_t>(live)] == 0; }

  Place PlaceOf(std::int32_t live, std::int32_t tensor, MemoryId memory) const {
    return place_[TensorAt(live, tensor, memory)];
  }
  void SetPlace(std::int32_t live, std::int32_t tensor, MemoryId memory, Place place) {
    place_[TensorAt(live, tensor, memory)] = place;
  }
  // What an element of the tensor takes: set by the unit that makes it.
  std::int64_t ElementBytes(std::int32_t live, std::int32_t tensor) const;
  void SetElementBytes(std::int32_t live, std::int32_t tensor, std::int64_t bytes);
  // Of what is made, and of inputs that another request has handed on; else invalid.
  UnitId MakerOf(std::int32_t live, std::int32_t tensor) const {
    return maker_[static_cast<std::size_t>(live) * tensors_ + static_cast<std::size_t>(tensor)];
  }
  void SetMaker(std::int32_t live, std::int32_t tensor, UnitId unit) {
    maker_[static_cast<std::size_t>(live) * tensors_ + static_cast<std::size_t>(tensor)] = unit;
  }

 private:
  std::size_t SegmentAt(std::int32_t live, std::int32_t segment) const {
    return static_cast<std::size_t>(live) * segments_ + static_cast<std::size_t>(segment);
  }
  std::size_t TensorAt(std::int32_t live, std::int32_t tensor, MemoryId memory) const {
    return (static_cast<std::size_t>(live) * tensors_ + static_cast<std::size_t>(tensor)) * memories_ +
           memory.index();
  }

  std::size_t BytesOfOne() const;
  [[noreturn]] void FailTooMany() const;

  const Problem* problem_;
  std::size_t segments_ = 0, tensors_ = 0, memories_;  // the most of any cut
  std::size_t most_;                                   // at a time
  std::vector<std::int32_t> free_;
  std::vector<std::int32_t> parts_left_;
  std::vector<std::int32_t> waits_for_;  // per request and segment
  std::vector<Nanos> ready_;             // the same
  std::vector<Place> place_;             // per request, tensor and memory
  std::vector<std::int8_t> element_bytes_;
  std::vector<UnitId> maker_;  // per request and tensor
};

}  // namespace tandem
