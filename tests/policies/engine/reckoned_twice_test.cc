// Does the judge of traces come to what the engines come to by its own reckoning: when heat holds a unit
// back, and whose turn it is on one that takes turns?
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "policies/engine/turns.h"
#include "policies/engine/warmth.h"
#include "scenarios/check/heat.h"
#include "scenarios/check/turns.h"

namespace tandem {
namespace {

using Changes = std::vector<std::pair<std::int64_t, double>>;
using Holders = std::vector<std::pair<std::int64_t, std::int32_t>>;

Changes Dated(const std::vector<CheckedSpeed>& speeds) {
  Changes dated;
  for (const CheckedSpeed& speed : speeds) dated.emplace_back(speed.at.count(), speed.speed);
  return dated;
}

// A time constant of a millisecond.
UnitHeat HeatOfCheck(double hot, double cool, double speed, double warmth = 0) {
  return {UnitId(0), Nanos{1'000'000}, hot, cool, speed, warmth};
}
std::int64_t NanosAfter(double constants) { return static_cast<std::int64_t>(std::ceil(constants * 1e6)); }

TEST(CheckedHeat, FollowsTheSpeedThatTheUnitHas) {
  const std::vector<CheckedSpeed> slow_then_idle = {{Nanos{0}, 0.5}, {Nanos{9'000'000}, 0}};
  EXPECT_EQ(Dated(HeldBackByHeat(HeatOfCheck(0.6, 0.3, 0.1), slow_then_idle)), (Changes{{0, 1}}));
  // Towards 0.5 until 0.4, towards 0.05 until 0.3, and so on: a tenth, then a third, then a tenth of the
  // differences.
  const std::int64_t hot = NanosAfter(std::log(5)),
                     cool = hot + NanosAfter(std::log((0.4 - 0.05) / (0.3 - 0.05))),
                     again = cool + NanosAfter(std::log(2));
  const Changes held =
      Dated(HeldBackByHeat(HeatOfCheck(0.4, 0.3, 0.1), {{Nanos{0}, 0.5}, {Nanos{again + 10}, 0}}));
  EXPECT_EQ(held, (Changes{{0, 1}, {hot, 0.1}, {cool, 1}, {again, 0.1}}));
}

// As the engines go: at what changes, and when they are woken.
Changes HeldInEngines(const UnitHeat& heat, const std::vector<CheckedSpeed>& goes) {
  Warmth warmth(heat);
  Changes held = {{0, warmth.speed()}};
  double speed = 0;
  const auto go = [&](Nanos now) {
    warmth.Goes(now, speed);
    if (warmth.speed() != held.back().second) held.emplace_back(now.count(), warmth.speed());
  };
  for (const CheckedSpeed& next : goes) {
    while (warmth.next_change() < next.at) go(warmth.next_change());
    go(next.at);  // what comes by then comes before
    speed = next.speed;
    go(next.at);
  }
  return held;
}

TEST(CheckedHeat, IsThatOfTheEnginesWhateverTheUnitDoes) {
  std::mt19937_64 bits(1);
  const auto between = [&](std::uint64_t least, std::uint64_t most) {
    return least + bits() % (most - least + 1);
  };
  std::size_t changes = 0;
  for (int round = 0; round < 500; ++round) {
    const double hot = static_cast<double>(between(10, 90)) / 100;
    const UnitHeat heat = HeatOfCheck(hot, hot * static_cast<double>(between(60, 98)) / 100,
                                      static_cast<double>(between(1, 20)) / 20,
                                      hot * static_cast<double>(between(0, 110)) / 100);
    std::vector<CheckedSpeed> goes;
    std::int64_t at = static_cast<std::int64_t>(between(0, 1));
    for (int piece = 0; piece < 30; ++piece) {
      const double speed = piece % 2 == 1 ? 0 : static_cast<double>(between(1, 20)) / 10;
      goes.push_back({Nanos{at}, speed});
      at += static_cast<std::int64_t>(between(1, 2'000'000));
    }
    if (heat.speed == 1) continue;  // nothing shows when it changes
    const Changes held = Dated(HeldBackByHeat(heat, goes));
    EXPECT_EQ(held, HeldInEngines(heat, goes)) << "round " << round;
    changes += held.size() - 1;
  }
  EXPECT_GT(changes, 1000U);
}

Unit Taking(std::int64_t slice, std::int64_t switching) {
  Unit unit;
  unit.slots = 4;
  unit.time_shared = true;
  unit.slice = Nanos{slice};
  unit.switching = Nanos{switching};
  return unit;
}

// Only what changes.
void AddHolder(Holders& holders, Nanos at, std::int32_t slot) {
  if (!holders.empty() && holders.back().first == at.count()) holders.pop_back();
  if ((holders.empty() ? -1 : holders.back().second) != slot) holders.emplace_back(at.count(), slot);
}

Holders ByCheck(const Unit& unit, const std::vector<CheckedAtWork>& at_work) {
  Holders holders;
  for (const CheckedTurn& turn : TurnsTaken(unit, at_work)) AddHolder(holders, turn.at, turn.slot);
  return holders;
}

Holders ByEngines(const Unit& unit, const std::vector<CheckedAtWork>& at_work) {
  Turns turns(unit);
  Holders holders;
  std::vector<std::int32_t> working;
  const auto go = [&](Nanos at) {
    turns.Goes(at, working);
    AddHolder(holders, at, turns.holder().value_or(-1));
  };
  for (const CheckedAtWork& next : at_work) {
    while (turns.next_change() < next.at) go(turns.next_change());
    working = next.slots;
    go(next.at);
  }
  return holders;
}

// Slot 1 alone until slot 0 comes at 5, whose wait is a slice of 10; a switch takes 2. Who is done gives the
// rest up; after a pause the one that had it last needs no switch.
TEST(CheckedTurns, GoRoundWithASwitchBetweenThem) {
  const std::vector<CheckedAtWork> at_work = {{Nanos{1}, {1}},  {Nanos{5}, {0, 1}}, {Nanos{40}, {0}},
                                              {Nanos{50}, {}},  {Nanos{60}, {0}},   {Nanos{70}, {}},
                                              {Nanos{80}, {1}}, {Nanos{90}, {}}};
  EXPECT_EQ(ByCheck(Taking(10, 2), at_work), (Holders{{1, 1},
                                                      {15, -1},
                                                      {17, 0},
                                                      {27, -1},
                                                      {29, 1},
                                                      {39, -1},
                                                      {41, 0},
                                                      {50, -1},
                                                      {60, 0},
                                                      {70, -1},
                                                      {82, 1},
                                                      {90, -1}}));
}

TEST(CheckedTurns, AreThoseOfTheEnginesWhoeverWorks) {
  std::mt19937_64 bits(1);
  std::size_t changes = 0;
  for (int round = 0; round < 500; ++round) {
    const Unit unit =
        Taking(static_cast<std::int64_t>(1 + bits() % 20), static_cast<std::int64_t>(bits() % 5));
    std::vector<CheckedAtWork> at_work;
    std::int64_t at = 0;
    for (int change = 0; change < 40; ++change) {
      CheckedAtWork next{Nanos{at}, {}};
      for (std::int32_t slot = 0; slot < 4; ++slot) {
        if (bits() % 3 > 0) next.slots.push_back(slot);
      }
      at_work.push_back(std::move(next));
      at += static_cast<std::int64_t>(1 + bits() % 40);
    }
    at_work.push_back({Nanos{at}, {}});
    const Holders holders = ByCheck(unit, at_work);
    EXPECT_EQ(holders, ByEngines(unit, at_work)) << "round " << round;
    changes += holders.size();
  }
  EXPECT_GT(changes, 10'000U);
}

}  // namespace
}  // namespace tandem
