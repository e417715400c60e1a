// Do requests that go together run as one, with the outputs of each, and only where they can?
#include <gtest/gtest.h>

#include "tests/support/device/harness_files.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using HarnessBatches = HarnessFiles;

// Two models of one stream each, of which the first may go two by two.
constexpr const char* kStreams =
    R"([{"name": "x", "model": "./m0.json", "count": 7, "arrival": {"type": "offline"}, "batching": {"most": 2}},
        {"name": "y", "model": "./m1.json", "count": 3, "arrival": {"type": "offline"}}])";

TEST_F(HarnessBatches, RunAsOneWithTheOutputsOfEach) {
  units = kOneFake;
  streams = kStreams;
  RunOrder request = Request({R"("fcfs")", R"("eft")"});
  request.trace = true;
  FakeKernels fake;
  const RunAnswer result = RunPlans(request, Place(&fake));
  ASSERT_EQ(result.runs.size(), 2U);
  for (const DeviceRun& run : result.runs) {
    EXPECT_TRUE(run.complete) << run.failure;
    EXPECT_EQ(run.outputs.checked, 10);
    EXPECT_EQ(run.outputs.wrong, 0) << "worst " << run.outputs.worst;
  }
  ExpectLawful(request, result);
  EXPECT_NE(result.trace.find("went along with #"), std::string::npos);
}

TEST_F(HarnessBatches, AreRefusedWhereAUnitHasAMemoryOfItsOwn) {
  units = R"([{"name": "near", "kind": "cpu", "memory": "dram", "backend": "reference"},
              {"name": "away", "kind": "gpu", "memory": "far", "backend": "emulated"}])";
  streams = kStreams;
  const RunOrder request = Request({R"("fcfs")"});
  const std::string error = ErrorOf([&] { RunPlans(request, Place()); });
  EXPECT_NE(error.find("requests of stream \"x\" run in batches that form; on a device units that work from "
                       "memory \"dram\" run them so, and unit \"away\" has one of its own"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace tandem
