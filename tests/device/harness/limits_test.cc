// Is a run that would keep more than memory is meant for refused before it begins?
#include <gtest/gtest.h>

#include "device/harness/harness.h"
#include "tests/support/device/harness_files.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

class LimitsOfARun : public HarnessFiles {};

TEST_F(LimitsOfARun, MoreRequestsThanADeviceKeepsAreRefusedBeforeAnyIsRun) {
  units = kOneFake;
  RunOrder request = Request({R"("fcfs")"});
  request.plans[0].scenario.streams[0].until.count = 10'000'001;
  FakeKernels fake;
  const std::string refused = ErrorOf([&] { RunPlans(request, Place(&fake)); });
  EXPECT_NE(refused.find(":/streams: more than 10,000,000 requests or tasks in one run"), std::string::npos)
      << refused;
  EXPECT_EQ(fake.runs, 0);
}

}  // namespace
}  // namespace tandem
