// Which ranges a thread was in, and which of them in which others.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "profiles/dumps/nsys/export.h"

namespace tandem::nsys {

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

class Nesting {
 public:
  // Ranges of any threads; of equal ones the first is the outer one.
  explicit Nesting(std::vector<Range> ranges);

  // By thread, then by start: the outer ones of a thread come before those in them.
  const std::vector<Range>& ranges() const { return ranges_; }
  std::size_t Parent(std::size_t range) const { return parents_[range]; }
  // The innermost that all of `span` lies in, on that thread; kNone where there is none.
  std::size_t Around(std::uint64_t thread, const Span& span) const;
  // Two that overlap, neither of them in the other: nobody knows then which one is the inner.
  const std::vector<std::pair<std::size_t, std::size_t>>& crossing() const { return crossing_; }
  std::size_t deepest() const { return deepest_; }

 private:
  std::vector<Range> ranges_;
  std::vector<std::size_t> parents_;
  std::vector<std::pair<std::size_t, std::size_t>> crossing_;
  std::size_t deepest_ = 0;
};

}  // namespace tandem::nsys
