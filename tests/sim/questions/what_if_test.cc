// Does a supposition change what it names, all of it and nothing else, and is what is wrong told as it was
// asked?
#include "sim/questions/what_if.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiles/base/input_error.h"
#include "tests/support/error_of.h"
#include "tests/support/one_unit.h"

namespace tandem {
namespace {

Scenario With(const OneUnit& one, const std::vector<std::string>& texts) {
  std::vector<Supposed> all;
  for (const std::string& text : texts) all.push_back(ReadSupposed(text, "--what-if"));
  return ScenarioFile(one.Text(), "s.json").With(all, "--what-if");
}

std::string Change(const OneUnit& one, const std::string& text) {
  return With(one, {text}).what_if[0].changes[0];
}

std::string Wrong(const std::string& text, const OneUnit& one = {}) {
  return ErrorOf([&] { (void)With(one, {text}); });
}

Nanos Makespan(const Scenario& scenario) {
  const PreparedRun run = Prepare(scenario, scenario.policies[0]);
  return RunOn(Engine::kVirtual, run).makespan();
}

OneUnit Offline(int count) {
  OneUnit one;
  one.streams = R"({"name": "camera", "model": "alexnet", "count": )" + std::to_string(count) +
                R"(, "arrival": {"type": "offline"}})";
  return one;
}

TEST(WhatIf, AFasterUnitTakesSoMuchLess) {
  EXPECT_EQ(Makespan(With(Offline(10), {"units.cpu.speed=1"})), Nanos{100'000'000});
  EXPECT_EQ(Makespan(With(Offline(10), {"units.cpu.speed=2"})), Nanos{50'000'000});
  EXPECT_EQ(Makespan(With(Offline(10), {"units.cpu.speed=2x"})), Nanos{50'000'000});
  EXPECT_EQ(Makespan(With(Offline(10), {"units.cpu.speed=+100 %"})), Nanos{50'000'000});
  EXPECT_EQ(Makespan(With(Offline(10), {"units.cpu.speed=-50%"})), Nanos{200'000'000});
  EXPECT_EQ(Makespan(With(Offline(10), {"streams.camera.count=+10 %"})), Nanos{110'000'000});
  EXPECT_EQ(Makespan(With(Offline(10), {"units.*.speed=0.5"})), Nanos{200'000'000});
  EXPECT_EQ(Makespan(With(Offline(10), {"units.cpu.speed=3"})), Nanos{33'333'340});
  EXPECT_EQ(Change(Offline(10), "units.cpu.speed=1.5"), "units.cpu.speed: 1 -> 1.5 (1 time)");
}

TEST(WhatIf, OfTwoSpeedsTheLastCountsAndAFactorIsOfTheFirst) {
  EXPECT_EQ(Makespan(With(Offline(10), {"units.cpu.speed=4", "units.cpu.speed=2"})), Nanos{50'000'000});
  EXPECT_EQ(Makespan(With(Offline(10), {"units.cpu.speed=4", "units.*.speed=0.5x"})), Nanos{50'000'000});
  const Scenario scenario =
      With(Offline(10), {"units.cpu.speed=2", "units.cpu.speed=5", "units.cpu.speed=2x"});
  EXPECT_EQ(scenario.what_if[1].changes[0], "units.cpu.speed: 2 -> 5 (1 time)");
  EXPECT_EQ(scenario.what_if[2].changes[0], "units.cpu.speed: 5 -> 10 (1 time)");
}

TEST(WhatIf, SpeedIsOfWorkAlone) {
  OneUnit one = Offline(10);
  one.of_unit = R"(, "dispatch_us": 1000)";
  EXPECT_EQ(Makespan(With(one, {"units.cpu.speed=2"})), Nanos{60'000'000});
  EXPECT_EQ(Makespan(With(one, {"units.cpu.speed=2", "units.cpu.dispatch_us=0"})), Nanos{50'000'000});
  EXPECT_EQ(Makespan(With(one, {"units.cpu.slots=2"})), Nanos{55'000'000});
  EXPECT_EQ(Makespan(With(one, {"units.cpu.slots=2x"})), Nanos{55'000'000});
  EXPECT_EQ(Change(one, "units.cpu.slots=2x"), "units.cpu.slots: 1 (not given) -> 2");
}

TEST(WhatIf, DispatchIsWhatCountsMeasuredOrNot) {
  OneUnit one = Offline(10);
  one.lists = R"(, "dispatch": [{"unit": "cpu", "median_us": 500}])";
  EXPECT_EQ(Makespan(With(one, {"units.cpu.dispatch_ms=1"})), Nanos{110'000'000});
  EXPECT_EQ(Makespan(With(one, {"units.cpu.dispatch=2x"})), Nanos{110'000'000});
  EXPECT_EQ(Makespan(With(one, {"units.cpu.dispatch=0"})), Nanos{100'000'000});
  EXPECT_EQ(Change(one, "units.cpu.dispatch=2x"), "units.cpu.dispatch_us: 500 -> 1000");
}

TEST(WhatIf, LinksAreNamedByTheirMemoriesAndTakeUnits) {
  const OneUnit one;
  const auto bandwidth = [&](const std::string& text) {
    return With(one, {text}).platform->links[0].bandwidth_bytes_per_s;
  };
  EXPECT_EQ(bandwidth("links.n.bandwidth=2x"), 2e6);
  EXPECT_EQ(bandwidth("links.m-n.bandwidth=1GB/s"), 1e9);
  EXPECT_EQ(bandwidth("links.n-m.bandwidth_bytes_per_s=400000000"), 4e8);
  EXPECT_EQ(bandwidth("links.*.bandwidth=10 Gbit/s"), 1.25e9);
  EXPECT_EQ(With(one, {"links.n.latency=1ms"}).platform->links[0].latency, Nanos{1'000'000});
  EXPECT_EQ(With(one, {"links.n.latency_ms=0.5x"}).platform->links[0].latency, Nanos{5'000});
  const Link fast = With(one, {"links.n.speed=2"}).platform->links[0];
  EXPECT_EQ(fast.latency, Nanos{5'000});
  EXPECT_EQ(fast.bandwidth_bytes_per_s, 2e6);
}

TEST(WhatIf, MeasuredCopiesFollowTheirLink) {
  OneUnit one;
  one.lists = R"(, "transfers": [{"from": "m", "to": "n", "bytes": 1000, "median_us": 1010}])";
  const auto copy = [&](const std::string& text) {
    return With(one, {text}).profiles[0].transfers[0].time.median;
  };
  EXPECT_EQ(copy("links.n.bandwidth=2x"), Nanos{510'000});
  EXPECT_EQ(copy("links.n.latency=110us"), Nanos{1'110'000});
  EXPECT_EQ(copy("links.n.speed=2"), Nanos{505'000});
  EXPECT_EQ(copy("units.cpu.speed=2"), Nanos{1'010'000});
}

TEST(WhatIf, MeasuredCopiesFollowWhateverIsTheNarrowestOnTheirWay) {
  OneUnit one;
  one.lists = R"(, "transfers": [{"from": "m", "to": "n", "bytes": 1000, "median_us": 1010}])";
  const auto copy = [&](const std::vector<std::string>& texts) {
    return With(one, texts).profiles[0].transfers[0].time.median;
  };
  EXPECT_EQ(copy({"memories.n.bandwidth=500kB/s"}), Nanos{2'010'000});
  EXPECT_EQ(copy({"memories.n.bandwidth=4MB/s"}), Nanos{1'010'000});
  EXPECT_EQ(copy({"memories.n.bandwidth=2MB/s", "links.n.bandwidth=4x"}), Nanos{510'000});
}

TEST(WhatIf, StreamsTakeEveryKey) {
  const OneUnit one;
  const auto stream = [&](const std::string& text) { return With(one, {text}).streams[0]; };
  EXPECT_EQ(stream("streams.camera.count=7").until.count, 7);
  EXPECT_EQ(stream("streams.camera.count=2x").until.count, 100);
  EXPECT_EQ(stream("streams.camera.count=0.33x").until.count, 17);  // of 16.5
  EXPECT_EQ(stream("streams.camera.deadline=5ms").deadline, Nanos{5'000'000});
  EXPECT_EQ(stream("streams.camera.deadline_us=2500").deadline, Nanos{2'500'000});
  EXPECT_EQ(stream("streams.camera.priority=-3").priority, -3);
  EXPECT_EQ(stream("streams.*.drop_late=true").drop_late, true);
  const auto period = [&](const std::string& text) {
    const auto arrival = std::get<PeriodicArrival>(stream(text).arrival);
    return static_cast<double>(arrival.period_ns) / static_cast<double>(arrival.divisor);
  };
  EXPECT_EQ(period("streams.camera.arrival.period_ms=16"), 16e6);
  EXPECT_EQ(period("streams.camera.arrival.period=0.5x"), 10e6);
  EXPECT_EQ(period("streams.camera.arrival.fps=40"), 25e6);
  EXPECT_EQ(period("streams.camera.arrival.rate=2x"), 10e6);
  EXPECT_EQ(period("streams.camera.arrival.rate=50 Hz"), 20e6);
}

TEST(WhatIf, ReachesTheRestOfTheScenario) {
  const OneUnit one;
  EXPECT_EQ(With(one, {"seed=18446744073709551615"}).seed, 18446744073709551615ULL);
  EXPECT_EQ(With(one, {"objective=throughput"}).objective, Objective::kThroughput);
  EXPECT_EQ(With(one, {"background.cpu.load_pct=40"}).loads[0].load_pct, 40);
  EXPECT_EQ(With(one, {"background.cpu.load=40 %"}).loads[0].load_pct, 40);
  EXPECT_EQ(With(one, {"memories.m.capacity=2GiB"}).platform->memories[0].capacity_bytes, 2147483648);
  EXPECT_TRUE(With(one, {"resident.cpu=[\"alexnet\"]"}).units[0].resident.has_value());
  EXPECT_EQ(With(one, {"policies.fcfs.label=first"}).policies[0].label, "first");
  EXPECT_EQ(Change(one, "memories.m.bandwidth=1GB/s"),
            "memories.m.bandwidth_bytes_per_s: (not given) -> 1000000000");
}

TEST(WhatIf, NamesMayHoldDotsSpacesAndEqualsSigns) {
  OneUnit one;
  one.streams = R"({"name": "a.b = c", "model": "alexnet", "count": 1, "arrival": {"type": "offline"}},
                   {"name": "a", "model": "alexnet", "count": 1, "arrival": {"type": "offline"}})";
  const Scenario changed = With(one, {"streams.a.b = c.count=5"});
  EXPECT_EQ(changed.streams[0].until.count, 5);
  EXPECT_EQ(changed.streams[1].until.count, 1);
}

TEST(WhatIf, ClonesAStreamAndAllThatHangOnIt) {
  OneUnit one;
  one.streams += R"(, {"name": "gaze", "model": "alexnet", "depends_on": {"stream": "camera"}})";
  const Scenario three = With(one, {"count(camera)=3"});
  ASSERT_EQ(three.streams.size(), 6U);
  EXPECT_EQ(three.streams[2].name, "camera_3");
  EXPECT_EQ(three.streams[4].name, "gaze_2");
  EXPECT_EQ(std::get<DependentArrival>(three.streams[4].arrival).parent.index(), 1U);
  EXPECT_EQ(With(one, {"count(camera)=1"}).streams[0].name, "camera");
}

TEST(WhatIf, WhatIsWrongIsToldAsItWasAsked) {
  EXPECT_EQ(Wrong("streams.camra.count=2"),
            "--what-if streams.camra.count=2: streams has none called \"camra\"; did you mean \"camera\"?");
  EXPECT_EQ(Wrong("stream.camera.count=2"),
            "--what-if stream.camera.count=2: the scenario has no key \"stream\"; did you mean \"streams\"?");
  EXPECT_EQ(Wrong("units.cpu.slotz=2"),
            "--what-if units.cpu.slotz=2: units.cpu has no key \"slotz\"; did you mean \"slots\"?");
  EXPECT_EQ(Wrong("units.cpu.slots=0"),
            "--what-if units.cpu.slots=0: s.json:/platform/units/0/slots: 0 is out of range: from 1 to 1024");
  EXPECT_EQ(Wrong("links.n.bandwidth=2 ms"),
            "--what-if links.n.bandwidth=2 ms: \"bandwidth_bytes_per_s\" is in B/s, not in ms");
  EXPECT_EQ(Wrong("links.n.bandwidth=2gb/s"),
            "--what-if links.n.bandwidth=2gb/s: unknown unit \"gb/s\"; did you mean \"GB/s\"?");
  EXPECT_EQ(
      Wrong("units.cpu.speed=0"),
      "--what-if units.cpu.speed=0: a speed is so many times what it is now: a number above 0, as in 1.5 "
      "or 2x");
  EXPECT_EQ(
      Wrong("units.cpu.resident_models=2x"),
      "--what-if units.cpu.resident_models=2x: units.cpu.resident_models is not given: there is nothing to "
      "multiply");
  EXPECT_EQ(Wrong("count(camra)=2"),
            "--what-if count(camra)=2: no stream is called \"camra\"; did you mean \"camera\"?");
  EXPECT_EQ(Wrong("count(camera)=1.5"),
            "--what-if count(camera)=1.5: a stream is there a whole number of times, 1 to 10000");
  EXPECT_EQ(
      Wrong("streams.camera.deadline=2"),
      "--what-if streams.camera.deadline=2: streams.camera.deadline_ms is a time: say in what, as in 2 ms, "
      "or \"deadline_ms\"");
  EXPECT_EQ(Wrong("streams.camera"), "--what-if streams.camera: it is PATH=VALUE, as in units.gpu.speed=1.5");
  EXPECT_EQ(Wrong("units.cpu=2"),
            "--what-if units.cpu=2: units.cpu: say what of it, as in units.cpu.speed or .kind");
  EXPECT_EQ(
      Wrong("streams.camera.arrival.rate=2x", Offline(1)),
      "--what-if streams.camera.arrival.rate=2x: streams.camera.arrival is \"offline\": it has no rate");
  EXPECT_EQ(Wrong("profiles.b.entries=2"),
            "--what-if profiles.b.entries=2: a profile's times change by "
            "units.NAME.speed, links.NAME.speed and the like");
}

TEST(WhatIf, OfSeveralTheOneThatIsWrongIsNamed) {
  const OneUnit one;
  EXPECT_EQ(
      ErrorOf([&] {
        (void)With(one, {"units.cpu.slots=2", "streams.camera.count=0", "seed=3"});
      }),
      "--what-if streams.camera.count=0: s.json:/streams/0/count: 0 is out of range: from 1 to 2147483648");
  // A deadline makes what stands before it right.
  OneUnit loose;
  loose.streams = R"({"name": "a", "model": "alexnet", "count": 1, "arrival": {"type": "offline"}})";
  EXPECT_TRUE(With(loose, {"streams.a.drop_late=true", "streams.a.deadline_ms=5"}).streams[0].drop_late);
}

}  // namespace
}  // namespace tandem
