// Does a load have the share of a core that it is to have, and no more?
#include "device/loads/core_load.h"

#include <gtest/gtest.h>

#include "device/host/info.h"
#include "device/loads/background_loads.h"
#include "device/loads/duty_cycle.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr Nanos kPeriod{1000};

template <class Body>
std::string RefusalOf(Body body) {
  try {
    body();
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "no refusal";
}

TEST(DutyCycles, AreWorkAtTheStartOfEachPeriodAndThenSleep) {
  DutyCycle cycle(0.4, kPeriod, Nanos{5000});
  EXPECT_EQ(cycle.SleepUntil(Nanos{4999}, Nanos{0}), Nanos{5000});
  EXPECT_EQ(cycle.SleepUntil(Nanos{5000}, Nanos{0}), std::nullopt);
  EXPECT_EQ(cycle.SleepUntil(Nanos{5399}, Nanos{399}), std::nullopt);
  EXPECT_EQ(cycle.SleepUntil(Nanos{5400}, Nanos{400}), Nanos{6000});
  EXPECT_EQ(cycle.SleepUntil(Nanos{6000}, Nanos{400}), std::nullopt);
}

TEST(DutyCycles, MakeUpForWhatTheyDidNotGet) {
  DutyCycle cycle(0.4, kPeriod, Nanos{0});
  EXPECT_EQ(cycle.SleepUntil(Nanos{2000}, Nanos{300}), std::nullopt) << "500 of the first two are missing";
  EXPECT_EQ(cycle.SleepUntil(Nanos{2900}, Nanos{1199}), std::nullopt);
  EXPECT_EQ(cycle.SleepUntil(Nanos{2900}, Nanos{1200}), Nanos{3000});
}

TEST(DutyCycles, DoNotTakeTheCoreForAsLongAsTheyWereAway) {
  DutyCycle cycle(0.4, kPeriod, Nanos{0});
  EXPECT_EQ(cycle.SleepUntil(Nanos{1'000'000}, Nanos{0}), std::nullopt);
  EXPECT_EQ(cycle.SleepUntil(Nanos{1'000'001}, Nanos{3999}), std::nullopt) << "ten periods' worth";
  EXPECT_EQ(cycle.SleepUntil(Nanos{1'000'002}, Nanos{4000}), Nanos{1'001'000});
}

TEST(DutyCycles, ThatWorkNeverSleep) {
  DutyCycle never(0, kPeriod, Nanos{0});
  EXPECT_EQ(never.SleepUntil(Nanos{1}, Nanos{0}), kPeriod);
}

// Beside one that never sleeps n threads get n / (n + 1) of a core.
TEST(ThreadsOfALoad, AreEnoughForAFairScheduler) {
  EXPECT_EQ(ThreadsForLoad(0), 0);
  for (std::int64_t load = 1; load < 100; ++load) {
    const int threads = ThreadsForLoad(load);
    EXPECT_LT(load * (threads + 1), 100 * threads) << load;
    EXPECT_GE(load * threads, 100 * (threads - 1)) << load << " needs no more than that";
  }
}

TEST(ALoad, HasItsShareAndNoMore) {
  const std::vector<std::int64_t> cores = {UsableCores().front()};
  for (const std::int64_t percent : {40, 60}) {
    const CoreLoad load(cores, percent);
    while (load.used() < 2 * CoreLoad::kPeriod) std::this_thread::yield();
    // Whatever else runs here takes from it, nothing adds to it but the period that has begun.
    const Nanos used = load.used();
    const double most = static_cast<double>(percent) / 100 *
                        static_cast<double>((load.elapsed() + 2 * CoreLoad::kPeriod).count());
    EXPECT_LE(static_cast<double>(used.count()), most);
    EXPECT_GT(load.Share(), 0);
  }
}

TEST(ALoad, OfACoreThatIsNotThereIsRefused) {
  EXPECT_EQ(RefusalOf([] { CoreLoad(std::vector<std::int64_t>{100'000}, 40); }),
            "a load on core 100000 cannot be made: this process may not use it");
}

Scenario TwoUnits(std::int64_t a, std::int64_t b, std::string_view backend = "cpu") {
  Scenario scenario;
  scenario.file = "s.json";
  scenario.platform.emplace();
  for (const char* name : {"a", "b"}) {
    Unit unit;
    unit.name = name;
    unit.backend = &DeclaredBackend(backend);
    unit.cores = {UsableCores().front()};
    scenario.platform->units.push_back(unit);
  }
  scenario.loads = {{UnitId(0), a}, {UnitId(1), b}};
  return scenario;
}

TEST(LoadsOfAScenario, NeedCoresOfTheirOwn) {
  EXPECT_NO_THROW(CheckLoads(TwoUnits(0, 0, "emulated")));
  EXPECT_NO_THROW(CheckLoads(TwoUnits(40, 40)));
  EXPECT_EQ(RefusalOf([] { CheckLoads(TwoUnits(40, 0)); }),
            "s.json: the load of 40 % on unit \"a\" cannot be made: unit \"b\" shares core " +
                std::to_string(UsableCores().front()) +
                " with it and is to be under 0 %, and a core has one load");
  EXPECT_EQ(
      RefusalOf([] { CheckLoads(TwoUnits(0, 60, "emulated")); }),
      "s.json: the load of 60 % on unit \"b\" cannot be made: only cores of a unit of the backend "
      "\"cpu\" and cards of the backend \"cuda\" can be kept busy; a program under \"background\" may load "
      "anything");
}

TEST(LoadsOfAScenario, KeepASharedCoreBusyOnce) {
  EXPECT_TRUE(BackgroundLoads(TwoUnits(40, 40)).Missed().empty()) << "it has hardly begun";
}

}  // namespace
}  // namespace tandem
