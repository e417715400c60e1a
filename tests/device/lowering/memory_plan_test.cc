// Do values that live at the same time lie apart, and do others share memory?
#include <gtest/gtest.h>

#include "device/lowering/memory_plan.h"

namespace tandem {
namespace {

ValueId Living(MemoryPlan& plan, std::int64_t count, std::size_t first, std::size_t last) {
  const ValueId id = plan.Add(count);
  plan.Touch(id, first);
  plan.Touch(id, last);
  return id;
}

TEST(MemoryPlanTest, ValuesThatFollowEachOtherShareMemory) {
  MemoryPlan plan;
  const ValueId a = Living(plan, 64, 0, 1), b = Living(plan, 64, 1, 2), c = Living(plan, 64, 2, 3);
  EXPECT_EQ(plan.Allocate(), 128);
  EXPECT_EQ(plan.ArenaOffset(a), plan.ArenaOffset(c));
  EXPECT_NE(plan.ArenaOffset(a), plan.ArenaOffset(b));
}

TEST(MemoryPlanTest, AHoleIsFilled) {
  MemoryPlan plan;
  const ValueId large = Living(plan, 160, 0, 0);
  const ValueId long_lived = Living(plan, 32, 0, 5);
  const ValueId later = Living(plan, 96, 1, 2), beside = Living(plan, 64, 2, 3);
  EXPECT_EQ(plan.Allocate(), 192);
  EXPECT_EQ(plan.ArenaOffset(large), 0);
  EXPECT_EQ(plan.ArenaOffset(long_lived), 160);
  EXPECT_EQ(plan.ArenaOffset(later), 0);
  EXPECT_EQ(plan.ArenaOffset(beside), 96);
}

TEST(MemoryPlanTest, APartLiesInItsWholeWhichLivesAsLong) {
  MemoryPlan plan;
  const ValueId whole = plan.Add(64), part = Living(plan, 32, 0, 1), inner = Living(plan, 16, 3, 4);
  const ValueId other = Living(plan, 64, 4, 5);
  plan.Place(part, whole, 32);
  plan.Place(inner, part, 16);
  EXPECT_EQ(plan.Allocate(), 128);
  EXPECT_EQ(plan.ArenaOffset(inner), plan.ArenaOffset(whole) + 48);
  EXPECT_NE(plan.ArenaOffset(other), plan.ArenaOffset(whole));
  EXPECT_EQ(plan.RootOf(inner), whole);
}

TEST(MemoryPlanTest, WhatComesFromOutsideTakesNoMemory) {
  MemoryPlan plan;
  plan.MakeExternal(Living(plan, 1000, 0, 1));
  Living(plan, 17, 0, 1);
  EXPECT_EQ(plan.Allocate(), 32);
}

}  // namespace
}  // namespace tandem
