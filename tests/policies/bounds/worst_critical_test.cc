// Do critical streams keep their deadlines whatever the others do, where that is proved?
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "policies/bounds/worst_latency.h"
#include "policies/engine/virtual_runner.h"
#include "tests/support/json_scenario.h"
#include "tests/support/sanitized.h"

namespace tandem {
namespace {

using std::chrono::microseconds;

const std::string kInput = R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]})";
constexpr const char* kUnits[] = {"u", "v"};

std::string UnitsOf(int count) {
  std::string units = R"("memories": [{"name": "dram"}], "units": [)";
  for (int u = 0; u < count; ++u) {
    units += (u == 0 ? "" : ", ") + (R"({"name": ")" + std::string(kUnits[u])) +
             R"(", "kind": "npu", "memory": "dram"})";
  }
  return units + "]";
}

// Models of a few layers each, and what they take on each unit.
struct Models {
  std::vector<std::string> layers;
  std::string entries;
  std::vector<int> work;  // on the first unit

  void Add(const std::vector<int>& micros, int units) {
    const std::string name = "m" + std::to_string(layers.size()) + ".json";
    std::string text = kInput, before = "in";
    int total = 0;
    for (std::size_t l = 0; l < micros.size(); ++l) {
      const std::string layer = "l" + std::to_string(l);
      text += R"(, {"name": ")" + layer + R"(", "op": "relu", "inputs": [")" + before + "\"]}";
      before = layer;
      total += micros[l];
    }
    layers.push_back(text + "]");
    work.push_back(total);
    for (int u = 0; u < units; ++u) {
      for (std::size_t l = 0; l < micros.size(); ++l)
        AddEntry(R"(["l)" + std::to_string(l) + "\"]", name, kUnits[u], micros[l] + u);
      AddEntry(R"("*")", name, kUnits[u], total + u);
    }
  }
  void AddEntry(const std::string& of, const std::string& name, const char* unit, int micros) {
    entries += (entries.empty() ? "" : ", ") + (R"({"layers": )" + of) + R"(, "model": ")" + name +
               R"(", "unit": ")" + unit + R"(", "median_us": )" + std::to_string(micros) + "}";
  }
};

std::vector<WorstLatency> Worst(const Scenario& scenario, const std::string& policy) {
  const PolicySpec spec = ReadPolicy(JsonDocument::Parse(policy, "policy").root(), scenario);
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  return WorstLatencies(*made.problem, *made.policy);
}

// 9 us every 50 within 30, beside 14 and 19 us that come at any time.
Scenario BesideAnything(const std::string& critical, int units = 1) {
  Models models;
  for (const int micros : {9, 14, 19}) models.Add({micros}, units);
  const auto other = [](const std::string& name, const std::string& model) {
    return R"(, {"name": ")" + name + R"(", "model": ")" + model +
           R"(", "count": 200, "arrival": {"type": "poisson", "rate_per_s": 90000}})";
  };
  return JsonScenario{UnitsOf(units), R"("entries": [)" + models.entries + "]", models.layers,
                      R"("transfer": "none", "streams": [{"name": "brake", "model": "m0.json", "count": 40,
                         "arrival": {"type": "periodic", "period_us": 50}, "deadline_us": 30)" +
                          critical + "}" + other("cabin", "m1.json") + other("log", "m2.json") + "]"}
      .Read();
}

TEST(WorstCritical, IsOneTaskOfTheOthersWhateverTheyDo) {
  for (const std::string policy :
       {R"("fcfs")", R"({"name": "single", "unit": "u"})",
        R"({"name": "priority", "rank": {"u": ["m2.json", "m1.json", "m0.json"]}})"}) {
    const auto worst = Worst(BesideAnything(R"(, "critical": true)"), policy);
    EXPECT_EQ(worst[0].longest, microseconds{19 + 9}) << policy << ": " << worst[0].why;
    EXPECT_FALSE(worst[1].longest);
    EXPECT_FALSE(Worst(BesideAnything(""), policy)[0].longest) << policy;
  }
}

TEST(WorstCritical, SaysWhoKeepsAUnitIdle) {
  Scenario scenario = BesideAnything(R"(, "critical": true)", 2);
  scenario.streams[1].arrival = PeriodicArrival{500'000, 1, {}, {}};
  const auto worst =
      Worst(scenario, R"({"name": "given", "map": {"m0.json": "u", "m1.json": "v", "m2.json": "u"}})");
  EXPECT_EQ(worst[0].longest, microseconds{19 + 9}) << worst[0].why;
  EXPECT_EQ(worst[1].why,
            "the critical stream \"brake\" may keep unit \"v\" idle, which does not run it alone");
}

// One or two critical streams, and others that ask for far more than there is.
Scenario RandomOverload(std::mt19937& random, int units, bool critical) {
  const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  const int safe = 1 + below(2), others = 1 + below(3);
  Models models;
  for (int s = 0; s < safe + others; ++s) {
    std::vector<int> micros(1 + static_cast<std::size_t>(below(3)));
    for (int& time : micros) time = 1 + below(20);
    models.Add(micros, units);
  }
  std::string list;
  for (int s = 0; s < safe + others; ++s) {
    // Some share a model with a critical stream: it is the stream that counts.
    const int model = s >= safe && below(4) == 0 ? 0 : s;
    const int work = models.work[static_cast<std::size_t>(model)];
    list += (s == 0 ? "" : ", ") + (R"({"name": "s)" + std::to_string(s)) + R"(", "model": "m)" +
            std::to_string(model) + R"(.json", "count": )" + std::to_string(30 + below(40)) + ", ";
    if (s < safe) {
      list += std::string(critical ? R"("critical": true, )" : "") + R"("deadline_us": )" +
              std::to_string(work + 5 + below(80)) + R"(, "arrival": {"type": "periodic", "period_us": )" +
              std::to_string(work * safe + 5 + below(60)) + R"(, "phase_us": )" + std::to_string(below(60)) +
              R"(, "jitter_us": )" + std::to_string(below(3) == 0 ? below(10) : 0) + "}}";
      continue;
    }
    const int kind = below(3);
    list += kind == 0   ? R"("arrival": {"type": "offline"}})"
            : kind == 1 ? R"("arrival": {"type": "closed", "in_flight": 3}})"
                        : R"("arrival": {"type": "poisson", "rate_per_s": )" +
                              std::to_string(2'000'000 / std::max(work, 1)) + "}}";
  }
  return JsonScenario{UnitsOf(units), R"("entries": [)" + models.entries + "]", models.layers,
                      R"("transfer": "none", "streams": [)" + list + "]"}
      .Read();
}

std::string PolicyFor(std::mt19937& random, int units) {
  const std::string granularity = random() % 2 == 0 ? "model" : "layer";
  const std::vector<std::string> names =
      units == 1 ? std::vector<std::string>{"fcfs", "sjf", "priority", "affinity", "edf", "eft"}
                 : std::vector<std::string>{"affinity", "fcfs", "eft"};
  return R"({"name": ")" + names[random() % names.size()] + R"(", "granularity": ")" + granularity + "\"}";
}

struct Tally {
  int safe = 0, seen = 0, missed = 0, tight = 0;
};

// Runs it, and holds what is proved of critical streams against what happens.
void Try(const Scenario& scenario, const std::string& policy, const std::string& what, Tally& tally) {
  const PolicySpec spec = ReadPolicy(JsonDocument::Parse(policy, "policy").root(), scenario);
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  const auto worst = WorstLatencies(*made.problem, *made.policy);
  const Outcome outcome = RunVirtual(*made.problem, *made.policy);
  for (std::size_t s = 0; s < worst.size(); ++s) {
    if (!scenario.streams[s].deadline) continue;
    const StreamOutcome& of = outcome.streams[s];
    tally.missed += static_cast<int>(of.missed);
    if (!worst[s].longest || of.latencies.empty()) continue;
    const Nanos longest = *std::max_element(of.latencies.begin(), of.latencies.end());
    EXPECT_LE(longest, *worst[s].longest) << what;
    ++tally.seen;
    tally.tight += 2 * longest >= *worst[s].longest ? 1 : 0;
    if (*worst[s].longest > *scenario.streams[s].deadline) continue;
    ++tally.safe;
    EXPECT_EQ(of.missed, 0) << what;
  }
}

TEST(WorstCritical, StreamsThatAreSafeNeverMissThoughOthersOverload) {
  Tally critical, without;
  for (std::uint32_t seed = 1; seed <= (kSanitized ? 30 : 300); ++seed) {
    for (const bool is_critical : {true, false}) {
      std::mt19937 random(seed);
      const int units = 1 + static_cast<int>(random() % 3 == 0);
      const Scenario scenario = RandomOverload(random, units, is_critical);
      const std::string policy = PolicyFor(random, units);
      Try(scenario, policy, "seed " + std::to_string(seed) + ", " + policy, is_critical ? critical : without);
    }
  }
  EXPECT_GT(critical.safe, kSanitized ? 5 : 50);
  EXPECT_GT(2 * critical.tight, critical.seen) << "most are no more than twice what was seen";
  EXPECT_GT(without.missed, 2 * critical.missed) << "the others would make them late";
}

}  // namespace
}  // namespace tandem
