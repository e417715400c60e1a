// Is what NVIDIA's management library tells of a card recorded, and said where the card was held back?
#include "device/host/gpu_clocks.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

std::vector<Unit> BoardWith(std::int64_t gpus) {
  std::vector<Unit> units(1);
  units.back().backend = &DeclaredBackend("cpu");
  for (std::int64_t device = 0; device < gpus; ++device) {
    Unit unit;
    unit.name = "gpu" + std::to_string(device);
    unit.backend = &DeclaredBackend("cuda");
    unit.device = device;
    units.push_back(unit);
  }
  return units;
}

class GpuClocksTest : public ::testing::Test {
 protected:
  ~GpuClocksTest() override {
    for (const std::string& name : set_) ::unsetenv(name.c_str());
  }
  void Set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    set_.push_back(name);
  }
  void SetCard(const std::string& mhz, const std::string& state, const std::string& celsius,
               const std::string& milliwatts, const std::string& reasons) {
    Set("FAKE_NVML_GPUS", "1");
    Set("FAKE_NVML_SM_MHZ", mhz);
    Set("FAKE_NVML_MEMORY_MHZ", "2619");
    Set("FAKE_NVML_STATE", state);
    Set("FAKE_NVML_CELSIUS", celsius);
    Set("FAKE_NVML_MILLIWATTS", milliwatts);
    Set("FAKE_NVML_REASONS", reasons);
    Set("FAKE_NVML_PERSISTENCE", "1");
  }

  std::vector<std::string> set_;
};

TEST_F(GpuClocksTest, AreTakenBeforeAndAfter) {
  const std::vector<Unit> board = BoardWith(1);
  SetCard("345", "8", "35", "71400", "1");
  const GpuClocks before = ReadGpuClocks(board, TANDEM_FAKE_NVML);
  EXPECT_EQ(before.why_not, "");
  SetCard("1980", "0", "52", "310000", "0");
  const GpuClocks after = ReadGpuClocks(board, TANDEM_FAKE_NVML);
  const auto texts = GpuClocksText(before, after);
  ASSERT_EQ(texts.size(), 1u) << "the cores' clocks are others' business";
  EXPECT_EQ(texts.at("gpu0"),
            "345 to 1980 MHz, memory 2619 MHz, P8 to P0, 35 to 52 C, 71 to 310 W, persistence on");
  EXPECT_EQ(GpuThrottlingText(before, after), "") << "a card that idles is not held back";
}

TEST_F(GpuClocksTest, SayWhatHeldTheCardBack) {
  SetCard("1980", "0", "52", "310000", "0");
  const GpuClocks before = ReadGpuClocks(BoardWith(1), TANDEM_FAKE_NVML);
  SetCard("1410", "0", "88", "700000", std::to_string(0x04 | 0x40));
  const GpuClocks after = ReadGpuClocks(BoardWith(1), TANDEM_FAKE_NVML);
  EXPECT_EQ(GpuThrottlingText(before, after), "gpu0 was held back by its power limit and its heat");
}

TEST_F(GpuClocksTest, LeaveOutWhatIsNotTold) {
  Set("FAKE_NVML_GPUS", "1");
  GpuClocks clocks = ReadGpuClocks(BoardWith(1), TANDEM_FAKE_NVML);
  EXPECT_EQ(GpuClocksText(clocks, clocks).at("gpu0"), "unknown");
  Set("FAKE_NVML_CELSIUS", "40");
  clocks = ReadGpuClocks(BoardWith(1), TANDEM_FAKE_NVML);
  EXPECT_EQ(GpuClocksText(clocks, {}).at("gpu0"), "40 C");
}

TEST_F(GpuClocksTest, AreNotGuessed) {
  EXPECT_NE(ReadGpuClocks(BoardWith(1), "/no/such/library.so").why_not, "");
  const GpuClocks no_gpu_units = ReadGpuClocks(BoardWith(0), "/no/such/library.so");
  EXPECT_EQ(no_gpu_units.why_not, "") << "nobody asked for it";
  Set("FAKE_NVML_GPUS", "2");
  const GpuClocks two = ReadGpuClocks(BoardWith(2), TANDEM_FAKE_NVML);
  EXPECT_TRUE(two.units.empty());
  EXPECT_EQ(two.why_not, "there are 2 GPUs: CUDA_DEVICE_ORDER=PCI_BUS_ID tells which is whose");
  Set("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
  EXPECT_EQ(ReadGpuClocks(BoardWith(2), TANDEM_FAKE_NVML).units.size(), 2u);
}

}  // namespace
}  // namespace tandem
