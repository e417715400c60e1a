// Do arrows go from what makes or brings a tensor to what reads it, and do counters say what waits, what
// memories hold and what units draw?
#include "scenarios/trace/arrows.h"

#include <gtest/gtest.h>

#include <map>

#include "scenarios/trace/counters.h"

namespace tandem {
namespace {

// One request: "one" on the CPU makes a tensor of 100 elements, which the link's engine copies for "two" on
// the GPU. Another stream's request follows.
class ArrowsAndCounters : public testing::Test {
 protected:
  ArrowsAndCounters() {
    Platform board;
    board.memories = {{"dram", {}, {}}, {"vram", {}, {}}};
    board.links = {{MemoryId(0), MemoryId(1), Nanos{1}, 1e9, true}};
    board.units.resize(2);
    board.units[0].name = "cpu";
    board.units[0].memory = MemoryId(0);
    board.units[0].idle_w = 1;
    board.units[0].busy_w = 3;
    board.units[1].name = "gpu";
    board.units[1].memory = MemoryId(1);
    board.units[1].idle_w = 2;
    scenario_.platform = board;
    scenario_.models = {{"net", "net", nullptr}};
    scenario_.streams.resize(2);
    scenario_.streams[1].arrival = DependentArrival{StreamId(0)};
    run_.residents = {{"net"}, {"net"}};
    run_.segments = {{"net", {"one"}, {}}, {"net", {"two"}, {}}};
    TraceTables tables;
    tables.reads = {{}, {0}};
    tables.tensors = {{{0, 100}}, {{0, 100}}};
    tables.element_bytes = {4, 2};
    tables.weights = {{1000}, {500}};
    tables.joules = {{{}, 0.5}, {{}, 0.5}};
    run_.tables = tables;
    spans_ = {Of(0, SpanKind::kCompute, 0, 10, 20), Of(2, SpanKind::kTransfer, 1, 20, 25),
              Of(1, SpanKind::kCompute, 1, 25, 35)};
    spans_[0].taken = Nanos{10};
    spans_[1].tensor = 0;
    spans_[1].from_memory = 0;
    spans_[1].to_memory = 1;
    spans_[2].ready = Nanos{20};
    spans_[2].taken = Nanos{20};
  }

  static Span Of(std::size_t unit, SpanKind kind, std::int32_t segment, std::int64_t start,
                 std::int64_t end) {
    Span span;
    span.unit = UnitId(unit);
    span.kind = kind;
    span.stream = StreamId(0);
    span.segment = segment;
    span.start = Nanos{start};
    span.end = Nanos{end};
    return span;
  }
  std::vector<std::tuple<std::size_t, std::size_t, ArrowKind>> Arrows() const {
    std::vector<std::tuple<std::size_t, std::size_t, ArrowKind>> list;
    for (const Arrow& arrow : ArrowsOf(run_, scenario_, spans_)) {
      list.emplace_back(arrow.from, arrow.to, arrow.kind);
    }
    return list;
  }
  using Values = std::vector<std::pair<std::int64_t, double>>;
  std::map<std::string, Values> Counters(const std::vector<RequestEnd>& drops = {}) const {
    std::map<std::string, Values> all;
    for (const Counter& counter : CountersOf(run_, scenario_, spans_, drops)) {
      for (const auto& [at, value] : counter.values) all[counter.name].emplace_back(at.count(), value);
    }
    return all;
  }

  Scenario scenario_;
  TraceRun run_;
  std::vector<Span> spans_;
};

TEST_F(ArrowsAndCounters, GoOverTheCopyToTheTaskThatNeedsIt) {
  const std::vector<std::tuple<std::size_t, std::size_t, ArrowKind>> wanted = {{0, 1, ArrowKind::kCopy},
                                                                               {1, 2, ArrowKind::kCopy}};
  EXPECT_EQ(Arrows(), wanted);
}

TEST_F(ArrowsAndCounters, GoFromTaskToTaskWhereNothingIsCopied) {
  spans_.erase(spans_.begin() + 1);
  const std::vector<std::tuple<std::size_t, std::size_t, ArrowKind>> wanted = {
      {0, 1, ArrowKind::kDependency}};
  EXPECT_EQ(Arrows(), wanted);
}

TEST_F(ArrowsAndCounters, GoToTheRequestThatFollows) {
  spans_.push_back(Of(0, SpanKind::kCompute, 0, 40, 50));
  spans_.back().stream = StreamId(1);
  EXPECT_EQ(Arrows().size(), 3U);
  EXPECT_EQ(Arrows().back(), (std::tuple<std::size_t, std::size_t, ArrowKind>{2, 3, ArrowKind::kFollows}));
  spans_.back().index = 1;
  EXPECT_EQ(Arrows().size(), 2U) << "another request's";
}

TEST_F(ArrowsAndCounters, LeaveOutWhatTakesNoTime) {
  spans_[1].end = spans_[1].start;
  EXPECT_EQ(Arrows().size(), 1U) << "viewers find no span there";
}

TEST_F(ArrowsAndCounters, CountWhatWaits) {
  EXPECT_EQ(Counters()["waiting: cpu"], (Values{{0, 1}, {10, 0}}));
  EXPECT_EQ(Counters()["waiting: gpu"], (Values{{0, 0}}));
  EXPECT_FALSE(Counters().contains("waiting: no unit, dropped later"));
  EXPECT_EQ(Counters({{StreamId(0), 7, Nanos{2}, Nanos{9}, true}})["waiting: no unit, dropped later"],
            (Values{{0, 0}, {2, 1}, {9, 0}}));
}

TEST_F(ArrowsAndCounters, CountWeightsAndTensorsWhereTheyAre) {
  EXPECT_EQ(Counters()["memory: dram"], (Values{{0, 1000}, {10, 1400}, {25, 1000}}))
      << "as wide as who makes it has it, until it is copied";
  EXPECT_EQ(Counters()["memory: vram"], (Values{{0, 500}, {25, 900}, {35, 500}}));
}

TEST_F(ArrowsAndCounters, CountAModelThatIsLoadedFromItsLoadToItsLastTask) {
  spans_[0].start = Nanos{15};
  spans_.insert(spans_.begin(), Of(0, SpanKind::kLoad, 0, 10, 15));
  EXPECT_EQ(Counters()["memory: dram"], (Values{{0, 0}, {10, 1000}, {15, 1400}, {20, 400}, {25, 0}}));
}

TEST_F(ArrowsAndCounters, CountWattsThatAreKnown) {
  EXPECT_EQ(Counters()["power: cpu"], (Values{{0, 1}, {10, 3}, {20, 1}})) << "idle and busy";
  EXPECT_EQ(Counters()["power: gpu"], (Values{{0, 2}, {25, 2 + 0.5 / 10e-9}, {35, 2}})) << "its own joules";
  run_.tables->joules[1][1].reset();
  EXPECT_FALSE(Counters().contains("power: gpu")) << "nothing says what it draws when it works";
}

}  // namespace
}  // namespace tandem
