// Are the steps of a probe told apart by what ran beside them?
#include "device/profiler/samples/chain_passes.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

// Two passes of three parts that take 100, 10 and 50, from 1000 and from 2000 on.
ChainPasses TwoPasses() {
  return {
      3, {Nanos{1000}, Nanos{2000}}, {Nanos{100}, Nanos{10}, Nanos{50}, Nanos{100}, Nanos{10}, Nanos{50}}};
}

TEST(ChainPasses, HaveTheMeanTimeOfEachPart) {
  ChainPasses passes = TwoPasses();
  passes.times[3] = Nanos{300};
  EXPECT_EQ(passes.MeanTime(0), 200);
  EXPECT_EQ(passes.MeanTime(2), 50);
  EXPECT_EQ(ChainPasses{}.MeanTime(0), 0) << "nothing ran";
}

TEST(ChainPasses, AStepIsOfThePartThatItsMiddleLiesIn) {
  const std::vector<ProbeStep> steps = {
      {Nanos{990}, Nanos{18}},   // its middle is before the pass
      {Nanos{995}, Nanos{20}},   // of the first part
      {Nanos{1040}, Nanos{40}},  // of the first
      {Nanos{1102}, Nanos{12}},  // longer than the second
      {Nanos{1120}, Nanos{30}},  // of the third
      {Nanos{1500}, Nanos{30}},  // between the passes
      {Nanos{2080}, Nanos{30}},  // of the first again
      {Nanos{2500}, Nanos{30}},  // after all
  };
  EXPECT_EQ(MeanStepsWithin(TwoPasses(), steps), (std::vector<double>{30, 0, 30}));
  EXPECT_EQ(MeanStepsWithin(TwoPasses(), {}), (std::vector<double>{0, 0, 0}));
}

}  // namespace
}  // namespace tandem
