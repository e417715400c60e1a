// Does the library refuse a plan of which what units hold does not fit, before it opens anything?
#include <gtest/gtest.h>

#include <algorithm>

#include "device/service/tandem_device.h"
#include "tests/support/device/harness_files.h"

namespace tandem {
namespace {

using device::BadRequest;
using device::PlanService;
using device::ServiceOptions;

// m0 as measured: 1,000,001 bytes while it is made ready.
class RoomOfPlans : public HarnessFiles {
 protected:
  RoomOfPlans() {
    units = R"([{"name": "one", "kind": "cpu", "memory": "dram", "backend": "reference"}])";
    streams = R"([{"name": "x", "model": "./m0.json", "count": 1, "arrival": {"type": "offline"}}])";
    loads =
        R"(, "memory": [{"model": "./m0.json", "unit": "one", "peak_bytes": 1000001, "held_bytes": 400000}])";
    options.drift = 1e9;
  }
  std::string PlanWith(int capacity) {
    memories =
        R"([{"name": "dram", "capacity_bytes": )" + std::to_string(capacity) + R"(}, {"name": "far"}])";
    return WritePlan(R"("fcfs")");
  }
  std::string WhyNot(const std::string& plan) const {
    try {
      const PlanService service(plan, options);
    } catch (const BadRequest& error) {
      return error.what();
    }
    return "accepted";
  }

  ServiceOptions options;
};

TEST_F(RoomOfPlans, WhatDoesNotFitIsRefused) {
  const std::string why = WhyNot(PlanWith(1000000));
  EXPECT_TRUE(why.ends_with(
      ": memory \"dram\": what its units hold takes at most 1,000,001 of 1,000,000 bytes, as measured: it "
      "does "
      "not fit; run some on units of another memory, or take smaller ones; ServiceOptions::force runs the "
      "plan all the same"))
      << why;
}

// The next that is asked is whether the plan was made for this machine.
TEST_F(RoomOfPlans, WhatJustFitsIsNot) {
  const std::string why = WhyNot(PlanWith(1000001));
  EXPECT_EQ(why.find("fit"), std::string::npos) << why;
  EXPECT_NE(why.find("the plan was not made for this machine"), std::string::npos) << why;
}

TEST_F(RoomOfPlans, ForcedItServesAndSaysSo) {
  options.force = true;
  const std::string plan = PlanWith(1000000);
  PlanService service(plan, options);
  bool done = false;
  service.Submit("x", {std::vector<float>(2 * 6 * 6, 1)}, [&](const device::RequestResult& result) {
    done = result.status == device::RequestStatus::kDone;
  });
  service.Drain();
  EXPECT_TRUE(done);
  const std::vector<std::string> notices = service.statistics().notices;
  EXPECT_EQ(
      std::ranges::count_if(
          notices, [](const std::string& notice) { return notice.find("it does not fit") < notice.size(); }),
      1);
}

}  // namespace
}  // namespace tandem
