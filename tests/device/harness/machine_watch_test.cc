// Is a run that finds the machine disturbed known as one, made again, and never passed off as a good one?
#include "device/harness/machine_watch.h"

#include <deque>

#include "device/harness/harness.h"
#include "profiles/base/files.h"
#include "scenarios/trace/read.h"
#include "tests/support/device/board_trees.h"
#include "tests/support/device/harness_files.h"

namespace tandem {
namespace {

const std::map<std::string, Nanos> kLevels = {{"one", Nanos{100'000}}, {"two", Nanos{200'000}}};

TEST(JudgeMachine, CountsTheWorstOfWhatIsTold) {
  EXPECT_FALSE(JudgeMachine({}, {}, {}).disturbed()) << "nothing is told";
  EXPECT_FALSE(JudgeMachine(0.009, {}, {}).disturbed());
  EXPECT_TRUE(JudgeMachine(0.011, {}, {}).disturbed());
  const auto judged = [](std::int64_t before, std::int64_t after) {
    return JudgeMachine(
        0.0, {{"one", {Nanos{before}, Nanos{after}}}, {"two", {Nanos{200'000}, Nanos{200'000}}}}, kLevels);
  };
  EXPECT_FALSE(judged(107'000, 93'000).disturbed());
  EXPECT_TRUE(judged(109'000, 100'000).disturbed());
  EXPECT_TRUE(judged(100'000, 91'000).disturbed()) << "faster than it was profiled";
  EXPECT_NEAR(judged(104'000, 116'000).disturbance, 2, 1e-9);
}

TEST(JudgeMachine, ClocksHeldBackDisturbAndMakeNothingElseLess) {
  EXPECT_DOUBLE_EQ(JudgeMachine({}, {}, {}, "hot").disturbance, 1);
  EXPECT_DOUBLE_EQ(JudgeMachine(0.005, {}, {}, "hot").disturbance, 1);
  EXPECT_DOUBLE_EQ(JudgeMachine(0.03, {}, {}, "hot").disturbance, 3);
}

// A unit whose yardstick reads what a test wants, one reading after the other and the last one for ever.
class Tries : public HarnessFiles {
 protected:
  Tries() {
    units = R"([{"name": "fake", "kind": "cpu", "memory": "dram", "backend": "reference", "cores": [0]}])";
    streams = R"([{"name": "x", "model": "./m0.json", "count": 2, "arrival": {"type": "offline"}}])";
    const std::string end = R"("cache_mode": "warm"})";
    origin.replace(origin.find(end), end.size(), R"("cache_mode": "warm", "yardsticks_us": {"fake": 100}})");
  }

  RunAnswer Run(std::int64_t tries, std::vector<std::int64_t> micros) {
    readings = {micros.begin(), micros.end()};
    HarnessHost place = Place(&fake);
    place.patience = patience;
    place.yardstick_of = [this](const Unit&, Processor&, std::int64_t&) { return [this] { return Next(); }; };
    place.read_taken = [this](auto, auto) { return NextTaken(); };
    place.clocks.root = board;
    RunOrder request = Request({R"("fcfs")"});
    request.tries = tries;
    request.trace = true;
    return RunPlans(request, place);
  }

  Nanos Next() {
    if (at_reading) at_reading(++asked);
    const Nanos reading{readings.front() * 1000};
    if (readings.size() > 1) readings.pop_front();
    return reading;
  }
  TakenReading NextTaken() {
    now += Nanos{1000};
    taken += Nanos{reads++ % 2 == 1 && !stolen.empty() ? stolen.front() : 0};
    if (reads % 2 == 0 && stolen.size() > 1) stolen.pop_front();
    waited += wait;
    others += of_others;
    return {now, taken, waited, others};
  }

  void WriteCooling(const std::string& file, int value) const {
    const std::filesystem::path path = board / "sys/class/thermal/cooling_device1" / file;
    std::filesystem::create_directories(path.parent_path());
    WriteFile(path, std::to_string(value) + "\n");
  }

  FakeKernels fake;
  std::filesystem::path board = folder / "board";  // its /sys; as it is it tells of no heat
  std::function<void(int reading)> at_reading;     // from 1; may be empty
  int asked = 0;                                   // while there is one
  Nanos patience{0};
  std::deque<std::int64_t> readings;
  std::deque<std::int64_t> stolen;  // of the 1000 ns that each run takes by this clock
  Nanos now{0}, taken{0}, waited{0}, others{0};
  Nanos wait{0}, of_others{0};  // of each run, too
  int reads = 0;
};

TEST_F(Tries, AnUndisturbedRunIsMadeOnce) {
  const RunAnswer answer = Run(3, {101, 99});
  ASSERT_EQ(answer.runs.size(), 1U);
  const DeviceRun& run = answer.runs[0];
  EXPECT_FALSE(run.disturbed);
  EXPECT_EQ(run.tries, 1);
  EXPECT_EQ(run.taken, 0.0);
  EXPECT_EQ(run.yardsticks.at("fake").before, Nanos{101'000});
  EXPECT_EQ(run.yardsticks.at("fake").after, Nanos{99'000});
  EXPECT_TRUE(run.heat.empty() && run.held_back.empty()) << "a board that tells of no heat";
}

TEST_F(Tries, ADisturbedRunIsMadeAgainAndDoesNotCount) {
  const RunAnswer answer = Run(3, {160, 100, 100, 130, 130, 100, 101});
  ASSERT_EQ(answer.runs.size(), 1U);
  EXPECT_FALSE(answer.runs[0].disturbed);
  EXPECT_EQ(answer.runs[0].tries, 3);
  EXPECT_EQ(answer.runs[0].yardsticks.at("fake").after, Nanos{101'000});
  EXPECT_EQ(answer.runs[0].outputs.checked, 2);
  const JsonDocument trace = JsonDocument::Parse(answer.trace, "trace");
  const auto traced = ReadTrace(trace.root()).runs;
  ASSERT_EQ(traced.size(), 1U) << "the others left nothing behind";
  EXPECT_FALSE(traced[0].disturbed);
}

TEST_F(Tries, TheLeastDisturbedCountsAndSaysSo) {
  const RunAnswer answer = Run(3, {160, 100, 100, 130, 130, 140, 100});
  ASSERT_EQ(answer.runs.size(), 1U);
  EXPECT_TRUE(answer.runs[0].disturbed);
  EXPECT_EQ(answer.runs[0].tries, 3);
  EXPECT_EQ(answer.runs[0].yardsticks.at("fake").after, Nanos{130'000});
  EXPECT_NE(RunAnswerText(Request({R"("fcfs")"}), answer, 100).find("1 run of 1 found the machine disturbed"),
            std::string::npos);
  const JsonDocument trace = JsonDocument::Parse(answer.trace, "trace");
  EXPECT_TRUE(ReadTrace(trace.root()).runs.at(0).disturbed) << "who compares traces knows it, too";
}

TEST_F(Tries, WhatOneReadingFindsInTheCachesAfterTheRunIsNoDisturbance) {
  const RunAnswer answer = Run(3, {100, 130, 101});
  EXPECT_FALSE(answer.runs.at(0).disturbed);
  EXPECT_EQ(answer.runs[0].tries, 1);
  EXPECT_EQ(answer.runs[0].yardsticks.at("fake").after, Nanos{101'000});
}

TEST_F(Tries, WhatOthersTookDisturbsToo) {
  stolen = {100, 0};
  const RunAnswer answer = Run(2, {100});
  EXPECT_FALSE(answer.runs.at(0).disturbed);
  EXPECT_EQ(answer.runs[0].tries, 2);
  stolen = {100};
  const RunAnswer again = Run(2, {100});
  EXPECT_TRUE(again.runs.at(0).disturbed);
  EXPECT_DOUBLE_EQ(again.runs[0].taken.value_or(0), 0.1);
}

TEST_F(Tries, ThreadsOfOneCoreWaitForEachOtherAndNotForOthers) {
  wait = Nanos{300};
  EXPECT_TRUE(Run(1, {100}).runs.at(0).disturbed);
  units = R"([{"name": "fake", "kind": "cpu", "memory": "dram", "backend": "reference", "cores": [0],
               "slots": 2, "time_shared": true}])";
  const RunAnswer shared = Run(1, {100});
  EXPECT_FALSE(shared.runs.at(0).disturbed) << "they wait for each other";
  EXPECT_EQ(shared.runs[0].taken, 0.0);
  of_others = Nanos{300'000'000};
  EXPECT_TRUE(Run(1, {100}).runs.at(0).disturbed);
}

TEST_F(Tries, ARunThatWasHeldBackForTheHeatIsMadeAgain) {
  WriteBoardTree("rk3399", board);
  // One before the first run and two after it, as what is held back is asked once more.
  at_reading = [&](int reading) {
    if (reading == 3) WriteCooling("cur_state", 0);
  };
  const RunAnswer answer = Run(3, {100});
  EXPECT_FALSE(answer.runs.at(0).disturbed);
  EXPECT_EQ(answer.runs[0].tries, 2);
  EXPECT_EQ(answer.runs[0].held_back, "");
  EXPECT_EQ(answer.runs[0].heat,
            (std::map<std::string, std::string>{{"cpu-thermal", "83 C"}, {"gpu-thermal", "79 C"}}));
}

TEST_F(Tries, ABoardThatStaysHotSaysSo) {
  WriteBoardTree("rk3399", board);
  const RunAnswer answer = Run(2, {100});
  EXPECT_TRUE(answer.runs.at(0).disturbed);
  EXPECT_EQ(answer.runs[0].tries, 2);
  EXPECT_EQ(answer.runs[0].held_back, "thermal-cpufreq-1 held clocks back for the heat");
  EXPECT_NE(RunAnswerText(Request({R"("fcfs")"}), answer, 400).find("; thermal-cpufreq-1 held clocks back"),
            std::string::npos);
}

TEST_F(Tries, HeatThatCameAndWentDuringTheRunCountsWhereTheKernelCountsIt) {
  WriteBoardTree("rk3399", board);
  WriteCooling("cur_state", 0);
  WriteCooling("stats/total_trans", 4);
  // Three runs to warm up; the fourth is the first that counts.
  fake.after = [&](int run, std::span<float* const>) {
    if (run == 4) WriteCooling("stats/total_trans", 6);
  };
  const RunAnswer answer = Run(1, {100});
  EXPECT_TRUE(answer.runs.at(0).disturbed);
  EXPECT_EQ(answer.runs[0].held_back, "thermal-cpufreq-1 held clocks back for the heat");
}

TEST_F(Tries, WithOneTryNothingIsMadeAgain) {
  const RunAnswer answer = Run(1, {160});
  EXPECT_TRUE(answer.runs.at(0).disturbed);
  EXPECT_EQ(answer.runs[0].tries, 1);
}

TEST_F(Tries, ARunThatShowsAFaultCountsHoweverItWasDisturbed) {
  // Three runs to warm up, two requests, three alone to compare with; one to warm up, and this one.
  fake.after = [](int run, std::span<float* const> outputs) {
    if (run == 10) outputs[0][3] *= 1.01f;
  };
  const RunAnswer answer = Run(5, {160});
  ASSERT_EQ(answer.runs.size(), 1U);
  EXPECT_EQ(answer.runs[0].outputs.wrong, 1);
  EXPECT_EQ(answer.runs[0].tries, 2);
}

TEST_F(Tries, WaitsForTheStateThatWasProfiled) {
  readings = {160, 160, 100};
  HarnessHost place = Place(&fake);
  place.patience = std::chrono::hours{1};
  place.yardstick_of = [this](const Unit&, Processor&, std::int64_t&) { return [this] { return Next(); }; };
  place.read_taken = [this](auto, auto) { return NextTaken(); };
  place.clocks.root = board;
  RunOrder request = Request({R"("fcfs")"});
  request.tries = 2;
  const RunAnswer answer = RunPlans(request, place);
  EXPECT_EQ(answer.runs.at(0).yardsticks.at("fake").before, Nanos{100'000});
  EXPECT_EQ(answer.runs[0].tries, 1);
}

TEST_F(Tries, WaitsUntilNoClockIsHeldBack) {
  WriteBoardTree("rk3399", board);
  at_reading = [&](int reading) {
    if (reading == 5) WriteCooling("cur_state", 0);
  };
  patience = std::chrono::hours{1};
  const RunAnswer answer = Run(2, {100});
  EXPECT_FALSE(answer.runs.at(0).disturbed);
  EXPECT_EQ(answer.runs[0].tries, 1);
  EXPECT_EQ(asked, 6) << "five before it and one behind it";
}

TEST_F(Tries, WithoutYardsticksInTheProfileNoneIsRead) {
  origin.replace(origin.find(", \"yardsticks_us\""), std::string::npos, "}");
  const RunAnswer answer = Run(3, {160});
  EXPECT_TRUE(answer.runs.at(0).yardsticks.empty());
  EXPECT_FALSE(answer.runs[0].disturbed);
}

TEST_F(Tries, TheYardstickDoesTheWorkThatWasProfiled) {
  const auto rows_in = [&] {
    std::int64_t asked_for = 0;
    HarnessHost place = Place(&fake);
    place.clocks.root = board;
    place.yardstick_of = [&](const Unit&, Processor&, std::int64_t& rows) {
      asked_for = rows;
      return [] { return Nanos{100'000}; };
    };
    (void)RunPlans(Request({R"("fcfs")"}), place);
    return asked_for;
  };
  EXPECT_EQ(rows_in(), kYardstickRows);
  const std::string read = R"("yardsticks_us": {"fake": 100})";
  origin.replace(origin.find(read), read.size(), read + R"(, "yardstick_rows": {"fake": 16})");
  EXPECT_EQ(rows_in(), 16);
}

TEST_F(Tries, OrderedLoadsAreNoDisturbance) {
  more = R"(, "background": [{"command": ["sleep", "1000"]}])";
  const RunAnswer answer = Run(3, {160});
  EXPECT_TRUE(answer.runs.at(0).yardsticks.empty());
  EXPECT_FALSE(answer.runs[0].disturbed);
}

}  // namespace
}  // namespace tandem
