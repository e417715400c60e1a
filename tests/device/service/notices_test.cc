// Does a service tell what is not as it was when the plan's profile was measured?
#include <fstream>

#include "device/service/plan.h"
#include "tests/support/device/harness_files.h"

namespace tandem {
namespace {

class NoticesOfServices : public HarnessFiles {};

TEST_F(NoticesOfServices, AreOfKernelsAndOfClocks) {
  units = R"([{"name": "fake", "kind": "cpu", "memory": "dram", "backend": "reference"}])";
  streams = R"([{"name": "x", "model": "./m0.json", "count": 1, "arrival": {"type": "offline"}}])";
  origin = R"({"kind": "measured", "host": "a test's host", "date": "2026-11-20", "libraries": {},
               "threads": {}, "cache_mode": "warm", "clocks": {"boost set to": "on"}})";
  FakeKernels fake;
  fake.library = "numbers 1.0";
  HarnessHost host = Place(&fake);
  host.clocks.root = folder;
  const std::filesystem::path boost = folder / "sys/devices/system/cpu/cpufreq/boost";
  std::filesystem::create_directories(boost.parent_path());
  std::ofstream(boost) << "0\n";
  const PlanFile file = Plan(R"("fcfs")");
  const PreparedRun prepared = PrepareForService(file);
  ModelStore store(1);
  HarnessUnits opened(*prepared.problem, store, 1, host.backend_of);
  const std::vector<std::string> notices = NoticesOf(file, host, opened);
  ASSERT_EQ(notices.size(), 2u);
  EXPECT_TRUE(notices[0].ends_with("was measured with boost set to \"on\", now \"off\"")) << notices[0];
  EXPECT_EQ(notices[1],
            "kernels of 1 segment on unit \"fake\" were chosen anew: the profile has none for them");
}

}  // namespace
}  // namespace tandem
