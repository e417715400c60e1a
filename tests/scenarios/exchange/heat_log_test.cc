// Is what a device told beside its runs a log from which its unit's heat is found?
#include "scenarios/exchange/heat_log.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/error_of.h"

namespace tandem {
namespace {

// A moment a second of a unit "big" that idles from 150 s to 210 s and works else: 60 degrees above 25 in the
// end, a time constant of 40 s, held back to 0.4 of 1000 MHz from 70 degrees on until 65.
DeviceRun Burn(int seconds) {
  DeviceRun run;
  double celsius = 25;
  bool held = false;
  for (int s = 0; s < seconds; ++s) {
    const bool idled = s > 150 && s <= 210, will_idle = s + 1 > 150 && s + 1 <= 210;
    run.moments.push_back({Nanos{std::int64_t{s} * 1'000'000'000},
                           {{"cpu-thermal", celsius}, {"board", 24 + celsius / 25}},
                           {{"big", held ? 400.0 : 1000.0}, {"gpu", 800}},
                           {{"big", idled ? 0.0 : 1.0}},
                           held});
    const double towards = 25 + 60 * (will_idle ? 0 : held ? 0.4 : 1);
    celsius = towards + (celsius - towards) * std::exp(-1 / 40.0);
    if (celsius >= 70) held = true;
    if (celsius <= 65) held = false;
  }
  return run;
}

RunAnswer Answer() {
  RunAnswer answer;
  answer.runs = {Burn(20), Burn(400), Burn(3)};
  return answer;
}

std::string Wrong(const RunAnswer& answer, const std::string& unit, const std::string& zone = "") {
  return ErrorOf([&] { (void)HeatLogOf(answer, unit, zone, "r.json"); });
}

TEST(HeatLog, OfADevicesResultFindsTheUnit) {
  const std::vector<HeatLogRow> rows = HeatLogOf(Answer(), "big", "", "r.json");
  ASSERT_EQ(rows.size(), 400u) << "of the longest run";
  EXPECT_EQ(rows[7].place, "r.json:/runs/1/moments/7");
  EXPECT_EQ(rows[200].busy, 0);
  const HeatFit fit = FitHeat(rows, "r.json", 25);
  EXPECT_NEAR(static_cast<double>(fit.heat.time_constant.count()) / 1e9, 40, 0.4);
  EXPECT_NEAR(fit.rise, 60, 0.6);
  EXPECT_NEAR(fit.heat.hot, 45 / 60.0, 0.02);
  EXPECT_NEAR(fit.heat.speed, 0.4, 1e-9);
}

TEST(HeatLog, TakesTheZoneThatIsNamedElseTheOneThatGrewTheWarmest) {
  EXPECT_EQ(HeatLogOf(Answer(), "big", "", "r.json")[0].celsius, 25);
  EXPECT_EQ(HeatLogOf(Answer(), "big", "board", "r.json")[0].celsius, 25);
  EXPECT_LT(HeatLogOf(Answer(), "big", "board", "r.json")[60].celsius, 30);
  EXPECT_GT(HeatLogOf(Answer(), "big", "", "r.json")[60].celsius, 60);
}

TEST(HeatLog, SaysWhatTheDeviceDidNotTell) {
  EXPECT_EQ(Wrong(Answer(), "bg"), "r.json: tells no clock of \"bg\"; did you mean \"big\"?");
  EXPECT_EQ(Wrong(Answer(), "big", "cpu-termal"),
            "r.json: tells no temperature of \"cpu-termal\"; did you mean \"cpu-thermal\"?");
  EXPECT_EQ(Wrong({}, "big"),
            "r.json: has no \"moments\" of any run: nothing on that device tells of clocks or heat");
  RunAnswer cold = Answer();
  for (RunMoment& moment : cold.runs[1].moments) moment.celsius.clear();
  EXPECT_EQ(Wrong(cold, "big"), "r.json: tells no temperatures: the board has no thermal zones");
}

}  // namespace
}  // namespace tandem
