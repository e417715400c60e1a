// Has every unit of cores a yardstick that takes no longer than it may, and only those?
#include "device/machine/yardstick.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "device/host/info.h"
#include "device/threads/unit_thread.h"
#include "tests/support/device/harness_files.h"

namespace tandem {
namespace {

Unit UnitOf(const std::string& backend) {
  Unit unit;
  unit.name = "cpu";
  unit.cores = {UsableCores().front()};
  unit.backend = &DeclaredBackend(backend);
  return unit;
}

// `kernels`: instead of the unit's own.
bool HasYardstick(const Unit& unit, Nanos longest, std::int64_t& rows,
                  const DeviceBackend* kernels = nullptr) {
  Platform platform;
  platform.units = {unit};
  OpenRequest open;
  open.platform = &platform;
  open.unit = UnitId(0);
  UnitThread thread(kernels ? *kernels : BackendOf(unit, ""), open);
  bool has = false;
  thread.Do([&](Processor& processor) {
    const ReadYardstick read = YardstickWithin(longest, unit, processor, rows);
    has = read && read() > Nanos{0};
  });
  return has;
}

TEST(Yardstick, IsOfUnitsThatAreJustCores) {
  std::int64_t rows = 0;
  EXPECT_TRUE(HasYardstick(UnitOf("cpu"), kLongestTime, rows));
  EXPECT_EQ(rows, kYardstickRows);
  rows = 0;
  EXPECT_FALSE(HasYardstick(UnitOf("cpu"), Nanos{0}, rows)) << "the fewest rows take longer than they may";
  EXPECT_EQ(rows, 0);
  EXPECT_FALSE(HasYardstick(UnitOf("reference"), kLongestTime, rows)) << "it has cores of nobody's";
}

// Each size is read as a median of three runs behind one that warms up.
TEST(Yardstick, HasFewerRowsWhereAUnitIsSlow) {
  FakeKernels slow;
  slow.hash = [](int) { return ""; };  // nothing is computed
  slow.after = [](int run, std::span<float* const>) {
    if (run <= 8) std::this_thread::sleep_for(std::chrono::milliseconds{30});
  };
  const FakeBackend kernels(BackendOf(UnitOf("reference"), ""), slow);
  std::int64_t rows = 0;
  EXPECT_TRUE(HasYardstick(UnitOf("cpu"), std::chrono::milliseconds{20}, rows, &kernels));
  EXPECT_EQ(rows, kYardstickRows / 4);
}

TEST(Yardstick, HasTheRowsThatItsReadingsAreHeldAgainstHoweverLongTheyTake) {
  std::int64_t rows = 8;
  EXPECT_TRUE(HasYardstick(UnitOf("cpu"), Nanos{0}, rows));
  EXPECT_EQ(rows, 8);
}

}  // namespace
}  // namespace tandem
