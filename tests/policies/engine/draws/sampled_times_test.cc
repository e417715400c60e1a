// Is one draw one possible truth: alike for every policy, as uncertain as the profile, and seen by no policy?
#include "policies/engine/draws/sampled_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "policies/engine/draws/sample_tables.h"
#include "tests/support/run_policy.h"
#include "tests/support/scenario_in_place.h"

namespace tandem {
namespace {

using std::chrono::microseconds;

constexpr UnitId kCpu{std::size_t{0}}, kGpu{std::size_t{1}};
const std::string kTwoUnits =
    R"({"name": "cpu", "kind": "cpu", "memory": "m", "dispatch_us": 1}, {"name": "gpu", "kind": "gpu", "memory": "m"})";

// Samples on "cpu" and a median on "gpu".
InPlace SampledBoard(const std::string& cpu = R"("samples_us": [10, 30, 20, 40, 15])") {
  InPlace board;
  board.units = kTwoUnits;
  board.profile = R"("entries": [)" + EntryOf("cpu", cpu) + ", " + EntryOf("gpu", R"("median_us": 50)") + "]";
  board.streams = R"({"name": "a", "model": "alexnet", "count": 1000, "arrival": {"type": "offline"}},
      {"name": "b", "model": "alexnet", "count": 10, "arrival": {"type": "offline"}})";
  return board;
}

Task TaskOf(std::size_t stream, std::int32_t index) {
  Task task;
  task.stream = StreamId(stream);
  task.index = index;
  task.segment = SegmentId(std::size_t{0});
  return task;
}

std::vector<Nanos> Draws(const InPlace& board, std::size_t stream = 0, std::uint64_t draw = 0,
                         std::int32_t count = 50, UnitId unit = kCpu) {
  const Scenario scenario = board.Read();
  const Problem problem(scenario, Granularity::kModel);
  const SampledTimes times(problem, draw);
  std::vector<Nanos> draws;
  for (std::int32_t i = 0; i < count; ++i) draws.push_back(times.Work(TaskOf(stream, i), unit, false));
  return draws;
}

double MeanOf(const std::vector<Nanos>& times) {
  return static_cast<double>(std::accumulate(times.begin(), times.end(), Nanos{0}).count()) /
         static_cast<double>(times.size());
}

// One inference varies, two and four at once do not; on the gpu nobody measured batches more than once.
InPlace BatchingBoard() {
  InPlace board;
  board.units = kTwoUnits;
  board.profile = R"("entries": [)" + EntryOf("cpu", R"("samples_us": [10, 30, 20, 40, 15])") + ", " +
                  EntryOf("cpu", R"("batch": 2, "samples_us": [22, 22, 22, 22, 22])") + ", " +
                  EntryOf("cpu", R"("batch": 4, "samples_us": [46, 46, 46, 46, 46])") + ", " +
                  EntryOf("cpu", R"("batch": 6, "median_us": 69)") + ", " +
                  EntryOf("gpu", R"("samples_us": [100, 130, 120])") + ", " +
                  EntryOf("gpu", R"("batch": 8, "median_us": 500)") + "]";
  board.streams = R"({"name": "a", "model": "alexnet", "count": 8, "arrival": {"type": "offline"},
      "batching": {"most": 8}})";
  return board;
}

TEST(SampledTimes, BatchesThatFormAreDrawnFromTheSamplesOfTheirOwnSize) {
  const Scenario scenario = BatchingBoard().Read();
  const Problem problem(scenario, Granularity::kModel);
  for (const std::uint64_t draw : {1U, 2U, 3U}) {
    const SampledTimes times(problem, draw);
    const auto batch = [&](std::int64_t size, UnitId unit = kCpu) {
      return times.BatchFrom(Nanos{0}, TaskOf(0, 0), unit, size, false);
    };
    EXPECT_EQ(batch(2), microseconds{1 + 22});
    EXPECT_EQ(batch(4), microseconds{1 + 46});
    // 34 on the line from 22 to 46, as uncertain as two; and 69 without samples of its own as four.
    EXPECT_EQ(batch(3), microseconds{1 + 34}) << "of two as near the smaller one";
    EXPECT_EQ(batch(6), microseconds{1 + 69});
    EXPECT_FALSE(batch(8)) << "there is no time for so many";
    EXPECT_FALSE(batch(8, kGpu)) << "as one inference varies";
  }
}

// 37.334 on the line from 20 to 46, as sure as four are, which are nearer than one.
TEST(SampledTimes, BatchesVaryAsASizeBeyondTheMostWhereThatIsTheNearest) {
  InPlace board = BatchingBoard();
  board.profile = R"("entries": [)" + EntryOf("cpu", R"("samples_us": [10, 30, 20, 40, 15])") + ", " +
                  EntryOf("cpu", R"("batch": 4, "samples_us": [46, 46, 46, 46, 46])") + "]";
  board.streams = R"({"name": "a", "model": "alexnet", "count": 8, "arrival": {"type": "offline"},
      "batching": {"most": 3}})";
  const Scenario scenario = board.Read();
  const Problem problem(scenario, Granularity::kModel);
  const SampledTimes times(problem, 1);
  EXPECT_EQ(times.BatchFrom(Nanos{0}, TaskOf(0, 0), kCpu, 3, false), Nanos{1000 + 37334});
}

TEST(SampledTimes, ARunTakesWhatItsBatchesDraw) {
  const Scenario scenario = BatchingBoard().Read();
  const Problem problem(scenario, Granularity::kModel);
  const SampledTimes times(problem, 5);
  RunOptions options;
  times.SetIn(options);
  const Outcome outcome = RunPolicy(scenario, R"({"name": "affinity", "map": {"alexnet": "cpu"}})", options);
  EXPECT_EQ(outcome.makespan(), microseconds{70 + 23}) << "six of eight, then two";
}

TEST(SampledTimes, EntriesWithAMedianAloneStayAtIt) {
  for (const Nanos time : Draws(SampledBoard(), 0, 7, 100, kGpu)) EXPECT_EQ(time, microseconds{50});
}

TEST(SampledTimes, DependOnSeedStreamAndDrawAlone) {
  InPlace other = SampledBoard();
  other.seed = 2;
  EXPECT_EQ(Draws(SampledBoard()), Draws(SampledBoard()));
  EXPECT_NE(Draws(SampledBoard()), Draws(other));
  EXPECT_NE(Draws(SampledBoard()), Draws(SampledBoard(), 1));
  EXPECT_NE(Draws(SampledBoard()), Draws(SampledBoard(), 0, 1));
}

TEST(SampledTimes, AnotherDrawOfTheSameTablesIsThatDraw) {
  const Scenario scenario = SampledBoard().Read();
  const Problem problem(scenario, Granularity::kModel);
  const SampledTimes another = SampledTimes(problem, 3).Another(5), fifth(problem, 5);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(another.Work(TaskOf(0, i), kCpu, false), fifth.Work(TaskOf(0, i), kCpu, false));
  }
}

TEST(SampledTimes, AreDispatchAndWhatTheSamplesSayOnAverage) {
  double sum = 0;
  for (std::uint64_t draw = 0; draw < 400; ++draw) sum += MeanOf(Draws(SampledBoard(), 0, draw, 100));
  EXPECT_NEAR(sum / 400, 24'000, 600);  // the mean of the samples is 23 us
}

TEST(SampledTimes, FewSamplesLetTheMeanOfADrawBeFurtherOff) {
  const auto spread = [](const std::string& samples) {
    double squares = 0;
    for (std::uint64_t draw = 0; draw < 200; ++draw) {
      const double off = MeanOf(Draws(SampledBoard(samples), 0, draw, 400)) / 11'500 - 1;
      squares += off * off;
    }
    return std::sqrt(squares / 200);
  };
  const std::vector<double> pair = {10, 11};
  std::vector<double> many;
  for (int i = 0; i < 100; ++i) many.push_back(pair[static_cast<std::size_t>(i * 7 % 100 < 50 ? 0 : 1)]);
  EXPECT_GT(spread(R"("samples_us": [10, 11, 10, 11])"), 3 * spread(SamplesText(many)));
}

TEST(SampledTimes, WhatWasMeasuredDriftsTogether) {
  InPlace board = SampledBoard(R"("median_us": 100)");
  board.origin += R"(, "error": 0.1)";
  for (std::uint64_t draw = 1; draw < 20; ++draw) {
    const double cpu = MeanOf(Draws(board, 0, draw, 1)) - 1000, gpu = MeanOf(Draws(board, 0, draw, 1, kGpu));
    EXPECT_NEAR(cpu / 100'000, gpu / 50'000, 1e-4);
    EXPECT_NE(gpu, 50'000);
  }
}

TEST(SampledTimes, AnEstimateIsOffForEveryUnitByItself) {
  InPlace board = SampledBoard(R"("median_us": 100)");
  board.origin = R"("kind": "estimated", "method": "made up", "error": 0.1)";
  int apart = 0;
  for (std::uint64_t draw = 1; draw < 20; ++draw) {
    const double cpu = MeanOf(Draws(board, 0, draw, 1)) - 1000, gpu = MeanOf(Draws(board, 0, draw, 1, kGpu));
    if (std::abs(cpu / 100'000 - gpu / 50'000) > 0.01) ++apart;
  }
  EXPECT_GT(apart, 12);
}

TEST(SampledTimes, SamplesInOrderOfTimeAreDrawnInBlocks) {
  std::vector<double> samples;  // quiet and disturbed for 40 samples each
  for (int i = 0; i < 200; ++i) samples.push_back(i / 40 % 2 == 0 ? 10 : 20);
  const std::vector<Nanos> draws = Draws(SampledBoard(SamplesText(samples)), 0, 1, 1000);
  const auto changes = [](const std::vector<Nanos>& times) {
    int count = 0;
    for (std::size_t i = 1; i < times.size(); ++i) count += times[i] != times[i - 1] ? 1 : 0;
    return count;
  };
  EXPECT_LT(changes(draws), 120) << "of 1000; half of them, were each drawn by itself";
  std::sort(samples.begin(), samples.end());  // which says nothing of time
  EXPECT_GT(changes(Draws(SampledBoard(SamplesText(samples)), 0, 1, 1000)), 350);
}

TEST(SampledTimes, SortedSamplesAreInOrderOfTimeWhereTheProfileSortsNoOthers) {
  std::vector<double> drift;  // up, once
  for (int i = 0; i < 200; ++i) drift.push_back(i < 120 ? 10 : 20);
  const auto changes = [&](const std::string& others) {
    InPlace board = SampledBoard();
    board.profile = R"("entries": [)" + EntryOf("cpu", SamplesText(drift)) + ", " +
                    EntryOf("cpu", R"("batch": 2, "samples_us": )" + others) + "]";
    const std::vector<Nanos> times = Draws(board, 0, 1, 1000);
    int count = 0;
    for (std::size_t i = 1; i < times.size(); ++i) count += times[i] != times[i - 1] ? 1 : 0;
    return count;
  };
  EXPECT_LT(changes("[22, 23, 22]"), 120);
  EXPECT_GT(changes("[22, 22, 23]"), 350) << "all may have been sorted by size";
}

// 2000 us: squares 4 x 1600, / 4 = 1600, its root 40, which is 2 %.
TEST(SampledTimes, FewSamplesThatAgreeAreAsSureAsOthersOfTheUnit) {
  InPlace board = SampledBoard();
  board.profile = R"("entries": [)" + EntryOf("cpu", R"("samples_us": [1000, 1000])") + ", " +
                  EntryOf("cpu", R"("batch": 2, "samples_us": [1960, 2000, 2040, 1960, 2040])") + ", " +
                  EntryOf("cpu", R"("batch": 4, "samples_us": [3000, 3000, 3000, 3000, 3000])") + "]";
  for (std::uint64_t draw = 1; draw < 20; ++draw) {
    const double t = Luck(1, draw).Student(Mixed(kOfMean, 0), 4);  // the first entry's
    EXPECT_NEAR(MeanOf(Draws(board, 0, draw, 1)), 1000 + 1e6 * (1 + 0.02 / std::sqrt(2) * t), 1) << draw;
  }
}

// The same unit: 2 %, of one sample and of a median alone that others drift with.
TEST(SampledTimes, WhatIsOfOneSampleIsAsSureAsOthersOfTheUnit) {
  const auto board = [](const std::string& time, const std::string& error) {
    InPlace one = SampledBoard();
    one.origin += error;
    one.profile = R"("entries": [)" + EntryOf("cpu", time) + ", " +
                  EntryOf("cpu", R"("batch": 2, "samples_us": [1960, 2000, 2040, 1960, 2040])") + "]";
    return one;
  };
  const std::string sample = R"("samples_us": [1000])", median = R"("median_us": 1000)",
                    zero = R"(, "error": 0)";
  for (std::uint64_t draw = 1; draw < 20; ++draw) {
    const double t = Luck(1, draw).Student(Mixed(kOfMean, 0), 4);  // the first entry's
    for (const InPlace& one : {board(sample, ""), board(sample, zero), board(median, zero)}) {
      EXPECT_NEAR(MeanOf(Draws(one, 0, draw, 1)), 1000 + 1e6 * (1 + 0.02 * t), 1) << draw;
    }
    EXPECT_EQ(MeanOf(Draws(board(median, ""), 0, draw, 1)), 1'001'000) << "nobody says how sure it is";
  }
}

// Quiet for 9 ms, three times as slow for 1 ms, round and round.
InPlace Disturbed(const std::string& cpu = R"("median_us": 100)") {
  InPlace board = SampledBoard(cpu);
  board.origin += R"(, "machine": {"cpu": [{"lasts_ms": 4, "slowdown": 1}, {"lasts_ms": 1, "slowdown": 3},
                                           {"lasts_ms": 5, "slowdown": 1}]})";
  return board;
}

TEST(SampledTimes, TakeLongerWhileTheMachineIsDisturbedAndNoLongerElsewhere) {
  const Scenario scenario = Disturbed().Read();
  const Problem problem(scenario, Granularity::kModel);
  const SampledTimes times(problem, 1);
  const Task task = TaskOf(0, 0);
  int quiet = 0, slow = 0;
  for (int i = 0; i < 1000; ++i) {
    const Nanos now = microseconds{10} * i;
    const Nanos cpu = times.WorkFrom(now, task, kCpu, false);
    if (times.IsUndisturbed(now) && times.IsUndisturbed(now + microseconds{101})) {
      EXPECT_EQ(cpu, microseconds{101});
      ++quiet;
    } else if (!times.IsUndisturbed(now) && !times.IsUndisturbed(now + microseconds{303})) {
      EXPECT_EQ(cpu, microseconds{303});
      ++slow;
    } else {
      EXPECT_GT(cpu, microseconds{101});
      EXPECT_LT(cpu, microseconds{303});
    }
    EXPECT_EQ(times.WorkFrom(now, task, kGpu, false), microseconds{50}) << "nothing is known to disturb it";
    EXPECT_EQ(times.WorkFrom(now + std::chrono::milliseconds{70}, task, kCpu, false), cpu);
  }
  EXPECT_NEAR(quiet, 890, 2);
  EXPECT_NEAR(slow, 70, 2);
}

TEST(SampledTimes, WhatLastsLongMeetsAllThatDisturbs) {
  InPlace board = Disturbed(R"("median_us": 93332)");  // 10 rounds, each 9 1/3 ms of work and 10 ms long
  const Scenario scenario = board.Read();
  const Problem problem(scenario, Granularity::kModel);
  const Nanos taken = SampledTimes(problem, 1).WorkFrom(Nanos{0}, TaskOf(0, 0), kCpu, false);
  EXPECT_NEAR(static_cast<double>(taken.count()), 100e6, 3000);
}

TEST(SampledTimes, EveryDrawAndEveryTryBeginsElsewhereInWhatTheMachineDid) {
  const Scenario scenario = Disturbed().Read();
  const Problem problem(scenario, Granularity::kModel);
  const SampledTimes times(problem, 1);
  EXPECT_TRUE(times.any());
  int disturbed = 0, again = 0;
  for (std::uint64_t draw = 0; draw < 1000; ++draw) {
    disturbed += times.Another(draw).IsUndisturbed(Nanos{0}) ? 0 : 1;
    again += times.Another(1, draw).IsUndisturbed(Nanos{0}) ? 0 : 1;
  }
  EXPECT_NEAR(disturbed, 100, 30);
  EXPECT_NEAR(again, 100, 30);
}

TEST(SampledTimes, OfOneRequestAllEntriesOfAUnitAreDisturbedTogether) {
  InPlace board;
  std::vector<double> first, second;
  for (int i = 0; i < 100; ++i) {
    first.push_back(i / 20 % 2 == 0 ? 10 : 20);
    second.push_back(i / 20 % 2 == 0 ? 100 : 200);
  }
  const auto layers = [](const Model& model, std::size_t from, std::size_t to) {
    std::string list;
    for (std::size_t i = from; i < to; ++i) {
      list += (list.empty() ? "\"" : ", \"") + model.layer(LayerId(i)).name + "\"";
    }
    return "[" + list + "]";
  };
  board.profile = R"("entries": [)" + EntryOf("cpu", R"("median_us": 1)") + "]";
  const Scenario plain = board.Read();
  const Model& model = *plain.models[0].model;
  const auto entry = [&](std::size_t from, std::size_t to, const std::vector<double>& samples) {
    return R"({"model": "alexnet", "unit": "cpu", "layers": )" + layers(model, from, to) + ", " +
           SamplesText(samples) + "}";
  };
  board.profile = R"("entries": [)" + entry(1, 5, first) + ", " + entry(5, model.size(), second) + "]";
  const Scenario scenario = board.Read();
  const Problem problem(scenario, Granularity::kModel);
  const SampledTimes times(problem, 1);
  int mixed = 0;
  for (int i = 0; i < 500; ++i) {
    const double time = static_cast<double>(times.Work(TaskOf(0, i), kCpu, false).count()) / 1000;
    if (time > 135 && time < 195) ++mixed;  // one disturbed and the other not: 120 or 210
  }
  EXPECT_EQ(mixed, 0);
}

TEST(SampledTimes, ChangeARunAndNothingElseDoes) {
  const Scenario scenario = SampledBoard().Read();
  const Problem problem(scenario, Granularity::kModel);
  const SampledTimes times(problem, 1);
  RunOptions options;
  times.SetIn(options);
  const Outcome medians = RunPolicy(scenario, "\"fcfs\""), sampled = RunPolicy(scenario, "\"fcfs\"", options);
  EXPECT_NE(medians.makespan(), sampled.makespan());
  EXPECT_EQ(sampled.makespan(), RunPolicy(scenario, "\"fcfs\"", options).makespan());
  EXPECT_EQ(medians.streams[0].completed(), sampled.streams[0].completed());
}

TEST(SampledTimes, SayWhyNothingIsKnown) {
  const auto why = [](const InPlace& board, std::vector<char> used) {
    const Scenario scenario = board.Read();
    return SampledTimes(Problem(scenario, Granularity::kModel)).Unknown(used);
  };
  InPlace board = SampledBoard();
  EXPECT_EQ(why(board, {1, 0}), "");
  EXPECT_EQ(
      why(board, {1, 1}),
      "nothing is known of how sure the measured times are of unit \"gpu\": they are medians alone, and "
      "the profile's origin has no error");
  board.origin += R"(, "error": 0.02)";
  EXPECT_EQ(
      why(board, {1, 1}),
      "nothing is known of how much units \"cpu\" and \"gpu\", which share a memory, slow each other down");
  board.profile += R"(, "co_running": [{"unit": "cpu", "beside": "gpu", "slowdown": 1.2}])";
  EXPECT_EQ(why(board, {1, 1}), "");
  board.members = R"(, "background": [{"unit": "cpu", "load_pct": 40}])";
  EXPECT_EQ(why(board, {1, 0}),
            "nothing is known of how far off the slowdown is that is taken for the load of unit \"cpu\"");
}

TEST(SampledTimes, FewThatAgreeAndNothingElseSayNothing) {
  const auto why = [](const std::string& time, const std::string& error, const std::string& more = "") {
    InPlace board;
    board.origin += error;
    board.profile = R"("entries": [)" + EntryOf("cpu", time) + more + "]";
    const Scenario scenario = board.Read();
    return SampledTimes(Problem(scenario, Granularity::kModel)).Unknown({1});
  };
  const std::string
      begin = R"(nothing is known of how sure the measured times are of unit "cpu": )",
      few = begin +
            "so few samples (3) that all agree may do so by chance, 5 or more are needed here, or "
            "of others on the unit that do not all agree";
  const std::string three = R"("samples_us": [10, 10, 10])", zero = R"(, "error": 0)",
                    drift = R"(, "error": 0.02)";
  EXPECT_EQ(why(three, ""), few);
  EXPECT_EQ(why(three, zero), few);
  EXPECT_EQ(why(three, "", ", " + EntryOf("cpu", R"("batch": 2, "samples_us": [20, 20, 20, 20, 20])")), few);
  EXPECT_EQ(why(three, drift), few) << "they drift together, which is not how they vary";
  EXPECT_EQ(why(three, "", ", " + EntryOf("cpu", R"("batch": 2, "samples_us": [20, 21, 20, 22, 20])")), "");
  EXPECT_EQ(why(R"("samples_us": [10, 11])", ""), "");
  EXPECT_EQ(why(R"("samples_us": [10, 10, 10, 10, 10])", ""), "");
  EXPECT_EQ(
      why(R"("samples_us": [10])", zero),
      begin + "one sample says nothing of how they vary, and the origin's error of 0 is of what they share");
  EXPECT_EQ(why(R"("median_us": 10)", zero), "") << "of which nobody says how many samples it is of";
  EXPECT_EQ(why(R"("samples_us": [10])", drift),
            begin + "one sample says nothing of how they vary, and the origin's error is of what they share");
  EXPECT_EQ(why(R"("samples_us": [10])", ""),
            begin + "one sample says nothing of how they vary, and the profile's origin has no error");
  const std::string scattered = ", " + EntryOf("cpu", R"("batch": 2, "samples_us": [20, 21, 20, 22, 20])");
  for (const std::string& error : {std::string(), zero, drift}) {
    EXPECT_EQ(why(R"("samples_us": [10])", error, scattered), "") << error;
  }
}

TEST(SampledTimes, AnErrorOfEachEstimateIsEnough) {
  for (const char* time : {R"("samples_us": [10, 10, 10])", R"("samples_us": [10])", R"("median_us": 10)"}) {
    InPlace board;
    board.origin = R"("kind": "estimated", "method": "made up", "error": 0.1)";
    board.profile = R"("entries": [)" + EntryOf("cpu", time) + "]";
    const Scenario scenario = board.Read();
    EXPECT_EQ(SampledTimes(Problem(scenario, Granularity::kModel)).Unknown({1}), "") << time;
  }
}

TEST(SampledTimes, NothingHasToBeKnownOfUnitsThatNeverWorkAtOnce) {
  const auto why = [](const std::string& cpu, const std::string& gpu) {
    InPlace board = SampledBoard();
    board.origin += R"(, "error": 0.02)";
    board.units = R"({"name": "cpu", "kind": "cpu", "memory": "m", )" + cpu +
                  R"(}, {"name": "gpu", "kind": "gpu", "memory": "m", )" + gpu + "}";
    const Scenario scenario = board.Read();
    return SampledTimes(Problem(scenario, Granularity::kModel)).Unknown({1, 1});
  };
  const std::string both = R"("cores": [0, 1])";
  EXPECT_EQ(why(both, R"("cores": [1])"), "");
  EXPECT_NE(why(both, R"("cores": [2])"), "");
  EXPECT_EQ(why(R"("device": 1)", R"("device": 1)"), "");
  EXPECT_NE(why(R"("device": 1)", R"("device": 0)"), "");
}

TEST(SampledTimes, PairsOfUnitsThatAreTooManyAreNotDrawn) {
  InPlace board = SampledBoard();
  board.origin += R"(, "error": 0.02)";
  board.profile += R"(, "co_running": [{"unit": "cpu", "beside": "gpu", "slowdown": 1.2}])";
  for (int u = 0; u < 520; ++u) {
    board.units += (R"(, {"name": "u)" + std::to_string(u)) + R"(", "kind": "cpu", "memory": "m"})";
  }
  const Scenario scenario = board.Read();
  EXPECT_EQ(SampledTimes(Problem(scenario, Granularity::kModel)).Unknown(std::vector<char>(522)),
            "more than 262144 pairs of units could slow each other down, too many to be drawn");
}

}  // namespace
}  // namespace tandem
