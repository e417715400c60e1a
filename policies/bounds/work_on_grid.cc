#include "policies/bounds/work_on_grid.h"

#include <algorithm>
#include <cmath>

namespace tandem {
namespace {

Cells Nothing(std::size_t cells) {
  Cells nothing(cells);
  nothing[0] = 1;
  return nothing;
}

void Put(double value, double cell, double probability, Cells& cells) {
  const double at = std::ceil(value / cell);
  if (at < static_cast<double>(cells.size())) cells[static_cast<std::size_t>(at)] += probability;
}

// An exponential number more, in whole cells and at least one.
void AddTail(double mean, double cell, Cells& cells) {
  const double stays = std::exp(-cell / mean);
  double before = 0, sum = 0;
  for (double& here : cells) {
    sum = stays * sum + (1 - stays) * before;
    before = here;
    here = sum;
  }
}

}  // namespace

Cells Added(const Cells& a, const Cells& b) {
  Cells sum(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0) continue;
    for (std::size_t k = 0; i + k < sum.size(); ++k) sum[i + k] += a[i] * b[k];
  }
  return sum;
}

Cells LargerOf(const Cells& a, const Cells& b) {
  Cells larger(a.size());
  double up_to_a = 0, up_to_b = 0, before = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    up_to_a += a[i];
    up_to_b += b[i];
    const double up_to = std::min(up_to_a, up_to_b);
    larger[i] = std::max(up_to - before, 0.0);
    before = up_to;
  }
  return larger;
}

const Cells& WorkOnGrid::OfBlock(std::size_t group, std::size_t requests) {
  const auto [found, is_new] = of_block_.try_emplace({group, requests}, cells_);
  if (!is_new) return found->second;
  const DrawnTogether& drawn = work_->groups()[group];
  const std::size_t positions = drawn.values.size();
  Cells& all = found->second;
  for (std::size_t first = 0; first < positions; ++first) {
    double value = 0;
    std::vector<double> tails;
    for (std::size_t i = 0; i < requests; ++i) {
      const std::size_t at = (first + i) % positions;
      value += drawn.values[at];
      if (!drawn.tails.empty()) tails.insert(tails.end(), drawn.tails[at].begin(), drawn.tails[at].end());
    }
    const double probability = 1 / static_cast<double>(positions);
    if (tails.empty()) {
      Put(value, cell_, probability, all);
      continue;
    }
    Cells one(cells_);
    Put(value, cell_, probability, one);
    for (const double mean : tails) AddTail(mean, cell_, one);
    for (std::size_t c = 0; c < cells_; ++c) all[c] += one[c];
  }
  return all;
}

const Cells& WorkOnGrid::OfBlocks(std::size_t group, std::size_t blocks) {
  const auto known = of_blocks_.find({group, blocks});
  if (known != of_blocks_.end()) return known->second;
  Cells of = blocks == 0 ? Nothing(cells_)
                         : Added(OfBlock(group, work_->groups()[group].block), OfBlocks(group, blocks - 1));
  return of_blocks_.try_emplace({group, blocks}, std::move(of)).first->second;
}

Cells WorkOnGrid::OfGroup(std::size_t group, std::size_t requests) {
  const std::size_t block = work_->groups()[group].block;
  Cells largest;
  for (std::size_t of_first = 1; of_first <= std::min(block, requests); ++of_first) {
    const std::size_t rest = requests - of_first;
    Cells sum = Added(OfBlock(group, of_first), OfBlocks(group, rest / block));
    if (rest % block > 0) sum = Added(sum, OfBlock(group, rest % block));
    largest = largest.empty() ? std::move(sum) : LargerOf(largest, sum);
  }
  return largest.empty() ? Nothing(cells_) : largest;
}

const Cells& WorkOnGrid::Of(std::int64_t requests) {
  const auto [found, is_new] = of_.try_emplace(requests, Nothing(cells_));
  if (!is_new) return found->second;
  for (std::size_t g = 0; g < work_->groups().size(); ++g)
    found->second = Added(found->second, OfGroup(g, static_cast<std::size_t>(requests)));
  return found->second;
}

Cells OnGrid(const TaskLeft& task, double cell, std::size_t cells) {
  Cells left(cells);
  Put(task.fixed, cell, 1, left);
  for (const double mean : task.tails) AddTail(mean, cell, left);
  return left;
}

}  // namespace tandem
