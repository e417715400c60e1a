// Do designs have the points that they promise, the same ones everywhere?
#include "sim/sweep/design.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/support/sweep_text.h"

namespace tandem {
namespace {

using Texts = std::vector<std::string>;

std::string AxisOf(const std::string& name, const std::string& values,
                   const std::string& pointer = "/streams/0/count") {
  return R"({"name": ")" + name + R"(", "pointers": [")" + pointer + R"("], )" + values + "}";
}
std::string RangeOf(const std::string& range) { return R"("range": {)" + range + "}"; }

Texts LevelsOf(const std::string& range, const std::string& pointer = "/streams/0/count") {
  return RangeLevels(SweepWith(AxisOf("n", RangeOf(range), pointer)).axes[0]);
}

Texts ColumnOf(const Sweep& sweep, std::size_t axis) {
  const SweepPoints points(sweep);
  Texts column;
  for (std::int64_t p = 0; p < points.size(); ++p) column.push_back(points.At(p)[axis]);
  return column;
}

TEST(SweepRanges, StepThroughIntegersByOne) {
  EXPECT_EQ(LevelsOf(R"("from": 1, "to": 5)"), (Texts{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(LevelsOf(R"("from": 1, "to": 6, "step": 2)"), (Texts{"1", "3", "5"}));
}

TEST(SweepRanges, HaveStepsAndPointsWithoutTheDustOfBinaryFractions) {
  EXPECT_EQ(LevelsOf(R"("from": 0.1, "to": 0.4, "step": 0.1)"), (Texts{"0.1", "0.2", "0.3", "0.4"}));
  EXPECT_EQ(LevelsOf(R"("from": 0, "to": 1, "points": 5)"), (Texts{"0", "0.25", "0.5", "0.75", "1"}));
  EXPECT_EQ(LevelsOf(R"("from": 3, "to": 9, "points": 1)"), Texts{"3"});
}

TEST(SweepRanges, AreLogarithmicWhereAsked) {
  EXPECT_EQ(LevelsOf(R"("from": 1, "to": 1000, "points": 4, "scale": "log")"),
            (Texts{"1", "10", "100", "1000"}));
  EXPECT_EQ(LevelsOf(R"("from": 1, "to": 100, "points": 4, "scale": "log", "integer": true)"),
            (Texts{"1", "5", "22", "100"}));
}

TEST(SweepRanges, OfTimesAreWholeNanoseconds) {
  EXPECT_EQ(LevelsOf(R"("from": 1, "to": 2, "points": 4)", "/streams/0/deadline_us"),
            (Texts{"1", "1.333", "1.667", "2"}));
}

TEST(AGrid, HasAllCombinationsTheLastAxisFastest) {
  const Sweep sweep = SweepWith(AxisOf("a", R"("values": [1, 2])") + ", " +
                                AxisOf("b", R"("values": ["x", "y", "z"])", "/name"));
  EXPECT_EQ(ColumnOf(sweep, 0), (Texts{"1", "1", "1", "2", "2", "2"}));
  EXPECT_EQ(ColumnOf(sweep, 1), (Texts{"\"x\"", "\"y\"", "\"z\"", "\"x\"", "\"y\"", "\"z\""}));
}

TEST(AGrid, OfNoAxesIsOnePoint) { EXPECT_EQ(SweepPoints(SweepWith("")).size(), 1); }

std::string Designed(const std::string& type, int points, int seed) {
  return R"({"type": ")" + type + R"(", "points": )" + std::to_string(points) + R"(, "seed": )" +
         std::to_string(seed) + "}";
}

TEST(ALatinHypercube, TakesEachSliceOfEachAxisOnce) {
  const Sweep sweep = SweepWith(AxisOf("n", RangeOf(R"("from": 1, "to": 20)")) + ", " +
                                    AxisOf("rate", RangeOf(R"("from": 0.5, "to": 4.5)"), "/streams/1/rate"),
                                Designed("latin_hypercube", 20, 7));
  const Texts counts = ColumnOf(sweep, 0);
  EXPECT_EQ(std::set<std::string>(counts.begin(), counts.end()).size(), 20U);
  std::set<int> slices;
  for (const std::string& rate : ColumnOf(sweep, 1))
    slices.insert(static_cast<int>((std::stod(rate) - 0.5) * 5));
  EXPECT_EQ(slices.size(), 20U);
}

TEST(ARandomDesign, StaysInItsRangesAndDependsOnItsSeedAlone) {
  const std::string axis = AxisOf("n", RangeOf(R"("from": 3, "to": 5)"));
  const Texts column = ColumnOf(SweepWith(axis, Designed("random", 50, 1)), 0);
  EXPECT_EQ(std::set<std::string>(column.begin(), column.end()), (std::set<std::string>{"3", "4", "5"}));
  EXPECT_EQ(ColumnOf(SweepWith(axis, Designed("random", 50, 1)), 0), column);
  EXPECT_NE(ColumnOf(SweepWith(axis, Designed("random", 50, 2)), 0), column);
}

TEST(ARandomDesign, DrawsTheSameForAnAxisWhateverOthersThereAre) {
  const std::string n = AxisOf("n", RangeOf(R"("from": 1, "to": 1000)"));
  const std::string rate =
      AxisOf("rate", RangeOf(R"("from": 1, "to": 90, "scale": "log")"), "/streams/1/rate");
  for (const std::string type : {"random", "latin_hypercube"}) {
    const std::string design = Designed(type, 12, 3);
    EXPECT_EQ(ColumnOf(SweepWith(n, design), 0), ColumnOf(SweepWith(rate + ", " + n, design), 1));
  }
}

TEST(ARandomDesign, ChoosesAmongValues) {
  const Texts column =
      ColumnOf(SweepWith(AxisOf("n", R"("values": [2, 4, 8])"), Designed("latin_hypercube", 9, 1)), 0);
  for (const char* value : {"2", "4", "8"}) EXPECT_EQ(std::count(column.begin(), column.end(), value), 3);
}

TEST(CountingPoints, StopsAtTheMost) {
  const Sweep sweep = SweepWith(AxisOf("a", RangeOf(R"("from": 1, "to": 100)")) + ", " +
                                AxisOf("b", RangeOf(R"("from": 1, "to": 100)"), "/seed"));
  EXPECT_EQ(CountPoints(sweep, 10000), 10000);
  EXPECT_EQ(CountPoints(sweep, 9999), 10000);
  EXPECT_EQ(CountPoints(sweep, 50), 51);
}

}  // namespace
}  // namespace tandem
