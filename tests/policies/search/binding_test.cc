// Are models bound to units as well as they can be, and the first of equally good ways taken?
#include "policies/search/binding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tandem {
namespace {

constexpr double kCannot = BindingChoice::kCannot;

BindingChoice Costs(std::vector<std::vector<double>> cost) {
  BindingChoice choice;
  choice.loads.assign(cost.size(), std::vector<char>(cost.front().size(), 0));
  choice.limits.resize(cost.front().size());
  choice.cost = std::move(cost);
  return choice;
}

// Nothing: the units are not allowed. Sharing is allowed where `distinct` is not asked for.
std::optional<double> Judge(const BindingChoice& choice, const std::vector<std::size_t>& units,
                            bool distinct) {
  std::vector<double> total(choice.limits.size());
  std::vector<std::int64_t> count(total.size()), unloadable(total.size());
  for (std::size_t m = 0; m < units.size(); ++m) {
    const std::size_t u = units[m];
    if (choice.cost[m][u] == kCannot) return std::nullopt;
    total[u] += choice.cost[m][u];
    ++count[u];
    unloadable[u] += choice.loads[m][u] ? 0 : 1;
    if (distinct && count[u] > 1) return std::nullopt;
  }
  for (std::size_t u = 0; u < total.size(); ++u) {
    if (choice.limits[u] && count[u] > *choice.limits[u] && unloadable[u] >= *choice.limits[u])
      return std::nullopt;
  }
  return *std::max_element(total.begin(), total.end());
}

// Looks at every list of units, the lexicographically smallest first.
std::optional<std::vector<std::size_t>> BestOfAll(const BindingChoice& choice, bool distinct) {
  std::optional<std::vector<std::size_t>> best;
  double least = 0;
  std::vector<std::size_t> units(choice.cost.size(), 0);
  for (bool more = true; more;) {
    const auto total = Judge(choice, units, distinct);
    if (total && (!best || *total < least)) {
      best = units;
      least = *total;
    }
    more = false;
    for (std::size_t m = units.size(); m-- > 0 && !more;) {
      more = ++units[m] < choice.limits.size();
      if (!more) units[m] = 0;
    }
  }
  return best;
}

TEST(Binding, IsTheFirstOfTheBestOfAll) {
  std::mt19937 random(3);
  int distinct = 0, shared = 0, none = 0;
  for (int round = 0; round < 600; ++round) {
    const std::size_t models = 1 + random() % 5, units = 1 + random() % 4;
    BindingChoice choice = Costs(std::vector(models, std::vector<double>(units)));
    for (std::size_t m = 0; m < models; ++m) {
      for (std::size_t u = 0; u < units; ++u) {
        choice.cost[m][u] = random() % 5 == 0 ? kCannot : static_cast<double>(random() % 12);
        choice.loads[m][u] = random() % 2 == 0;
      }
    }
    for (auto& limit : choice.limits) {
      if (random() % 3 == 0) limit = 1 + random() % 2;
    }
    auto expected = BestOfAll(choice, true);
    distinct += expected ? 1 : 0;
    if (!expected) {
      expected = BestOfAll(choice, false);
      ++(expected ? shared : none);
    }
    const auto found = BestBinding(choice);
    ASSERT_EQ(found.has_value(), expected.has_value());
    for (std::size_t m = 0; found && m < models; ++m) EXPECT_EQ((*found)[m].index(), (*expected)[m]);
  }
  EXPECT_GT(distinct, 100);
  EXPECT_GT(shared, 100);
  EXPECT_GT(none, 20);
}

TEST(Binding, ModelsShareOnlyWhereUnitsRunOut) {
  EXPECT_EQ(BestBinding(Costs({{1, 50}, {1, 60}})), (std::vector{UnitId(1), UnitId(0)}));
  EXPECT_EQ(BestBinding(Costs({{1, 50}, {1, 60}, {1, 70}})), (std::vector{UnitId(0), UnitId(0), UnitId(0)}));
  EXPECT_EQ(BestBinding(Costs({{1, kCannot}, {1, kCannot}})), (std::vector{UnitId(0), UnitId(0)}));
}

TEST(Binding, ManyModelsAndUnitsAreBoundAtOnce) {
  std::mt19937 random(5);
  const auto costs = [&](std::size_t models, std::size_t units) {
    std::vector<std::vector<double>> cost(models, std::vector<double>(units));
    for (auto& row : cost) {
      const double size = 1 << random() % 10;
      for (double& c : row) c = size * (1000 + random() % 9000);
    }
    return Costs(cost);
  };
  EXPECT_TRUE(BestBinding(costs(23, 64)));
  EXPECT_TRUE(BestBinding(costs(64, 64)));
  EXPECT_TRUE(BestBinding(costs(23, 4)));
}

}  // namespace
}  // namespace tandem
