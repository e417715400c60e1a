// Does the meter take the right sensors, take off what idles, and give no figure that cannot be trusted?
#include "device/energy/meter.h"

#include <gtest/gtest.h>

#include <array>

#include "device/machine/device_info.h"
#include "tests/support/device/fake_sensor.h"

namespace tandem {
namespace {

Unit Named(const std::string& name, const BackendDeclaration& backend) {
  Unit unit;
  unit.name = name;
  unit.backend = &backend;
  return unit;
}

const BackendDeclaration kCores{.name = "cpu"}, kCard{.name = "cuda"},
    kNothing{.name = "emulated", .runs_on = RunsOn::kNothing};
const Unit kCpu = Named("cpu", kCores), kOther = Named("more", kCores), kGpu = Named("gpu", kCard),
           kNpu = Named("npu", kNothing);

EnergyScope ScopeOf(const EnergyMeter& meter, const std::vector<const Unit*>& units) {
  return meter.ScopeOf(units);
}

void Pass(FakeBoard& board, Nanos time) { board.now += time.count(); }

TEST(EnergyMeters, CountASensorOnceForAllItsUnits) {
  FakeBoard board;
  const auto meter = FakeMeter(board);
  const EnergyScope scope = ScopeOf(*meter, {&kCpu, &kOther});
  ASSERT_TRUE(scope.known()) << scope.why;
  EXPECT_EQ(scope.sensors, std::vector<std::size_t>{0});
  EXPECT_EQ(meter->NamesOf(scope), "fake");
}

TEST(EnergyMeters, SayWhyAUnitsDrawIsUnknown) {
  FakeBoard board;
  const auto meter = FakeMeter(board);
  EXPECT_EQ(ScopeOf(*meter, {&kCpu, &kGpu}).why,
            "no sensor tells what unit \"gpu\" draws; none: out of stock");
  EXPECT_EQ(ScopeOf(*meter, {&kCpu, &kNpu}).why, "unit \"npu\" is emulated and draws nothing here");
  EXPECT_FALSE(ScopeOf(*meter, {}).known());
}

TEST(EnergyMeters, AWindowIsWithoutWhatIdles) {
  FakeBoard board;
  const auto meter = FakeMeter(board);
  const EnergyScope scope = ScopeOf(*meter, {&kCpu});
  const double idle = meter->IdleOnce(scope);
  EXPECT_DOUBLE_EQ(idle, 10);
  EXPECT_GE(Nanos{board.now}, std::chrono::seconds{2});
  board.watts = 50;
  EXPECT_DOUBLE_EQ(meter->IdleOnce(scope), 10) << "it was measured before";
  (void)meter->ReadAll();
  EnergyWindow window(meter.get(), scope, idle);
  Pass(board, std::chrono::seconds{3});
  const MeasuredEnergy energy = window.End();
  EXPECT_DOUBLE_EQ(energy.joules.value_or(0), 150);
  EXPECT_DOUBLE_EQ(energy.above_idle.value_or(0), 120);
  EXPECT_EQ(energy.by, "fake");
  EXPECT_EQ(energy.why, "");
}

TEST(EnergyMeters, AWindowIsLongEnoughForItsSensor) {
  FakeBoard board;
  const auto meter = FakeMeter(board);
  const EnergyScope scope = ScopeOf(*meter, {&kCpu});
  EnergyWindow brief(meter.get(), scope, 10);
  Pass(board, std::chrono::milliseconds{1999});
  const MeasuredEnergy none = brief.End();
  EXPECT_FALSE(none.joules || none.above_idle);
  EXPECT_EQ(none.why, "it took less than the 2000 ms that fake has to be read over");
  EnergyWindow enough(meter.get(), scope, std::nullopt);
  Pass(board, std::chrono::milliseconds{2000});
  const MeasuredEnergy energy = enough.End();
  EXPECT_TRUE(energy.joules);
  EXPECT_FALSE(energy.above_idle) << "what idles is not known";
}

TEST(EnergyMeters, ASensorThatFailsIsTheReason) {
  FakeBoard board;
  const auto meter = FakeMeter(board);
  const EnergyScope scope = ScopeOf(*meter, {&kCpu});
  EnergyWindow window(meter.get(), scope, 10);
  board.broken = true;
  EXPECT_EQ(window.End().why, "fake: it broke");
  EXPECT_EQ(EnergyWindow(meter.get(), scope, 10).End().why, "fake: it broke");
  EXPECT_NO_THROW((void)meter->ReadAll());
  EXPECT_EQ(EnergyWindow(nullptr, {}, {}).End().why, "no sensor was looked for");
}

TEST(EnergyMeters, APollingThreadReadsAndEnds) {
  FakeBoard board;
  const auto meter = FakeMeter(board);
  { const EnergyPolling polling(*meter); }
  EnergyMeter none(std::vector<EnergySensors>{});
  const EnergyPolling polling(none);
}

TEST(IdleDraw, IsSharedByTheUnitsOfASensor) {
  FakeBoard board;
  const auto meter = FakeMeter(board);
  Platform platform;
  platform.units = {kCpu, kGpu, kOther};
  EXPECT_EQ(MeasureIdle(*meter, platform),
            std::vector<std::string>{"no sensor tells what unit \"gpu\" draws; none: out of stock"});
  EXPECT_EQ(platform.units[0].idle_w, 5.0);
  EXPECT_FALSE(platform.units[1].idle_w);
  EXPECT_EQ(platform.units[2].idle_w, 5.0);
}

TEST(EnergySensorInfo, NamesEveryKind) {
  FakeBoard board;
  const auto meter = FakeMeter(board);
  DeviceInfo info;
  info.sensors = LookAtSensors(*meter);
  ASSERT_EQ(info.sensors.size(), 2u);
  const std::string text = DeviceInfoText(info, 80);
  EXPECT_NE(text.find("off: out of stock"), std::string::npos) << text;
  EXPECT_NE(DeviceInfoJson(info).find(R"("name": "none")"), std::string::npos);
}

}  // namespace
}  // namespace tandem
