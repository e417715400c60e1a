#include "profiles/costs/cheapest_cover.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "profiles/base/graph.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr std::size_t kMostStates = 50'000;  // per set of overlapping groups; a fraction of a second

SegmentCost Sum(const SegmentCost& a, const SegmentCost& b) {
  SegmentCost sum;
  sum.time = std::min(a.time + b.time, kLongestTime);  // keeps any number of terms from overflowing
  sum.energy_j.reset();
  if (a.energy_j && b.energy_j) sum.energy_j = *a.energy_j + *b.energy_j;
  sum.entries = a.entries + b.entries;
  return sum;
}

bool Cheaper(const SegmentCost& a, const SegmentCost& b) {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  return std::tuple(a.time, a.entries, a.energy_j.value_or(kUnknown)) <
         std::tuple(b.time, b.entries, b.energy_j.value_or(kUnknown));
}

// Which members are covered, 64 to a word.
using Covered = std::vector<std::uint64_t>;

bool Has(const Covered& covered, std::size_t member) { return (covered[member / 64] >> (member % 64)) & 1; }

// What overlapping groups tie together is covered by itself: the members of one component, renumbered.
struct Component {
  struct Group {
    CoverGroup group;
    std::size_t position = 0;  // among all groups
  };
  std::size_t size = 0;
  std::vector<std::vector<Group>> by_first;  // groups by their least member
};

// A way to have covered some members: its cost, and the last of the links that lead back to its groups.
struct Way {
  SegmentCost cost;
  std::size_t link = 0;
};
struct WayBack {
  std::size_t previous = 0;
  std::size_t group = 0;
};

// Goes through the members in order; `open[i]` holds the best cost of every way to have covered all before i
// but not i. A group enters at its least member, so each cover is met once. Adds the groups to `chosen`.
std::optional<SegmentCost> Cover(const Component& component, std::vector<std::size_t>& chosen) {
  using States = std::map<Covered, Way>;
  std::vector<States> open(component.size + 1);
  open[0].emplace(Covered(component.size / 64 + 1), Way{});
  std::vector<WayBack> links(1);  // the first stands for the beginning
  std::size_t states = 1;
  for (std::size_t at = 0; at < component.size; ++at) {
    for (const auto& [covered, way] : open[at]) {
      for (const auto& [group, position] : component.by_first[at]) {
        const auto taken = [&covered = covered](std::int32_t member) {
          return Has(covered, static_cast<std::size_t>(member));
        };
        if (std::any_of(group.members.begin(), group.members.end(), taken)) continue;
        Covered next = covered;
        for (const std::int32_t member : group.members)
          next[member / 64] |= std::uint64_t{1} << (member % 64);
        std::size_t first_open = at + 1;
        while (first_open < component.size && Has(next, first_open)) ++first_open;
        const SegmentCost sum = Sum(way.cost, group.cost);
        const auto [state, is_new] = open[first_open].try_emplace(std::move(next));
        if (is_new || Cheaper(sum, state->second.cost)) {
          state->second = {sum, links.size()};
          links.push_back({way.link, position});
        }
        if (is_new && ++states > kMostStates) {
          throw InputError("the profiled groups of layers overlap in too many ways to find the cheapest cut");
        }
      }
    }
    open[at].clear();
  }
  if (open[component.size].empty()) return std::nullopt;
  const Way& best = open[component.size].begin()->second;
  for (std::size_t link = best.link; link != 0; link = links[link].previous)
    chosen.push_back(links[link].group);
  return best.cost;
}

// The root of each member under "shares a group with".
std::vector<std::size_t> Roots(std::size_t size, const std::vector<CoverGroup>& groups) {
  DisjointSets joined(size);
  for (const CoverGroup& group : groups) {
    for (const std::int32_t member : group.members) {
      joined.Join(static_cast<std::size_t>(member), static_cast<std::size_t>(group.members[0]));
    }
  }
  std::vector<std::size_t> roots(size);
  for (std::size_t member = 0; member < size; ++member) roots[member] = joined.Of(member);
  return roots;
}

std::vector<Component> Split(std::size_t size, const std::vector<CoverGroup>& groups) {
  const std::vector<std::size_t> roots = Roots(size, groups);
  std::vector<Component> components;
  std::vector<std::size_t> component_of(size, size);
  std::vector<std::int32_t> position(size);
  for (std::size_t member = 0; member < size; ++member) {
    std::size_t& index = component_of[roots[member]];
    if (index == size) {
      index = components.size();
      components.emplace_back();
    }
    position[member] = static_cast<std::int32_t>(components[index].size++);
  }
  for (Component& component : components) component.by_first.resize(component.size);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const CoverGroup& group = groups[i];
    CoverGroup local{{}, group.cost};
    for (const std::int32_t member : group.members) {
      local.members.push_back(position[static_cast<std::size_t>(member)]);
    }
    Component& component = components[component_of[roots[static_cast<std::size_t>(group.members[0])]]];
    const auto first = static_cast<std::size_t>(local.members[0]);
    component.by_first[first].push_back({std::move(local), i});
  }
  return components;
}

}  // namespace

std::optional<SegmentCost> CheapestCover(std::size_t size, const std::vector<CoverGroup>& groups,
                                         std::vector<std::size_t>* chosen) {
  SegmentCost total;
  std::vector<std::size_t> taken;
  for (const Component& component : Split(size, groups)) {
    const auto cost = Cover(component, taken);
    if (!cost) return std::nullopt;
    total = Sum(total, *cost);
  }
  std::sort(taken.begin(), taken.end());
  if (chosen) *chosen = std::move(taken);
  return total;
}

}  // namespace tandem
