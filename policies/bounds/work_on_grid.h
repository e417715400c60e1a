// How likely sums of what requests take are, by convolution on a grid of cells: every number is rounded up to
// whole cells, so that no sum is made less.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "policies/bounds/request_work.h"

namespace tandem {

// The probability of each number of cells; what is beyond the last is left out.
using Cells = std::vector<double>;
Cells Added(const Cells& a, const Cells& b);  // of two that are independent
// One that is no less likely to be beyond any number of cells than either.
Cells LargerOf(const Cells& a, const Cells& b);

class WorkOnGrid {
 public:
  static constexpr std::int64_t kMostRequests = 256;

  WorkOnGrid(const RequestWork& work, double cell, std::size_t cells)
      : work_(&work), cell_(cell), cells_(cells) {}

  // What that many requests in a row take, wherever they begin, beside what is the same of each.
  const Cells& Of(std::int64_t requests);

 private:
  const Cells& OfBlock(std::size_t group, std::size_t requests);
  const Cells& OfBlocks(std::size_t group, std::size_t blocks);  // whole ones
  Cells OfGroup(std::size_t group, std::size_t requests);

  const RequestWork* work_;
  double cell_;
  std::size_t cells_;
  std::map<std::int64_t, Cells> of_;
  std::map<std::pair<std::size_t, std::size_t>, Cells> of_block_, of_blocks_;
};

// What is left of a task that has begun.
Cells OnGrid(const TaskLeft& task, double cell, std::size_t cells);

}  // namespace tandem
