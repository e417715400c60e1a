// Is what is proved of misses what can be worked out by hand, and is it never below what draws see, but for
// what chance explains?
#include "policies/bounds/miss_probability.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "policies/engine/virtual_runner.h"
#include "tests/support/json_scenario.h"
#include "tests/support/sanitized.h"

namespace tandem {
namespace {

const std::string kOneUnit =
    R"("memories": [{"name": "dram"}], "units": [{"name": "u", "kind": "npu", "memory": "dram"}])";
const std::string kOneLayer =
    R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";

// So many samples in the order of time, every so-manieth of which is long.
std::vector<int> Mostly(int usual, int longer, int every, int count = 200) {
  std::vector<int> samples;
  for (int i = 0; i < count; ++i) samples.push_back(i % every == 0 ? longer : usual);
  return samples;
}

// One is no sample.
std::string SampledEntry(int model, const std::vector<int>& micros) {
  if (micros.size() == 1) {
    return R"({"layers": "*", "model": "m)" + std::to_string(model) +
           R"(.json", "unit": "u", "median_us": )" + std::to_string(micros[0]) + "}";
  }
  std::string list;
  for (const int sample : micros) list += (list.empty() ? "" : ", ") + std::to_string(sample);
  return R"({"layers": "*", "model": "m)" + std::to_string(model) +
         R"(.json", "unit": "u", "samples_us": [)" + list + "]}";
}

struct Periodic {
  std::vector<int> samples;
  int period = 100;
  std::string more;  // deadline, jitter's arrival: the members of the stream beside
  int jitter = 0;
};

Scenario Sampled(const std::vector<Periodic>& streams, std::uint64_t seed = 1) {
  JsonScenario text{kOneUnit, "", {}, ""};
  std::string entries, list;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    const Periodic& of = streams[s];
    text.models.push_back(kOneLayer);
    entries += (s == 0 ? "" : ", ") + SampledEntry(static_cast<int>(s), of.samples);
    list += (s == 0 ? "" : ", ") + (R"({"name": "s)" + std::to_string(s)) + R"(", "model": "m)" +
            std::to_string(s) + R"(.json", "count": 40)" + of.more +
            R"(, "arrival": {"type": "periodic", "period_us": )" + std::to_string(of.period) +
            R"(, "phase_us": )" + std::to_string(7 * s) + R"(, "jitter_us": )" + std::to_string(of.jitter) +
            "}}";
  }
  text.profile = R"("entries": [)" + entries + "]";
  text.scenario = R"("seed": )" + std::to_string(seed) + R"(, "transfer": "none", "streams": [)" + list + "]";
  return text.Read();
}

Prepared MadeFor(const Scenario& scenario, const std::string& policy, PolicySpec& spec) {
  spec = ReadPolicy(JsonDocument::Parse(policy, "policy").root(), scenario);
  return MakePolicy(spec, ProblemFor(spec, scenario));
}

std::vector<MissProbability> MissesOf(const Scenario& scenario, const std::string& policy = R"("fcfs")",
                                      double longer = 1) {
  PolicySpec spec;
  const Prepared made = MadeFor(scenario, policy, spec);
  return MissProbabilities(*made.problem, *made.policy, SampledTimes(*made.problem), longer);
}

TEST(MissProbability, OfOneStreamAloneIsThatOfItsLongSamples) {
  const auto misses = [](int deadline, double longer = 1) {
    const auto all =
        MissesOf(Sampled({{Mostly(10, 40, 50), 100, R"(, "deadline_us": )" + std::to_string(deadline)}}),
                 R"("fcfs")", longer);
    EXPECT_TRUE(all[0].at_most) << all[0].why;
    return all[0].at_most.value_or(-1);
  };
  EXPECT_GE(misses(30), 4 / 200.0);
  EXPECT_LT(misses(30), 1.1 * 4 / 200.0);
  EXPECT_EQ(misses(41), 0) << "no sample is longer";
  EXPECT_GE(misses(41, 1.1), 4 / 200.0);
  EXPECT_EQ(misses(9), 1);
}

TEST(MissProbability, CountsOneTaskOfThoseBehind) {
  // 10 or 40 us, behind at most 20 us of another: 30 us are kept unless it is long itself.
  const std::string ranked = R"({"name": "priority", "rank": {"u": ["m0.json", "m1.json"]}})";
  const auto all = MissesOf(Sampled({{Mostly(10, 40, 50), 100, R"(, "deadline_us": 32)"},
                                     {Mostly(5, 20, 2), 100, R"(, "deadline_us": 90)"}}),
                            ranked);
  EXPECT_GE(*all[0].at_most, 4 / 200.0);
  EXPECT_LT(*all[0].at_most, 1.1 * 4 / 200.0);
  EXPECT_EQ(*all[1].at_most, 0) << "two long ones and its own are done within 100 us, when a third may come";
}

TEST(MissProbability, OfFewSamplesHasATail) {
  const auto all = MissesOf(Sampled({{Mostly(10, 20, 10, 50), 1000, R"(, "deadline_us": 60)"}}));
  ASSERT_TRUE(all[0].at_most) << all[0].why;
  EXPECT_GT(*all[0].at_most, 0) << "draws may exceed the greatest sample";
  EXPECT_LT(*all[0].at_most, 0.02);
}

constexpr const char* kFirstBefore = R"({"name": "priority", "rank": {"u": ["m0.json", "m1.json"]}})";

TEST(MissProbability, OfOneTimeEachIsNoChance) {
  // 10 us, behind at most 25: 35.
  const auto misses = [](int deadline) {
    const auto all =
        MissesOf(Sampled({{{10}, 100, R"(, "deadline_us": )" + std::to_string(deadline)}, {{25}, 100, ""}}),
                 kFirstBefore);
    EXPECT_TRUE(all[0].as_profiled) << all[0].why;
    EXPECT_EQ(all[0].without_samples.size(), 2U);
    return all[0].at_most.value_or(-1);
  };
  EXPECT_EQ(misses(35), 0);
  EXPECT_EQ(misses(34), 1);
  const auto of_samples = MissesOf(Sampled({{Mostly(10, 40, 50), 100, R"(, "deadline_us": 35)"}}));
  EXPECT_FALSE(of_samples[0].as_profiled);
  EXPECT_TRUE(of_samples[0].without_samples.empty());
}

TEST(MissProbability, SaysWhichTasksHaveNoSamples) {
  // Four of 200 take 40 us, the others 10, behind at most 15 us that are always 15: 30 are kept by these.
  const auto all =
      MissesOf(Sampled({{Mostly(10, 40, 50), 100, R"(, "deadline_us": 30)"}, {{15}, 100, ""}}), kFirstBefore);
  EXPECT_FALSE(all[0].as_profiled);
  ASSERT_EQ(all[0].without_samples.size(), 1U);
  EXPECT_NE(all[0].without_samples[0].find("m1.json"), std::string::npos) << all[0].without_samples[0];
  EXPECT_NE(all[0].without_samples[0].find("on unit \"u\""), std::string::npos) << all[0].without_samples[0];
  EXPECT_GE(*all[0].at_most, 4 / 200.0);
  EXPECT_LT(*all[0].at_most, 1.1 * 4 / 200.0);
  // The other way round: samples of what has begun alone; the longest of them, 40 us, counts.
  const auto behind =
      MissesOf(Sampled({{{10}, 100, R"(, "deadline_us": 51)"}, {Mostly(15, 40, 50), 100, ""}}), kFirstBefore);
  EXPECT_FALSE(behind[0].as_profiled);
  EXPECT_EQ(behind[0].at_most, 0) << behind[0].why;
}

// `u` of two cores, `v` and `w` of one each. A critical stream of 10 or 40 us on u, others on v and w.
Scenario OnSharedCores(const std::vector<std::vector<int>>& samples, const std::string& more = "") {
  std::string entries, streams;
  constexpr std::array kOn = {"u", "v", "w"};
  for (std::size_t s = 0; s < samples.size(); ++s) {
    std::string entry = SampledEntry(static_cast<int>(s), samples[s]);
    const std::size_t at = entry.find(R"("unit": "u")");
    entry.replace(at, 11, std::string(R"("unit": ")") + kOn[s] + "\"");
    entries += (s == 0 ? "" : ", ") + entry;
    const std::string name = std::to_string(s);
    streams +=
        (s == 0 ? R"({"name": "s0", "model": "m0.json", "critical": true, "deadline_us": 32, "count": 40,
                            "arrival": {"type": "periodic", "period_us": 100}})"
                : R"(, {"name": "s)" + name + R"(", "model": "m)" + name + R"(.json", "count": 90)" + more +
                      R"(, "arrival": {"type": "offline"}})");
  }
  return JsonScenario{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u", "kind": "npu", "memory": "dram", "cores": [0, 1]},
         {"name": "v", "kind": "npu", "memory": "dram", "cores": [0]},
         {"name": "w", "kind": "npu", "memory": "dram", "cores": [1]}])",
      R"("entries": [)" + entries + "]",
      {kOneLayer, kOneLayer, kOneLayer},
      R"("transfer": "none", "streams": [)" + streams + "]"}
      .Read();
}

TEST(MissProbability, OfSharedCoresHasTheLongestOfThoseThatHaveBegun) {
  // At most 20 us on v, 18 on w, side by side; then 10, or 40 in 4 of 200.
  const auto all = MissesOf(OnSharedCores({Mostly(10, 40, 50), Mostly(5, 20, 2), Mostly(6, 18, 3)}));
  ASSERT_TRUE(all[0].at_most) << all[0].why;
  EXPECT_GE(*all[0].at_most, 4 / 200.0);
  EXPECT_LT(*all[0].at_most, 1.1 * 4 / 200.0);
  const auto tails = MissesOf(OnSharedCores({Mostly(10, 40, 50), Mostly(5, 20, 10, 50), Mostly(6, 18, 3)}));
  EXPECT_EQ(tails[0].why,
            "\"s1\" may have begun a task, and others beside it, of samples so few that they have a tail");
  const auto critical = MissesOf(OnSharedCores({Mostly(10, 40, 50), Mostly(5, 20, 2), {7}},
                                               R"(, "critical": true, "deadline_us": 900)"));
  EXPECT_EQ(critical[0].why,
            "the critical stream \"s1\" runs on unit \"v\", which shares cores or a device with its own");
}

TEST(MissProbability, SaysWhyNothingIsProved) {
  const Scenario scenario =
      Sampled({{Mostly(10, 40, 50), 100, R"(, "deadline_us": 30)"}, {Mostly(5, 20, 2), 100, ""}});
  EXPECT_EQ(MissesOf(scenario)[1].why, "it has no deadline");
  EXPECT_EQ(MissesOf(scenario, R"("eft")")[0].why,
            "in which order a unit takes requests is not fixed by their streams");
  Scenario changed = scenario;
  changed.streams[1].arrival = PoissonArrival{100};
  EXPECT_EQ(MissesOf(changed)[0].why, "\"s1\" may come before it, and its requests may come at any time");
  changed.streams[0].critical = true;
  EXPECT_TRUE(MissesOf(changed)[0].at_most) << "whatever the others do";
  changed.streams[0].keep_latest = 1;
  EXPECT_EQ(MissesOf(changed)[0].why, "its requests are dropped for newer ones");
  const Scenario full = Sampled({{Mostly(90, 140, 2), 100, R"(, "deadline_us": 300)"}});
  EXPECT_EQ(MissesOf(full)[0].at_most, 1) << "its unit is asked for more than it can do";
}

// Random sets with few samples and many, in any order, in blocks and with tails.
Scenario RandomSampled(std::mt19937& random, std::uint64_t seed) {
  const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  std::vector<Periodic> streams;
  const int count = 1 + below(3);
  for (int s = 0; s < count; ++s) {
    const int usual = 2 + below(10), longer = usual + 5 + below(40), every = 5 + below(20);
    Periodic one{Mostly(usual, longer, every, below(2) == 0 ? 200 + below(50) : 12 + below(60)), 0, "", 0};
    if (below(3) == 0) std::ranges::shuffle(one.samples, random);
    if (below(4) == 0) std::ranges::sort(one.samples);
    one.period = count * (usual + 10 + below(20));
    one.jitter = below(3) == 0 ? below(one.period / 2) : 0;
    one.more = R"(, "deadline_us": )" + std::to_string(usual + 5 + below(60));
    if (s == 0 && below(3) == 0) one.more += R"(, "critical": true)";
    if (below(5) == 0) one.more += R"(, "drop_late": true)";
    streams.push_back(std::move(one));
  }
  return Sampled(streams, seed);
}

// As often as `mean` of that many independent shares would be no more often than once in ten million, were
// they `at_most` in the mean (Chernoff's bound for numbers between 0 and 1, as Hoeffding has it).
bool ExplainedByChance(double mean, double at_most, int draws) {
  if (mean <= at_most) return true;
  if (at_most <= 0) return false;
  const double rest = mean < 1 ? (1 - mean) * std::log((1 - mean) / (1 - at_most)) : 0;
  return draws * (mean * std::log(mean / at_most) + rest) < std::log(1e7);
}

TEST(MissProbability, IsNeverBelowWhatDrawsSee) {
  constexpr int kDraws = 200;
  int proved = 0, told = 0, sharp = 0;
  for (std::uint32_t seed = 1; seed <= (kSanitized ? 20 : 60); ++seed) {
    std::mt19937 random(seed);
    const Scenario scenario = RandomSampled(random, seed);
    const std::string policy = random() % 2 == 0 ? R"("fcfs")" : R"({"name": "sjf", "granularity": "model"})";
    PolicySpec spec;
    const Prepared made = MadeFor(scenario, policy, spec);
    const SampledTimes times(*made.problem);
    const auto misses = MissProbabilities(*made.problem, *made.policy, times);
    std::vector<double> mean(misses.size());
    for (int draw = 1; draw <= kDraws; ++draw) {
      const Prepared again = MadeFor(scenario, policy, spec);
      const SampledTimes drawn = times.SamplesAlone(static_cast<std::uint64_t>(draw));
      RunOptions options;
      drawn.SetIn(options);
      const Outcome outcome = RunVirtual(*again.problem, *again.policy, options);
      for (std::size_t s = 0; s < mean.size(); ++s) {
        const StreamOutcome& of = outcome.streams[s];
        mean[s] += static_cast<double>(of.missed) / static_cast<double>(of.released) / kDraws;
      }
    }
    for (std::size_t s = 0; s < mean.size(); ++s) {
      if (!misses[s].at_most) continue;
      EXPECT_TRUE(ExplainedByChance(mean[s], *misses[s].at_most, kDraws))
          << "seed " << seed << ", stream " << s << ", " << policy << ": seen " << mean[s] << ", at most "
          << *misses[s].at_most;
      ++proved;
      told += *misses[s].at_most < 1 ? 1 : 0;
      sharp += *misses[s].at_most < 10 * mean[s] ? 1 : 0;
    }
  }
  EXPECT_GT(proved, kSanitized ? 15 : 50);
  EXPECT_GT(2 * told, proved) << "most say more than that anything may happen";
  EXPECT_GT(4 * sharp, told) << "many are within ten times what is seen";
}

TEST(MissProbability, NoDrawIsLongerThanWhatIsProvedToBeImpossible) {
  // A chance of 0 is no chance at all.
  const Scenario scenario =
      Sampled({{Mostly(10, 20, 7), 60, R"(, "deadline_us": 41)"}, {Mostly(5, 20, 3), 90, ""}});
  PolicySpec spec;
  const Prepared made = MadeFor(scenario, R"("fcfs")", spec);
  const SampledTimes times(*made.problem);
  EXPECT_EQ(MissProbabilities(*made.problem, *made.policy, times)[0].at_most, 0);
  for (std::uint64_t draw = 1; draw <= 50; ++draw) {
    const Prepared again = MadeFor(scenario, R"("fcfs")", spec);
    const SampledTimes drawn = times.SamplesAlone(draw);
    RunOptions options;
    drawn.SetIn(options);
    EXPECT_EQ(RunVirtual(*again.problem, *again.policy, options).streams[0].missed, 0);
  }
}

}  // namespace
}  // namespace tandem
