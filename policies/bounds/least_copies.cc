#include "policies/bounds/least_copies.h"

#include <algorithm>

namespace tandem {

LeastCopies::LeastCopies(const Problem& problem, OpenEdges edges)
    : problem_(&problem), any_(edges == OpenEdges::kNo), memories_(problem.platform().memories.size()) {
  const auto& units = problem.platform().units;
  any_ = any_ &&
         std::any_of(units.begin(), units.end(), [](const Unit& unit) { return unit.memory != MemoryId(0); });
}

// A way is chosen for a tensor of middling size; for others two ways after each other may be faster.
const std::vector<Nanos>& LeastCopies::LeastWays(std::int64_t bytes) const {
  if (bytes == bytes_) return ways_;
  bytes_ = bytes;
  ways_.clear();
  for (std::size_t from = 0; from < memories_; ++from) {
    for (std::size_t to = 0; to < memories_; ++to) {
      ways_.push_back(problem_->routes().Time(MemoryId(from), MemoryId(to), bytes));
    }
  }
  for (std::size_t over = 0; over < memories_; ++over) {
    for (std::size_t from = 0; from < memories_; ++from) {
      for (std::size_t to = 0; to < memories_; ++to) {
        const Nanos first = ways_[from * memories_ + over], then = ways_[over * memories_ + to];
        Nanos& least = ways_[from * memories_ + to];
        if (first < Nanos{0} || then < Nanos{0}) continue;
        if (least < Nanos{0} || first + then < least) least = first + then;
      }
    }
  }
  return ways_;
}

Nanos LeastCopies::Between(const CutTensor& tensor, UnitId made_by, UnitId reader) const {
  if (!any_ || (!made_by.valid() && !tensor.by_first)) return Nanos{0};
  const MemoryId from = made_by.valid() ? MemoryOf(made_by) : MemoryId(0), to = MemoryOf(reader);
  if (from == to) return Nanos{0};
  const std::int64_t element = made_by.valid() ? problem_->ElementBytes(made_by) : kFp32Bytes;
  return std::max(LeastWays(tensor.Bytes(element))[from.index() * memories_ + to.index()], Nanos{0});
}

Nanos LeastCopies::In(SegmentId id, UnitId unit) const {
  const MemoryId memory = MemoryOf(unit);
  if (!any_ || memory == MemoryId(0) || problem_->routes().ByEngines(MemoryId(0), memory)) return Nanos{0};
  const Segment& segment = problem_->segment(id);
  const Cut& cut = problem_->cut(segment.cut);
  Nanos total{0};
  for (std::size_t i = 0; i < segment.reads.size(); ++i) {
    const CutTensor& tensor = cut.tensors[static_cast<std::size_t>(segment.reads[i])];
    if (segment.modes[i] != TransferMode::kCopy) continue;
    if (tensor.producer.valid() || tensor.consumers.size() != 1 || !tensor.by_first) continue;
    total += std::max(problem_->routes().Time(MemoryId(0), memory, tensor.Bytes(kFp32Bytes)), Nanos{0});
  }
  return total;
}

Nanos LeastCopies::Back(SegmentId id, UnitId unit) const {
  const MemoryId memory = MemoryOf(unit);
  if (!any_ || memory == MemoryId(0)) return Nanos{0};
  const Segment& segment = problem_->segment(id);
  const Cut& cut = problem_->cut(segment.cut);
  Nanos total{0};
  for (const std::int32_t t : segment.makes) {
    const CutTensor& tensor = cut.tensors[static_cast<std::size_t>(t)];
    const std::int64_t bytes = tensor.Bytes(problem_->ElementBytes(unit));
    if (tensor.leaves && tensor.back == TransferMode::kCopy && tensor.by_first)
      total += std::max(problem_->routes().Time(memory, MemoryId(0), bytes), Nanos{0});
  }
  return total;
}

}  // namespace tandem
