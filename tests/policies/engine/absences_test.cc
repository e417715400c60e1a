// Is what a unit had when it left lost and begun again, on whichever unit can, and nothing that was finished?
#include <gtest/gtest.h>

#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/judged_run.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"
#include "tests/support/trace_maker.h"

namespace tandem {
namespace {

using Lines = std::vector<std::string>;

// Tasks of 1 us on the first unit; of 3 us on the second, where it can run them.
struct LeavingBoard {
  std::string away;
  bool helps = true;
  std::string of_stream = R"("count": 2, "arrival": {"type": "offline"})";
  std::string of_unit = "";

  Scenario Read() const {
    const std::string second =
        helps ? R"(, {"model": "m0.json", "unit": "u1", "layers": "*", "median_us": 3})" : "";
    return JsonScenario{
        R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "gpu", "memory": "dram")" +
            of_unit + R"(}, {"name": "u1", "kind": "cpu", "memory": "dram"}])",
        R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 1})" + second + "]",
        {R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
        R"("streams": [{"name": "s", "model": "m0.json", )" + of_stream + R"(}], "away": [)" + away + "]"}
        .Read();
  }
};

Lines SpansUnder(const Scenario& scenario, const std::string& policy) {
  SpanLines seen;
  RunOptions options;
  options.spans = &seen;
  RunPolicy(scenario, policy, options);
  return seen.lines();
}

TEST(UnitsThatLeave, BeginAgainWhatTheyHadWhenTheyAreBack) {
  const LeavingBoard board{R"({"unit": "u0", "from_us": 0.5, "until_us": 0.7})", false};
  EXPECT_EQ(SpansUnder(board.Read(), R"("fcfs")"),
            (Lines{"u0 lost #0 0-500", "u0 compute #0 700-1700", "u0 compute #1 1700-2700"}));
}

TEST(UnitsThatLeave, AreStoodInForByWhoeverIsIdleAndCan) {
  const LeavingBoard board{R"({"unit": "u0", "from_us": 0.5})"};
  EXPECT_EQ(SpansUnder(board.Read(), R"("fastest_unit")"),
            (Lines{"u0 lost #0 0-500", "u1 compute #0 500-3500", "u1 compute #1 3500-6500"}))
      << "the policy gives all to the one that is away";
}

// Eight requests of 1 us, each of which another one of 3 us follows, on a unit that leaves twice.
Scenario FollowedBeside(const std::string& others) {
  const std::string relu =
      R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
  return JsonScenario{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "gpu", "memory": "dram"})" +
          others + "]",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 1},
                     {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 3.333}])",
      {relu, relu},
      R"("transfer": "none", "streams": [
          {"name": "first", "model": "m0.json", "count": 8, "arrival": {"type": "offline"}},
          {"name": "then", "model": "m1.json", "depends_on": {"stream": "first"}}],
         "away": [{"unit": "u0", "from_us": 2, "until_us": 4.5}, {"unit": "u0", "from_us": 4.6, "until_us": 6}])"}
      .Read();
}

TEST(UnitsThatLeave, AreNotPlannedAnewForWhoCanRunNothingOfTheirs) {
  const std::string idle = R"(, {"name": "u1", "kind": "npu", "memory": "dram"})";
  for (const std::string policy : {R"("heft")", R"("eft")", R"("fcfs")"}) {
    EXPECT_EQ(SpansUnder(FollowedBeside(idle), policy), SpansUnder(FollowedBeside(""), policy)) << policy;
  }
}

TEST(UnitsThatLeave, HaveFinishedWhatEndsAtThatInstant) {
  const LeavingBoard board{R"({"unit": "u0", "from_us": 1, "until_us": 1.5})", false};
  EXPECT_EQ(SpansUnder(board.Read(), R"("fcfs")"),
            (Lines{"u0 compute #0 0-1000", "u0 compute #1 1500-2500"}));
}

TEST(UnitsThatLeave, LoseNothingWhileTheyIdle) {
  const LeavingBoard board{
      R"({"unit": "u0", "from_us": 2, "until_us": 4}, {"unit": "u0", "from_us": 5, "until_us": 7})", false,
      R"("count": 2, "arrival": {"type": "periodic", "period_us": 4.5})"};
  EXPECT_EQ(SpansUnder(board.Read(), R"("fcfs")"),
            (Lines{"u0 compute #0 0-1000", "u0 lost #1 4500-5000", "u0 compute #1 7000-8000"}));
}

TEST(UnitsThatLeave, LoseWhatAllTheirSlotsHave) {
  const LeavingBoard board{R"({"unit": "u0", "from_us": 0.5, "until_us": 1})", false,
                           R"("count": 2, "arrival": {"type": "offline"})", R"(, "slots": 2)"};
  EXPECT_EQ(
      SpansUnder(board.Read(), R"("fcfs")"),
      (Lines{"u0 lost #0 0-500", "u0 lost #1 0-500", "u0 compute #0 1000-2000", "u0 compute #1 1000-2000"}));
}

TEST(UnitsThatLeave, AreNotSentWhatOthersCanDo) {
  const LeavingBoard board{R"({"unit": "u0", "from_us": 0, "until_us": 50})", true,
                           R"("count": 2, "arrival": {"type": "periodic", "period_us": 2})"};
  EXPECT_EQ(SpansUnder(board.Read(), R"("eft")"), (Lines{"u1 compute #0 0-3000", "u1 compute #1 3000-6000"}));
  EXPECT_EQ(SpansUnder(board.Read(), R"("heft")"),
            (Lines{"u1 compute #0 0-3000", "u1 compute #1 3000-6000"}));
}

TEST(UnitsThatLeave, AreSaidToHaveBeenAwayAndWhatThatCost) {
  const LeavingBoard board{R"({"unit": "u0", "from_us": 0.5, "until_us": 0.7})", false};
  const Outcome outcome = RunPolicy(board.Read(), R"("fcfs")");
  EXPECT_EQ(outcome.units[0].away, Nanos{200});
  EXPECT_EQ(outcome.units[0].lost_tasks, 1);
  EXPECT_EQ(outcome.units[0].lost, Nanos{500});
  EXPECT_EQ(outcome.units[0].tasks, 2);
  EXPECT_EQ(outcome.units[0].busy, Nanos{2500});
  EXPECT_EQ(outcome.units[1].away, Nanos{0});
}

TEST(UnitsThatLeave, ThatNobodyStandsInForAreToldOf) {
  const LeavingBoard board{R"({"unit": "u0", "from_us": 0.5})", false};
  const std::string error = ErrorOf([&] { RunPolicy(board.Read(), R"("fcfs")"); });
  EXPECT_NE(
      error.find(":/away/0: 2 tasks wait for ever: unit \"u0\" stays away, and no other can run them; say "
                 "when it is back, as in \"until_ms\", or let what only it can run end before it leaves"),
      std::string::npos)
      << error;
}

TEST(UnitsThatLeave, AreAllNamedWhereNoneOfThemComesBack) {
  const LeavingBoard board{
      R"({"unit": "u1", "from_us": 0.1, "until_us": 0.2}, {"unit": "u0", "from_us": 0.5}, {"unit": "u1", "from_us": 0.7})"};
  const std::string error = ErrorOf([&] { RunPolicy(board.Read(), R"("fcfs")"); });
  EXPECT_NE(error.find(":/away/1, /away/2: 2 tasks wait for ever: units \"u0\", \"u1\" stay away"),
            std::string::npos)
      << error;
}

std::string WrongAway(const LeavingBoard& board) {
  const std::string error = ErrorOf([&] { (void)board.Read(); });
  const auto pointer = error.find(":/away");
  return pointer == std::string::npos ? error : error.substr(pointer + 1);
}

TEST(UnitsThatLeave, AreRefusedWhereRequestsStillComeThatNobodyElseCanRun) {
  const auto frames = [](int count) {
    return R"("count": )" + std::to_string(count) + R"(, "arrival": {"type": "periodic", "period_us": 5})";
  };
  const std::string gone = R"({"unit": "u0", "from_us": 10})";
  EXPECT_EQ(
      WrongAway({gone, false, frames(3)}),
      "/away/0: requests of stream \"s\" that come once unit \"u0\" has left can run nowhere and would wait "
      "for ever; say when it is back, as in \"until_ms\", or let the stream end before");
  EXPECT_EQ(WrongAway({gone, false, frames(2)}), "no error") << "the last comes at 5 us";
  EXPECT_EQ(WrongAway({gone, true, frames(3)}), "no error") << "another unit stays";
  EXPECT_EQ(WrongAway({gone, false, frames(3) + R"(, "deadline_us": 4, "drop_late": true)"}), "no error")
      << "what nobody has begun is dropped";
  EXPECT_EQ(WrongAway({R"({"unit": "u0", "from_us": 10, "until_us": 11})", false, frames(3)}), "no error");
  EXPECT_EQ(WrongAway({R"({"unit": "u1", "from_us": 9}, )" + gone, true, frames(3)}).substr(0, 8), "/away/1:")
      << "the last who leaves";
  EXPECT_EQ(WrongAway({R"({"unit": "u0", "from_us": 0})", false}).substr(0, 8), "/away/0:") << "offline";
}

TEST(UnitsThatLeave, EveryPolicyGetsEverythingDone) {
  const LeavingBoard board{
      R"({"unit": "u0", "from_us": 2.5, "until_us": 7}, {"unit": "u1", "from_us": 4, "until_us": 5})", true,
      R"("count": 9, "arrival": {"type": "periodic", "period_us": 1})"};
  const Scenario scenario = board.Read();
  for (const PolicyDeclaration& policy : Policies()) {
    if (!policy.make || policy.name == "given") continue;
    std::string text = R"({"name": ")" + std::string(policy.name) + "\"";
    if (policy.name == "single") text += R"(, "unit": "u0")";
    if (policy.name == "layer_type") text += R"(, "map": {"*": ["u0"]})";
    const Outcome outcome = RunPolicy(scenario, text + "}");
    EXPECT_EQ(outcome.streams[0].completed(), 9) << policy.name;
  }
}

const std::string kReluAlone =
    R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";

TEST(UnitsThatLeave, KeepWhatNobodyElseCanDoForLater) {
  const Scenario scenario =
      JsonScenario{
          R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "gpu", "memory": "dram"},
                                                   {"name": "u1", "kind": "cpu", "memory": "dram"}])",
          R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 1},
                     {"model": "m0.json", "unit": "u1", "layers": "*", "median_us": 3},
                     {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 1}])",
          {kReluAlone, kReluAlone},
          R"("streams": [{"name": "only", "model": "m1.json", "count": 2, "arrival": {"type": "offline"}},
                     {"name": "any", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}}],
         "away": [{"unit": "u0", "from_us": 0.5, "until_us": 10}])"}
          .Read();
  EXPECT_EQ(SpansUnder(scenario, R"("fastest_unit")"),
            (Lines{"u0 lost #0 0-500", "u1 compute #0 500-3500", "u1 compute #1 3500-6500",
                   "u0 compute #0 10000-11000", "u0 compute #1 11000-12000"}));
}

// A split whose halves two units of the other memory make: one brings the input, the other waits for it.
TEST(UnitsThatLeave, AreRelievedOfWhatTheyWereBringing) {
  const Scenario scenario =
      JsonScenario{
          R"("memories": [{"name": "dram"}, {"name": "vram"}],
         "links": [{"from": "dram", "to": "vram", "latency_us": 4, "bandwidth_bytes_per_s": 1e12, "engine": true}],
         "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}, {"name": "u1", "kind": "gpu", "memory": "vram"},
                   {"name": "u2", "kind": "gpu", "memory": "vram"}])",
          R"("entries": [{"model": "m0.json", "unit": "u0", "layers": ["a"], "median_us": 1},
                     {"model": "m0.json", "unit": "u1", "layers": ["b"], "median_us": 1},
                     {"model": "m0.json", "unit": "u2", "layers": ["c"], "median_us": 1},
                     {"model": "m0.json", "unit": "u0", "layers": ["d"], "median_us": 1}])",
          {R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]},
           {"name": "b", "op": "relu", "inputs": ["a"]}, {"name": "c", "op": "sigmoid", "inputs": ["a"]},
           {"name": "d", "op": "add", "inputs": ["b", "c"]}])"},
          R"("streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}],
         "transfer": "copy", "away": [{"unit": "u1", "from_us": 3, "until_us": 20}])"}
          .Read();
  const Lines spans = SpansUnder(scenario, R"({"name": "fcfs", "granularity": "layer"})");
  // u1 brings a for both until 3 us, when u2 begins anew: 4.001 us, then its own 1 us, long before u1 is
  // back.
  EXPECT_EQ(spans[0], "u0 compute #0 0-1000");
  EXPECT_EQ(spans[1], "u1 lost #0 3000-3000") << "it waited for the copy";
  EXPECT_EQ(spans[2], "u3 lost #0 1000-3000") << "the engine's copy";
  EXPECT_EQ(spans[3], "u3 transfer #0 3000-7001");
  EXPECT_EQ(spans[4], "u2 compute #0 7001-8001");
  PolicySpec spec = PolicyByName("fcfs", scenario, "test");
  spec.granularity = Granularity::kLayer;
  EXPECT_TRUE(
      JudgeRun(MakePolicy(spec, ProblemFor(spec, scenario)), spec, scenario, scenario).violations.empty());
}

TEST(UnitsThatLeave, AreKnownToTheJudgeOfTraces) {
  const LeavingBoard leaves{R"({"unit": "u0", "from_us": 0.5, "until_us": 0.7})"}, stays{""};
  const Scenario away = leaves.Read(), there = stays.Read();
  const auto judged = [](const Scenario& ran, const Scenario& by) {
    const PolicySpec spec = PolicyByName("fcfs", ran, "test");
    return JudgeRun(MakePolicy(spec, ProblemFor(spec, ran)), spec, ran, by).violations;
  };
  EXPECT_TRUE(judged(away, away).empty());
  EXPECT_FALSE(judged(away, there).empty()) << "nothing is lost where nobody leaves";
  EXPECT_FALSE(judged(there, away).empty()) << "nothing runs where nobody is";
}

// All are sent to the first unit; the second one idles until it stands in.
TEST(UnitsThatLeave, AreNotMissedByTheJudgeBeforeTheyLeave) {
  const Scenario scenario = LeavingBoard{R"({"unit": "u0", "from_us": 0.5})"}.Read();
  const PolicySpec spec = PolicyByName("fastest_unit", scenario, "test");
  EXPECT_TRUE(
      JudgeRun(MakePolicy(spec, ProblemFor(spec, scenario)), spec, scenario, scenario).violations.empty());
}

TEST(UnitsThatLeave, AreHeldToTheirDutyAgainWhenWhatTheyLeftHasEnded) {
  LeavingBoard board{R"({"unit": "u0", "from_us": 0.5, "until_us": 0.7})", false};
  board.of_stream = R"("count": 3, "arrival": {"type": "periodic", "period_us": 10})";
  const Scenario scenario = board.Read();
  const auto begun_at = [&](double again, double third) {
    TraceMaker trace(scenario, "fcfs");
    TracedSpan& lost = trace.Task("u0", "s", 0, 0, 0, 0.5);
    lost.kind = SpanKind::kLost;
    lost.taken = Nanos{0};
    trace.Task("u0", "s", 0, 0, again, again + 1).taken = Nanos{static_cast<std::int64_t>(again * 1000)};
    trace.Task("u0", "s", 1, 10, 10, 11);
    trace.Task("u0", "s", 2, 20, third, third + 1);
    return trace.FirstViolation();
  };
  EXPECT_EQ(begun_at(0.7, 20), "");
  EXPECT_EQ(begun_at(0.75, 20), "") << "how soon it goes on is not asked";
  EXPECT_EQ(begun_at(0.7, 22), "idle s #2 @20: it waits, and u0 is idle until 22 us");
}

TEST(UnitsThatLeave, CannotLeaveTwiceOrComeBackBefore) {
  const auto error = [](const std::string& away) {
    return ErrorOf([&] { (void)LeavingBoard{away}.Read(); });
  };
  EXPECT_NE(error(R"({"unit": "u0", "from_us": 5, "until_us": 5})")
                .find("/away/0: a unit comes back after it has left"),
            std::string::npos);
  EXPECT_NE(error(R"({"unit": "u0", "from_us": 1, "until_us": 9}, {"unit": "u0", "from_us": 9})")
                .find("/away/1: the unit is not back yet by then"),
            std::string::npos);
  EXPECT_NE(error(R"({"unit": "u9", "from_us": 1})").find("/away/0/unit"), std::string::npos);
}

}  // namespace
}  // namespace tandem
