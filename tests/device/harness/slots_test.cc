// Is each slot of a unit opened as the one that it is? Backends may have slots that are not alike.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "device/harness/harness.h"
#include "tests/support/device/harness_files.h"

namespace tandem {
namespace {

class SlotsOfUnits : public HarnessFiles {};

TEST_F(SlotsOfUnits, AreOpenedByTheirNumbers) {
  units = R"([{"name": "one", "kind": "cpu", "memory": "dram", "backend": "reference", "slots": 2},
              {"name": "fake", "kind": "cpu", "memory": "dram", "backend": "reference", "slots": 3}])";
  FakeKernels fake;
  RunPlans(Request({R"("fcfs")"}), Place(&fake));
  EXPECT_EQ(fake.slots, (std::multiset<std::int64_t>{0, 1, 2}));
}

}  // namespace
}  // namespace tandem
