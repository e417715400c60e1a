// Does every registered policy keep what the simulator and the user rely on, at every granularity?
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <random>

#include "scenarios/arrivals/arrivals.h"
#include "tests/support/checked_policy.h"
#include "tests/support/random_cuts.h"
#include "tests/support/run_policy.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

constexpr int kScenarios = 24;

Arrival SomeArrival(std::mt19937& random, std::size_t streams) {
  switch (random() % (streams > 0 ? 5 : 4)) {
    case 0:
      return OfflineArrival{};
    case 1:
      return ClosedArrival{1 + static_cast<std::int64_t>(random() % 3), 1};
    case 2:
      return PeriodicArrival{1000 * (50 + static_cast<std::int64_t>(random() % 400)), 1,
                             Nanos{random() % 90000}, Nanos{random() % 30000}};
    case 3:
      return PoissonArrival{2000.0 + static_cast<double>(random() % 8000)};
    default:
      return DependentArrival{StreamId(random() % streams), random() % 2 == 0 ? 1 : 0.5};
  }
}

Scenario SomeScenario(unsigned seed) {
  std::mt19937 random(seed);
  const std::size_t units = 1 + random() % 4;
  std::vector<std::int64_t> slots(units);
  for (std::int64_t& count : slots) count = random() % 4 == 0 ? 2 : 1;
  SmallScenario board(slots);
  const std::size_t models = 1 + random() % 4;
  for (std::size_t m = 0; m < models; ++m) {
    // One unit has all layers, so that whole models run and may be bound; others lack some.
    const std::size_t whole = random() % units;
    const auto size = static_cast<std::int64_t>(1 << random() % 6);
    std::vector<std::vector<std::int64_t>> times(1 + random() % 4, std::vector<std::int64_t>(units));
    for (auto& layer : times) {
      for (std::size_t u = 0; u < units; ++u) {
        layer[u] = u != whole && random() % 6 == 0 ? SmallScenario::kCannot
                                                   : size * (1 + static_cast<std::int64_t>(random() % 9));
      }
    }
    board.AddModel(times);
  }
  const std::size_t streams = models + random() % 2;
  for (std::size_t s = 0; s < streams; ++s) {
    Stream& stream = board.AddStream(ModelId(s % models), 1 + random() % 25, SomeArrival(random, s));
    stream.priority = static_cast<std::int64_t>(random() % 5) - 2;
    if (random() % 2 == 0) stream.deadline = std::chrono::microseconds{20 + random() % 400};
    stream.drop_late = stream.deadline && random() % 2 == 0;
    if ((ComesByTheClock(stream) || std::holds_alternative<DependentArrival>(stream.arrival)) &&
        random() % 4 == 0) {
      stream.keep_latest = 1 + random() % 3;
    }
    if (std::holds_alternative<DependentArrival>(stream.arrival)) stream.until = {};
  }
  Scenario scenario = board.Build();
  scenario.seed = seed;
  return scenario;
}

// A map for the policy that has none of its own: every model where all of it runs.
std::string GivenMap(const Scenario& scenario) {
  JsonObject map;
  for (std::size_t m = 0; m < scenario.models.size(); ++m) {
    std::size_t unit = 0;
    while (!scenario.CanRun(ModelId(m), UnitId(unit), 1)) ++unit;
    JsonObject all;
    all.AddString("*", scenario.platform->units[unit].name);
    map.Add(scenario.models[m].name, all.Text());
  }
  return map.Text();
}

// The unit that runs every model, for the policy that wants one.
std::optional<std::size_t> UnitForAll(const Scenario& scenario) {
  for (std::size_t u = 0; u < scenario.units.size(); ++u) {
    bool all = true;
    for (std::size_t m = 0; m < scenario.models.size(); ++m) {
      all = all && scenario.CanRun(ModelId(m), UnitId(u), 1);
    }
    if (all) return u;
  }
  return std::nullopt;
}

// Nothing where the policy has no parameters that fit the scenario.
std::optional<PolicySpec> Spec(const std::string& name, Granularity granularity, const Scenario& scenario) {
  JsonObject json;
  json.AddString("name", name);
  if (FindPolicy(name)->takes_granularity)
    json.AddString("granularity", NameOf(kGranularityNames, granularity));
  if (name == "given") json.Add("map", GivenMap(scenario));
  if (name == "best") json.Add("evaluations", "20");
  if (name == "dmda" && scenario.seed % 2 == 0) json.Add("sorted", "true");
  if (name == "layer_type") {
    json.Add("map", JsonObject().Add("*", JsonStrings(scenario.platform->UnitNames())).Text());
    json.AddString("queue", std::array{"fifo", "task_order", "sjf"}[scenario.seed % 3]);
  }
  if (name == "single") {
    const auto unit = UnitForAll(scenario);
    if (!unit) return std::nullopt;
    json.AddString("unit", scenario.platform->units[*unit].name);
  }
  const JsonDocument document = JsonDocument::Parse(json.Text(), "policy");
  return ReadPolicy(document.root(), scenario);
}

struct Spans final : SpanSink {
  void Add(const Span& span) override { all.push_back(span); }
  void Ended(const RequestEnd&) override {}
  std::vector<Span> all;
};

struct Result {
  std::shared_ptr<const Problem> problem;
  Outcome outcome;
  std::vector<Span> spans;
};

Result RunChecked(const PolicySpec& spec, const Scenario& scenario, std::shared_ptr<const Problem> asked) {
  const Prepared made = MakePolicy(spec, std::move(asked));
  const Problem& problem = *made.problem;
  CheckedPolicy checked(problem, *made.policy);
  Spans spans;
  RunOptions options;
  options.spans = &spans;
  Outcome outcome = RunVirtual(problem, checked, options);
  EXPECT_EQ(checked.waiting(), 0U) << "nothing is left behind";
  std::int64_t dropped = 0;
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    const auto sources = static_cast<std::int64_t>(problem.cut(StreamId(s)).sources.size());
    dropped += outcome.streams[s].dropped * sources;
  }
  EXPECT_EQ(checked.dropped(), dropped);
  return {made.problem, std::move(outcome), std::move(spans.all)};
}

void ExpectConservation(const Result& result, const Problem& problem) {
  std::map<StreamId, std::int64_t> tasks;
  for (const Span& span : result.spans) ++tasks[span.stream];
  for (std::size_t s = 0; s < result.outcome.streams.size(); ++s) {
    const StreamOutcome& stream = result.outcome.streams[s];
    EXPECT_EQ(stream.released, stream.completed() + stream.dropped);
    EXPECT_EQ(tasks[StreamId(s)], stream.completed() * problem.cut(StreamId(s)).segments);
  }
}

void ExpectCausality(const Result& result, const Problem& problem) {
  std::map<std::tuple<StreamId, std::int32_t, std::int32_t>, Nanos> ends;
  for (const Span& span : result.spans) {
    ends[{span.stream, span.index, span.segment}] = span.end;
    const SegmentId segment(static_cast<std::size_t>(span.segment));
    EXPECT_LE(span.release, span.ready);
    EXPECT_LE(span.ready, span.start);
    EXPECT_EQ(span.end - span.start, problem.Dispatch(span.unit) + problem.Time(segment, span.unit));
  }
  for (const Span& span : result.spans) {
    for (const SegmentId next : problem.segment(SegmentId(static_cast<std::size_t>(span.segment))).feeds) {
      const auto follower = std::find_if(result.spans.begin(), result.spans.end(), [&](const Span& other) {
        return other.stream == span.stream && other.index == span.index && other.segment == next.value;
      });
      ASSERT_NE(follower, result.spans.end());
      EXPECT_GE(follower->start, span.end) << "a task starts after what feeds it";
    }
  }
}

using BySlot = std::map<std::pair<UnitId, std::int32_t>, std::vector<const Span*>>;

BySlot Slots(const Result& result) {
  BySlot slots;
  for (const Span& span : result.spans) slots[{span.unit, span.slot}].push_back(&span);
  for (auto& [slot, spans] : slots) {
    std::sort(spans.begin(), spans.end(), [](const Span* a, const Span* b) { return a->start < b->start; });
  }
  return slots;
}

void ExpectNoOverlap(const BySlot& slots, const Problem& problem) {
  for (const auto& [slot, spans] : slots) {
    EXPECT_LT(slot.second, problem.platform().unit(slot.first).slots);
    for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_GE(spans[i]->start, spans[i - 1]->end);
  }
}

// Nanoseconds of [from, to) in which the slot works.
Nanos Busy(const std::vector<const Span*>& spans, Nanos from, Nanos to) {
  Nanos busy{0};
  for (const Span* span : spans) {
    const Nanos start = std::max(span->start, from), end = std::min(span->end, to);
    if (start < end) busy += end - start;
  }
  return busy;
}

// While a task waits, every slot of its unit works; under a policy that sends tasks to no unit beforehand,
// every slot of every unit that can run it.
void ExpectNoIdling(BySlot slots, const Result& result, const Problem& problem, bool any_unit) {
  for (const Span& span : result.spans) {
    if (span.ready == span.start) continue;
    for (std::size_t u = 0; u < problem.units(); ++u) {
      if (UnitId(u) != span.unit && !any_unit) continue;
      if (!problem.Runs(SegmentId(static_cast<std::size_t>(span.segment)), UnitId(u))) continue;
      for (std::int32_t slot = 0; slot < problem.platform().units[u].slots; ++slot) {
        EXPECT_EQ(Busy(slots[{UnitId(u), slot}], span.ready, span.start), span.start - span.ready);
      }
    }
  }
}

// While a task waits, one of these slots works at least: of each unit that can run it, or of the whole board.
void ExpectSomeWork(BySlot slots, const Result& result, const Problem& problem, bool of_board) {
  for (const Span& span : result.spans) {
    if (span.ready == span.start) continue;
    std::map<UnitId, std::vector<const Span*>> work;  // of each unit, or of the first for all
    for (std::size_t u = 0; u < problem.units(); ++u) {
      if (!of_board && !problem.Runs(SegmentId(static_cast<std::size_t>(span.segment)), UnitId(u))) continue;
      std::vector<const Span*>& together = work[UnitId(of_board ? 0 : u)];
      for (std::int32_t slot = 0; slot < problem.platform().units[u].slots; ++slot) {
        const auto& of_slot = slots[{UnitId(u), slot}];
        together.insert(together.end(), of_slot.begin(), of_slot.end());
      }
    }
    for (auto& [unit, spans] : work) {
      std::sort(spans.begin(), spans.end(), [](const Span* a, const Span* b) { return a->start < b->start; });
      Nanos until = span.ready;
      for (const Span* other : spans) {
        if (other->start <= until) until = std::max(until, other->end);
      }
      EXPECT_GE(until, span.start) << "all are idle from " << until.count() << " on";
    }
  }
}

// The last two may keep units from tasks, but not as they are asked here.
bool SendsToNoUnit(std::string_view policy) {
  return FindPolicy(policy)->waiting == Waiting::kShared || policy == "priority" || policy == "layer_type";
}

// A unit may wait for the next task of its order while others could run.
bool PlansAhead(std::string_view policy) {
  return FindPolicy(policy)->waiting == Waiting::kOwnOrder || FindPolicy(policy)->clairvoyant;
}

void ExpectNoNeedlessIdling(const std::string& policy, const BySlot& slots, const Result& result,
                            const Problem& problem) {
  const Waiting waiting = FindPolicy(policy)->waiting;
  if (waiting == Waiting::kWholeUnit || waiting == Waiting::kBoard) {
    ExpectSomeWork(slots, result, problem, waiting == Waiting::kBoard);
  } else if (!PlansAhead(policy) && waiting != Waiting::kOwnStream) {
    ExpectNoIdling(slots, result, problem, SendsToNoUnit(policy));
  }
}

bool Same(const Span& a, const Span& b) {
  return std::tie(a.unit, a.slot, a.stream, a.index, a.segment, a.start, a.end) ==
         std::tie(b.unit, b.slot, b.stream, b.index, b.segment, b.start, b.end);
}

using Case = std::tuple<std::string, Granularity>;
class EachPolicy : public testing::TestWithParam<Case> {};

TEST_P(EachPolicy, KeepsTheRulesOfEverySchedule) {
  const auto& [name, granularity] = GetParam();
  int ran = 0;
  for (unsigned seed = 1; seed <= kScenarios; ++seed) {
    SCOPED_TRACE("scenario " + std::to_string(seed));
    const Scenario scenario = SomeScenario(seed);
    const auto spec = Spec(name, granularity, scenario);
    if (!spec) continue;
    ++ran;
    const Result result = RunChecked(*spec, scenario, ProblemFor(*spec, scenario));
    const Problem& problem = *result.problem;
    ExpectConservation(result, problem);
    ExpectCausality(result, problem);
    const BySlot slots = Slots(result);
    ExpectNoOverlap(slots, problem);
    ExpectNoNeedlessIdling(name, slots, result, problem);
  }
  EXPECT_GT(ran, kScenarios / 4);
}

TEST_P(EachPolicy, KeepsThemWhereAPlanCutsTheModels) {
  const auto& [name, granularity] = GetParam();
  const PolicyDeclaration& policy = *FindPolicy(name);
  if (!policy.takes_granularity) return;  // it looks for cuts of its own
  for (unsigned seed = 1; seed <= kScenarios / 2; ++seed) {
    SCOPED_TRACE("scenario " + std::to_string(seed));
    const Scenario scenario = SomeScenario(seed);
    const auto spec = Spec(name, granularity, scenario);
    if (!spec) continue;
    const Result result = RunChecked(
        *spec, scenario, std::make_shared<const Problem>(scenario, granularity, RandomCuts(scenario, seed)));
    const Problem& problem = *result.problem;
    ExpectConservation(result, problem);
    ExpectCausality(result, problem);
    const BySlot slots = Slots(result);
    ExpectNoOverlap(slots, problem);
    ExpectNoNeedlessIdling(name, slots, result, problem);
  }
}

TEST_P(EachPolicy, DecidesTheSameAgain) {
  const auto& [name, granularity] = GetParam();
  for (unsigned seed = 1; seed <= kScenarios / 4; ++seed) {
    const Scenario scenario = SomeScenario(seed);
    const auto spec = Spec(name, granularity, scenario);
    if (!spec) continue;
    const Result a = RunChecked(*spec, scenario, ProblemFor(*spec, scenario));
    const Result b = RunChecked(*spec, scenario, ProblemFor(*spec, scenario));
    EXPECT_TRUE(std::equal(a.spans.begin(), a.spans.end(), b.spans.begin(), b.spans.end(), Same));
  }
}

TEST_P(EachPolicy, ReadsWhatItWrites) {
  const auto& [name, granularity] = GetParam();
  int read = 0;
  for (unsigned seed = 5; seed <= 12; ++seed) {
    const Scenario scenario = SomeScenario(seed);
    const auto spec = Spec(name, granularity, scenario);
    if (!spec) continue;
    ++read;
    const std::string text = PolicyJson(*spec, scenario);
    const JsonDocument document = JsonDocument::Parse(text, "policy");
    EXPECT_EQ(PolicyJson(ReadPolicy(document.root(), scenario), scenario), text);
  }
  EXPECT_GT(read, 0);
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const PolicyDeclaration& policy : Policies()) {
    for (const auto& granularity : kGranularityNames) {
      if (policy.takes_granularity || granularity.value == Granularity::kModel) {
        cases.emplace_back(policy.name, granularity.value);
      }
    }
  }
  return cases;
}

std::string NameOfCase(const testing::TestParamInfo<Case>& policy) {
  const auto& [name, granularity] = policy.param;
  return name + "_by_" + std::string(NameOf(kGranularityNames, granularity));
}

INSTANTIATE_TEST_SUITE_P(All, EachPolicy, testing::ValuesIn(Cases()), NameOfCase);

}  // namespace
}  // namespace tandem
