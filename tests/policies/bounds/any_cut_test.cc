// Does the bound for every cut hold for every cut, and is it as large as it can easily be?
#include "policies/bounds/any_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "policies/bounds/exact.h"
#include "tests/support/json_scenario.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

constexpr const char* kTwoUnits = R"("memories": [{"name": "dram"}],
    "units": [{"name": "u0", "kind": "cpu", "memory": "dram"},
              {"name": "u1", "kind": "gpu", "memory": "dram", "dispatch_us": 0.4}])";

// A small network of relus and adds, and times for some sets of its layers on two units: u0 runs everything.
class TinyCase {
 public:
  explicit TinyCase(std::uint64_t seed) : bits_(seed) {
    DrawModel();
    std::string entries;
    for (std::size_t u = 0; u < 2; ++u) {
      for (const std::string& name : names_) {
        if (u == 0 || Below(3) > 0) AddEntry(entries, u, "[\"" + name + "\"]", 1 + Below(9));
      }
      for (std::size_t l = 0; l + 1 < names_.size(); ++l) {
        if (Below(2) > 0)
          AddEntry(entries, u, "[\"" + names_[l] + "\", \"" + names_[l + 1] + "\"]", 2 + Below(12));
      }
      if (Below(3) == 0) AddEntry(entries, u, "\"*\"", 3 + Below(20));
    }
    scenario_ = JsonScenario{kTwoUnits,
                             "\"entries\": [" + entries + "]",
                             {layers_},
                             R"("streams": [{"name": "s", "model": "./m0.json", "count": )" +
                                 std::to_string(1 + Below(2)) + R"(, "arrival": {"type": "offline"}}])"}
                    .Read();
  }
  const Scenario& scenario() const { return scenario_; }

  // The best makespan over every partition of the layers into tasks that do not need each other, each request
  // cut in its own way.
  Nanos BestOfAll() const {
    const auto requests = static_cast<std::size_t>(scenario_.streams[0].until.count);
    const std::vector<std::vector<int>> cuts = Partitions();
    Nanos best{INT64_MAX};
    for (const auto& first : cuts) {
      if (requests == 1) {
        best = std::min(best, Makespan({first}));
        continue;
      }
      for (const auto& second : cuts) best = std::min(best, Makespan({first, second}));
    }
    return best;
  }

 private:
  int Below(int count) { return static_cast<int>(bits_() % static_cast<std::uint64_t>(count)); }

  void DrawModel() {
    layers_ = R"([{"name": "in", "op": "input", "shape": [1, 2, 2, 2]})";
    std::vector<std::string> all = {"in"};
    const int count = 2 + Below(2);
    for (int l = 0; l < count; ++l) {
      const std::string name = "l" + std::to_string(l), first = all[static_cast<std::size_t>(Below(l + 1))];
      const std::string& second = all.back();
      const bool add = first != second && Below(2) > 0;
      layers_ += R"(, {"name": ")" + name + R"(", "op": ")" + (add ? "add" : "relu") + R"(", "inputs": [")" +
                 second + (add ? "\", \"" + first : "") + "\"]}";
      all.push_back(name);
      names_.push_back(name);
    }
    layers_ += "]";
  }
  void AddEntry(std::string& entries, std::size_t unit, const std::string& layers, int us) {
    entries += std::string(entries.empty() ? "" : ", ") + R"({"model": "./m0.json", "unit": "u)" +
               std::to_string(unit) + R"(", "layers": )" + layers + R"(, "median_us": )" +
               std::to_string(us) + "}";
  }

  // Of each layer but the input its group; groups are numbered as they first come.
  std::vector<std::vector<int>> Partitions() const {
    std::vector<std::vector<int>> all = {{}};
    for (std::size_t l = 0; l < names_.size(); ++l) {
      std::vector<std::vector<int>> longer;
      for (const auto& part : all) {
        const int groups = part.empty() ? 0 : *std::max_element(part.begin(), part.end()) + 1;
        for (int g = 0; g <= groups; ++g) {
          longer.push_back(part);
          longer.back().push_back(g);
        }
      }
      all = std::move(longer);
    }
    return all;
  }

  // Adds the tasks of one request; false where they need each other.
  bool AddRequest(const std::vector<int>& group, std::int32_t request, ExactCase& into) const {
    const Model& model = *scenario_.models[0].model;
    const std::size_t groups = static_cast<std::size_t>(*std::max_element(group.begin(), group.end())) + 1;
    std::vector<std::vector<LayerId>> layers(groups);
    std::vector<std::vector<char>> needs(groups, std::vector<char>(groups));
    for (std::size_t l = 1; l < model.size(); ++l) {
      const auto g = static_cast<std::size_t>(group[l - 1]);
      layers[g].emplace_back(l);
      for (const LayerId input : model.layers()[l].inputs) {
        if (input.index() == 0) continue;
        const auto from = static_cast<std::size_t>(group[input.index() - 1]);
        if (from != g) needs[g][from] = 1;
      }
    }
    std::vector<std::int32_t> job(groups, -1);
    for (std::size_t added = 0; added < groups;) {
      const std::size_t before = added;
      for (std::size_t g = 0; g < groups; ++g) {
        if (job[g] >= 0) continue;
        ExactJob next;
        bool ready = true;
        for (std::size_t from = 0; from < groups; ++from) {
          if (needs[g][from] && job[from] < 0) ready = false;
          if (needs[g][from] && job[from] >= 0) next.after.push_back(job[from]);
        }
        if (!ready) continue;
        for (std::size_t u = 0; u < 2; ++u) {
          const auto cost = scenario_.Time(ModelId(std::size_t{0}), UnitId(u), 1, layers[g]);
          next.time.push_back(cost ? cost->time + scenario_.platform->units[u].dispatch : Nanos{-1});
        }
        next.request = request;
        std::sort(next.after.begin(), next.after.end());
        job[g] = static_cast<std::int32_t>(into.jobs.size());
        into.jobs.push_back(std::move(next));
        ++added;
      }
      if (added == before) return false;
    }
    return true;
  }

  Nanos Makespan(const std::vector<std::vector<int>>& requests) const {
    ExactCase all;
    all.slots = {1, 1};
    std::int32_t number = 0;
    for (const auto& request : requests) {
      if (!AddRequest(request, number++, all)) return Nanos{INT64_MAX};
    }
    const ExactAnswer answer = SolveExactly(all, 1'000'000);
    EXPECT_TRUE(answer.proved);
    return answer.schedule.empty() ? Nanos{INT64_MAX} : answer.end;
  }

  std::mt19937_64 bits_;
  std::string layers_;
  std::vector<std::string> names_;
  Scenario scenario_;
};

TEST(FreeCutBound, IsNeverAboveTheBestOfAllCuts) {
  int tight = 0;
  constexpr int kCases = 60;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    const TinyCase tiny(seed);
    const Nanos bound = FreeCutBound(tiny.scenario(), false).makespan.value(), best = tiny.BestOfAll();
    EXPECT_LE(bound, best) << seed;
    EXPECT_GE(bound, best / 3) << seed;
    EXPECT_LE(FreeCutBound(tiny.scenario(), true).makespan.value(), bound) << seed;
    tight += bound == best ? 1 : 0;
  }
  EXPECT_GT(tight, kCases / 10);  // often no schedule of one or two requests can reach any division
}

// u0 does the first half best, u1 the second.
Scenario Halves(std::int64_t requests) {
  SmallScenario board({1, 1});
  const ModelId model = board.AddModel({{100, 300}, {300, 100}});
  board.AddStream(model, requests);
  return board.Build();
}

TEST(FreeCutBound, TakesEachLayerWhereItIsFastest) {
  EXPECT_EQ(FreeCutBound(Halves(1), false).makespan, std::chrono::microseconds(200));
  const Nanos ten = FreeCutBound(Halves(10), false).makespan.value();
  EXPECT_LE(ten, std::chrono::microseconds(1000));
  EXPECT_GE(ten, std::chrono::microseconds(1000) - Nanos{2});
}

TEST(FreeCutBound, SharesOneLayerOutWhereItMay) {
  // 1 / (1/100 + 1/300) us for each of the two layers.
  const Nanos split = FreeCutBound(Halves(1), true).makespan.value();
  EXPECT_LE(split, std::chrono::microseconds(150));
  EXPECT_GE(split, std::chrono::microseconds(150) - Nanos{5});
}

TEST(FreeCutBound, AFusedEntryCoversItsLayersTogether) {
  const Scenario scenario =
      JsonScenario{
          kTwoUnits,
          R"("entries": [{"model": "./m0.json", "unit": "u0", "layers": ["a"], "median_us": 100},
                                  {"model": "./m0.json", "unit": "u0", "layers": ["b"], "median_us": 50},
                                  {"model": "./m0.json", "unit": "u0", "layers": ["c"], "median_us": 7},
                                  {"model": "./m0.json", "unit": "u0", "layers": ["a", "b"], "median_us": 110}])",
          {R"([{"name": "in", "op": "input", "shape": [1, 2, 2, 2]},
                        {"name": "a", "op": "relu", "inputs": ["in"]}, {"name": "b", "op": "relu", "inputs": ["a"]},
                        {"name": "c", "op": "relu", "inputs": ["b"]}])"},
          R"("streams": [{"name": "s", "model": "./m0.json", "count": 3, "arrival": {"type": "offline"}}])"}
          .Read();
  const Nanos bound = FreeCutBound(scenario, false).makespan.value();
  EXPECT_LE(bound, std::chrono::microseconds(3 * 117));
  EXPECT_GE(bound, std::chrono::microseconds(3 * 117) - Nanos{3});
}

// What it says of whole models is no more than what the bound of whole models says.
TEST(FreeCutBound, IsBelowTheBoundOfAGranularity) {
  for (const std::int64_t requests : {1, 7}) {
    const Scenario scenario = Halves(requests);
    for (const Granularity granularity : {Granularity::kModel, Granularity::kLayer}) {
      EXPECT_LE(FreeCutBound(scenario, false).makespan.value(),
                LowerBound(Problem(scenario, granularity)).makespan.value());
    }
  }
}

TEST(FreeCutBound, CountsReleasesAndClosedStreams) {
  SmallScenario board({1, 1});
  const ModelId model = board.AddModel({{100, 300}, {300, 100}});
  board.AddStream(model, 5, ClosedArrival{1, 1});
  EXPECT_EQ(FreeCutBound(board.Build(), false).makespan, std::chrono::microseconds(1000));
}

// Four networks of 700 layers, eight streams, four units: a program of thousands of rows.
TEST(FreeCutBound, TakesManyLayersOfManyStreams) {
  SmallScenario board({1, 1, 2, 1});
  std::mt19937_64 bits(5);
  for (int m = 0; m < 4; ++m) {
    std::vector<std::vector<std::int64_t>> times(700);
    for (auto& row : times) {
      const auto work = static_cast<std::int64_t>(10 + bits() % 500);
      for (int u = 0; u < 4; ++u)
        row.push_back(work * static_cast<std::int64_t>(50 + bits() % 100) / 100 + 1);
    }
    const ModelId model = board.AddModel(times);
    for (int s = 0; s < 2; ++s) board.AddStream(model, 100);
  }
  const Scenario scenario = board.Build();
  const Bound bound = FreeCutBound(scenario, false);
  EXPECT_GT(bound.makespan.value(), Nanos{0});
  // The same program, but for what rounding its dual values costs.
  EXPECT_LE(bound.makespan.value(),
            LowerBound(Problem(scenario, Granularity::kLayer)).makespan.value() + Nanos{1000});
}

}  // namespace
}  // namespace tandem
