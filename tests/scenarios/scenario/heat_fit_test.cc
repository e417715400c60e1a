// Does a log of a run that became too hot give back the unit that it was made of?
#include "scenarios/scenario/heat_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/support/error_of.h"

namespace tandem {
namespace {

// A row a second of a unit that works all the time but for `idle` seconds from 150 on: 60 degrees above 25 in
// the end, a time constant of 40 s, held back to 0.4 of 1000 MHz from 70 on until 65. `noise`: of each
// temperature, now up, now down.
std::string Log(int seconds, double noise = 0, int idle = 0) {
  std::string text = "time_s,celsius,mhz,busy\n";
  double celsius = 25;
  bool held = false;
  for (int s = 0; s < seconds; ++s) {
    const bool idles = s > 150 && s <= 150 + idle;
    char line[80];
    std::snprintf(line, sizeof line, "%d,%.4f,%d,%d\n", s, celsius + (s % 2 == 0 ? noise : -noise),
                  held ? 400 : 1000, idles ? 0 : 1);
    text += line;
    const double towards = 25 + 60 * (s + 1 > 150 && s + 1 <= 150 + idle ? 0 : held ? 0.4 : 1);
    celsius = towards + (celsius - towards) * std::exp(-1 / 40.0);
    if (celsius >= 70) held = true;
    if (celsius <= 65) held = false;
  }
  return text;
}

HeatFit Fit(const std::string& text, std::optional<double> ambient = {}) {
  return FitHeat(ReadHeatLog(text, "burn.csv"), "burn.csv", ambient);
}

TEST(HeatFit, FindsWhatTheLogWasMadeOf) {
  const HeatFit fit = Fit(Log(400));
  EXPECT_NEAR(static_cast<double>(fit.heat.time_constant.count()) / 1e9, 40, 0.4);
  EXPECT_NEAR(fit.rise, 60, 0.6);
  EXPECT_NEAR(fit.heat.hot, 45 / 60.0, 0.02);
  EXPECT_NEAR(fit.heat.cool, 40 / 60.0, 0.02);
  EXPECT_NEAR(fit.heat.speed, 0.4, 1e-9);
  EXPECT_NEAR(fit.heat.warmth, 0, 0.01);
  EXPECT_TRUE(fit.recovered);
  EXPECT_LT(fit.off, 0.1);
}

TEST(HeatFit, NoiseIsSaidAndChangesLittle) {
  const HeatFit fit = Fit(Log(400, 1.0), 25);
  EXPECT_NEAR(static_cast<double>(fit.heat.time_constant.count()) / 1e9, 40, 4);
  EXPECT_NEAR(fit.rise, 60, 4);
  EXPECT_NEAR(fit.off, 1, 0.1);
}

TEST(HeatFit, KnowsFromAColumnWhenTheUnitIdled) {
  const HeatFit fit = Fit(Log(400, 0, 60));
  EXPECT_NEAR(static_cast<double>(fit.heat.time_constant.count()) / 1e9, 40, 0.4);
  EXPECT_NEAR(fit.rise, 60, 0.6);
}

TEST(HeatFit, WhereItNeverRecoversThatIsAssumedAndSaid) {
  const HeatFit fit = Fit(Log(60));
  EXPECT_FALSE(fit.recovered);
  EXPECT_DOUBLE_EQ(fit.heat.cool, kUsualCool * fit.heat.hot);
}

TEST(HeatFit, WhatSaysTooLittleIsRefusedWithWhatToDo) {
  const auto error = [](const std::string& text) { return ErrorOf([&] { Fit(text); }); };
  EXPECT_NE(error(Log(40)).find("burn.csv: the clock never falls below 97 % of its 1000 MHz"),
            std::string::npos)
      << error(Log(40));
  EXPECT_NE(error(Log(5)).find("burn.csv: has 5 rows; a fit takes 10"), std::string::npos);
  EXPECT_NE(error("time_s,celsius\n1,2\n").find("burn.csv: has no column \"mhz\""), std::string::npos)
      << error("time_s,celsius\n1,2\n");
  EXPECT_NE(
      error("time_s,celsius,mhz\n1,warm,1000\n").find("burn.csv:2: celsius is \"warm\", which is no number"),
      std::string::npos)
      << error("time_s,celsius,mhz\n1,warm,1000\n");
  EXPECT_NE(error("time_s,celsius,mhz\n1,30,1000\n1,31,1000\n").find("burn.csv:3: time_s does not ascend"),
            std::string::npos);
  std::string straight = "time_s,celsius,mhz\n";
  for (int s = 0; s < 20; ++s)
    straight += std::to_string(s) + "," + std::to_string(30 + s) + (s < 19 ? ",1000\n" : ",500\n");
  EXPECT_NE(error(straight).find("does not tell how warm the unit would become"), std::string::npos)
      << error(straight);
}

}  // namespace
}  // namespace tandem
