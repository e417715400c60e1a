// Does a set of many units give them in their order, whatever came and went?
#include "policies/engine/unit_set.h"

#include <gtest/gtest.h>

#include <set>

#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

TEST(UnitSet, GivesThoseThatAreThereInTheirOrder) {
  for (const std::int64_t units : {1, 64, 65, 4097, 10000}) {
    UnitSet set(static_cast<std::size_t>(units));
    std::set<std::size_t> there;
    StreamRandom random("units", 1);
    for (int step = 0; step < 4000; ++step) {
      const auto unit = static_cast<std::size_t>(random.UniformUpTo(units - 1));
      const auto from = static_cast<std::size_t>(random.UniformUpTo(units));  // one beyond the last, too
      if (random.UniformUpTo(step < 2000 ? 3 : 1) > 0) {
        set.Add(UnitId(unit));
        there.insert(unit);
      } else {
        set.Remove(UnitId(unit));
        there.erase(unit);
      }
      EXPECT_EQ(set.Has(UnitId(unit)), there.contains(unit));
      const auto next = there.lower_bound(from);
      const UnitId expected = next == there.end() ? UnitId() : UnitId(*next);
      ASSERT_EQ(set.First(from), expected) << units << " units, step " << step << ", from " << from;
    }
  }
}

}  // namespace
}  // namespace tandem
