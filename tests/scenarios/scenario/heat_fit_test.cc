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

// A row a second of a unit that idles at 200 MHz before and behind its work: 80 degrees above 25 in the end,
// a time constant of 60 s, held back to 600 of 1000 MHz from 85 on until 80.
struct Workday {
  int before = 0, work = 400, behind = 0;
  bool tells_busy = true;
  int jitter = 0;  // of the clock's readings, in MHz, up and down

  std::string Text() const {
    std::string text = tells_busy ? "time_s,celsius,mhz,busy\n" : "time_s,celsius,mhz\n";
    double celsius = 25;
    bool held = false;
    constexpr int kTicks = 100;
    for (int tick = 0; tick < (before + work + behind) * kTicks; ++tick) {
      const int second = tick / kTicks;
      const bool works = second >= before && second < before + work;
      if (tick % kTicks == 0) {
        const int off = second * 7919 % (2 * jitter + 1) - jitter;
        char line[80];
        std::snprintf(line, sizeof line, "%d,%.1f,%d", second, celsius,
                      (works ? held ? 600 : 1000 : 200) + off);
        text += line + std::string(!tells_busy ? "\n" : works ? ",1\n" : ",0\n");
      }
      const double towards = 25 + 80 * (works ? held ? 0.6 : 1 : 0);
      celsius = towards + (celsius - towards) * std::exp(-1.0 / kTicks / 60);
      held = held ? celsius > 80 : celsius >= 85;
    }
    return text;
  }
};

void ExpectFound(const Workday& day) {
  const HeatFit fit = Fit(day.Text());
  SCOPED_TRACE(std::to_string(day.before) + " " + std::to_string(day.work) + " " +
               std::to_string(day.behind) + (day.tells_busy ? " tells" : " does not tell"));
  EXPECT_NEAR(static_cast<double>(fit.heat.time_constant.count()) / 1e9, 60, 2);
  EXPECT_NEAR(fit.rise, 80, 1);
  EXPECT_NEAR(fit.heat.hot, 0.75, 0.01);
  EXPECT_NEAR(fit.heat.cool, 0.6875, 0.01);
  EXPECT_NEAR(fit.heat.speed, 0.6, 0.01);
  EXPECT_TRUE(fit.recovered);
}

TEST(HeatFit, ALowClockWithoutWorkIsNoThrottling) {
  for (const bool tells : {true, false}) {
    ExpectFound({.before = 30, .tells_busy = tells});
    ExpectFound({.work = 200, .behind = 400, .tells_busy = tells});
    ExpectFound({.before = 30, .work = 200, .behind = 400, .tells_busy = tells});
    ExpectFound({.behind = 10, .tells_busy = tells});  // in which it cools down by little
  }
}

TEST(HeatFit, WhoseLogEndsWhileItIsHeldBackForTheFirstTimeWasHeldBack) {
  const HeatFit fit = Fit(Workday{.work = 90, .tells_busy = false}.Text());
  EXPECT_NEAR(fit.heat.hot, 0.75, 0.01);
  EXPECT_NEAR(fit.heat.speed, 0.6, 1e-9);
  EXPECT_FALSE(fit.recovered);
}

TEST(HeatFit, AClockThatJittersIsHeldBackWhereItIsFarBelowThat) {
  for (const int jitter : {5, 20, 40}) ExpectFound({.jitter = jitter});
  EXPECT_NE(
      ErrorOf([] { Fit(Workday{.work = 60, .jitter = 40}.Text()); }).find("the clock never falls below"),
      std::string::npos);
}

TEST(HeatFit, ASpikeOfTheClockIsNotItsFullOne) {
  std::string text = Workday{}.Text();
  text.replace(text.find(",1000,"), 6, ",1800,");
  EXPECT_NEAR(Fit(text).heat.speed, 0.6, 1e-9);
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
  std::string idle = "time_s,celsius,mhz,busy\n";
  for (int s = 0; s < 20; ++s) idle += std::to_string(s) + ",30,1000,0.1\n";
  EXPECT_NE(error(idle).find("burn.csv: the unit is hardly at work in it"), std::string::npos) << error(idle);
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
