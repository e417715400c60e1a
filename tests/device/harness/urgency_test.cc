// Do units that preempt know how urgent each task is, and is it told where a backend cannot do it?
#include "tests/support/device/harness_files.h"

namespace tandem {
namespace {

using Urgencies = std::map<std::string, int>;

class Urgency : public HarnessFiles {
 protected:
  Urgency() {
    Unit("fake", R"("backend": "reference", "slots": 2, "time_shared": true, "preempts": true)");
    Priorities(1, 5);
  }
  void Unit(const std::string& name, const std::string& members) {
    units = R"([{"name": ")" + name + R"(", "kind": "gpu", "memory": "dram", )" + members + "}]";
  }
  void Priorities(int of_m0, int of_m1) {
    const auto stream = [](const std::string& model, int priority) {
      return R"({"name": ")" + model + R"(", "model": "./)" + model + R"(.json", "priority": )" +
             std::to_string(priority) + R"(, "count": 8, "arrival": {"type": "offline"}})";
    };
    streams = "[" + stream("m0", of_m0) + ", " + stream("m1", of_m1) + "]";
  }
  Urgencies Run() {
    FakeKernels fake;
    RunOrder request = Request({R"("fcfs")"});
    request.check = false;  // outputs are compared by runs of their own
    const RunAnswer result = RunPlans(request, Place(&fake));
    EXPECT_TRUE(result.runs.at(0).complete) << result.runs.at(0).failure;
    return fake.urgency;
  }
  std::vector<std::string> Otherwise() const { return WhatIsOtherwise(Plan(R"("fcfs")")); }
};

TEST_F(Urgency, IsWhatTheStreamsPrioritySaysWhereTheUnitPreempts) {
  EXPECT_EQ(Run(), (Urgencies{{"m0", 1}, {"m1", 0}})) << "on both slots";
  Priorities(7, 2);
  EXPECT_EQ(Run(), (Urgencies{{"m0", 0}, {"m1", 1}}));
  Priorities(2, 2);
  EXPECT_EQ(Run(), (Urgencies{{"m0", 0}, {"m1", 0}}));
}

TEST_F(Urgency, IsNotSaidToOtherUnits) {
  Unit("fake", R"("backend": "reference", "slots": 2, "time_shared": true)");
  EXPECT_EQ(Run(), (Urgencies{{"m0", -1}, {"m1", -1}}));
}

TEST_F(Urgency, ThatABackendDoesNotHeedIsToldBeforeTheRun) {
  const std::string sentence =
      "unit \"fake\" does not preempt here: the backend \"reference\" knows no urgent tasks, so that those "
      "on "
      "its slots go on side by side whatever their streams' \"priority\"; without \"preempts\" the "
      "prediction "
      "has it so, too";
  EXPECT_EQ(Otherwise(), std::vector<std::string>{sentence});
  FakeKernels fake;
  const RunOrder request = Request({R"("fcfs")"});
  EXPECT_EQ(RunPlans(request, Place(&fake)).warnings,
            std::vector<std::string>{request.plans[0].scenario.file + ": " + sentence});
}

TEST_F(Urgency, IsNotMissedWhereNothingIsPreempted) {
  Priorities(3, 3);
  EXPECT_TRUE(Otherwise().empty()) << "all are alike";
  Priorities(1, 2);
  Unit("fake", R"("backend": "reference", "time_shared": true, "preempts": true)");
  EXPECT_TRUE(Otherwise().empty()) << "one task at a time";
  Unit("fake", R"("backend": "reference", "slots": 2, "time_shared": true)");
  EXPECT_TRUE(Otherwise().empty()) << "nor is it predicted";
  Unit("gpu0", R"("backend": "cuda", "device": 0, "slots": 2, "time_shared": true, "preempts": true)");
  EXPECT_TRUE(Otherwise().empty()) << "a card has streams of several priorities";
}

}  // namespace
}  // namespace tandem
