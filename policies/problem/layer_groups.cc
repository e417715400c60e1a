#include "policies/problem/layer_groups.h"

#include <functional>
#include <queue>

namespace tandem {
namespace {

// Per group (named by its first layer) those that read from it.
std::vector<std::vector<std::size_t>> Followers(const Model& model, LayerGroups& groups) {
  std::vector<std::vector<std::size_t>> next(model.size());
  for (std::size_t i = 0; i < model.size(); ++i) {
    for (const LayerId input : model.layers()[i].inputs) {
      if (groups.IsInput(input.index()) || groups.Of(input.index()) == groups.Of(i)) continue;
      next[groups.Of(input.index())].push_back(groups.Of(i));
    }
  }
  return next;
}

// Groups in topological order, the one with the smallest first layer first; those on a cycle, and what
// depends on them, are missing.
std::vector<std::size_t> InOrder(const Model& model, LayerGroups& groups) {
  const auto next = Followers(model, groups);
  std::vector<std::size_t> waits(model.size());
  for (const auto& followers : next) {
    for (const std::size_t follower : followers) ++waits[follower];
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> open;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (groups.Of(i) == i && !groups.IsInput(i) && waits[i] == 0) open.push(i);
  }
  std::vector<std::size_t> order;
  for (; !open.empty();) {
    const std::size_t group = open.top();
    open.pop();
    order.push_back(group);
    for (const std::size_t follower : next[group]) {
      if (--waits[follower] == 0) open.push(follower);
    }
  }
  return order;
}

}  // namespace

bool JoinCycle(const Model& model, LayerGroups& groups) {
  std::vector<char> left(model.size());
  for (std::size_t i = 0; i < model.size(); ++i) left[i] = groups.Of(i) == i && !groups.IsInput(i);
  for (const std::size_t group : InOrder(model, groups)) left[group] = 0;
  const auto start = std::find(left.begin(), left.end(), 1);
  if (start == left.end()) return false;
  // Every group that is left reads from one that is left: going backwards meets a group twice.
  std::vector<std::size_t> before(model.size(), model.size());
  const auto next = Followers(model, groups);
  for (std::size_t i = 0; i < model.size(); ++i) {
    for (const std::size_t follower : next[i]) {
      if (left[i] && left[follower]) before[follower] = std::min(before[follower], i);
    }
  }
  auto at = static_cast<std::size_t>(start - left.begin());
  for (; left[at] == 1; at = before[at]) left[at] = 2;
  for (std::size_t on = before[at]; on != at;) {
    const std::size_t earlier = before[on];
    groups.Join(on, at);
    on = earlier;
  }
  return true;
}

std::vector<CutPiece> PiecesOf(const Model& model, LayerGroups& groups) {
  const std::vector<std::size_t> order = InOrder(model, groups);
  std::vector<std::size_t> place(model.size(), order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<CutPiece> pieces(order.size());
  for (std::size_t i = 0; i < model.size(); ++i) {
    const std::size_t at = groups.IsInput(i) ? order.size() : place[groups.Of(i)];
    if (at < order.size()) pieces[at].layers.emplace_back(i);
  }
  return pieces;
}

}  // namespace tandem
