// Has every unit of cores a yardstick, and only those?
#include "device/machine/yardstick.h"

#include <gtest/gtest.h>

#include "device/host/info.h"
#include "device/threads/unit_thread.h"

namespace tandem {
namespace {

bool HasYardstick(const Unit& unit, Nanos longest = kLongestTime) {
  Platform platform;
  platform.units = {unit};
  OpenRequest open;
  open.platform = &platform;
  open.unit = UnitId(0);
  UnitThread thread(BackendOf(unit, ""), open);
  bool has = false;
  thread.Do([&](Processor& processor) {
    const ReadYardstick read = YardstickWithin(longest, unit, processor);
    has = read && read() > Nanos{0};
  });
  return has;
}

TEST(Yardstick, IsOfUnitsThatAreJustCores) {
  Unit unit;
  unit.name = "cpu";
  unit.cores = {UsableCores().front()};
  unit.backend = &DeclaredBackend("cpu");
  EXPECT_TRUE(HasYardstick(unit));
  EXPECT_FALSE(HasYardstick(unit, Nanos{0})) << "it takes longer than it may";
  unit.backend = &DeclaredBackend("reference");
  EXPECT_FALSE(HasYardstick(unit)) << "it has cores of nobody's";
}

}  // namespace
}  // namespace tandem
