// Is the link to a card what its connector can do, as far as NVML or Linux tells?
#include <gtest/gtest.h>

#include <cstdlib>

#include "device/backends/cuda/card/pcie.h"
#include "profiles/base/files.h"
#include "tests/support/temp_folder.h"

namespace tandem::gpu {
namespace {

namespace fs = std::filesystem;

TEST(Pcie, CarriesLessThanItsWires) {
  EXPECT_NEAR(BytesPerSecond({3, 16}), 12.9e9, 0.1e9);
  EXPECT_NEAR(BytesPerSecond({4, 16}), 25.8e9, 0.1e9);
  EXPECT_NEAR(BytesPerSecond({5, 16}), 51.7e9, 0.1e9);
  EXPECT_NEAR(BytesPerSecond({1, 4}), 0.82e9, 0.01e9);
  EXPECT_EQ(BytesPerSecond({0, 16}), 0);
  EXPECT_EQ(BytesPerSecond({9, 16}), 0);
  EXPECT_EQ(TextOf(PcieLink{4, 8}), "PCIe 4.0 x8");
}

TEST(Pcie, IsALinkBetweenTheBoardAndTheCard) {
  const Link link = LinkTo(MemoryId(2), PcieLink{4, 16}, true);
  EXPECT_EQ(link.from, MemoryId(0));
  EXPECT_EQ(link.to, MemoryId(2));
  EXPECT_EQ(link.bandwidth_bytes_per_s, 25.8e9);
  EXPECT_TRUE(link.engine);
  EXPECT_GT(link.latency, Nanos{0});
  EXPECT_EQ(LinkTo(MemoryId(1), std::nullopt, false).bandwidth_bytes_per_s, 12.9e9) << "a guess is needed";
  EXPECT_EQ(LinkTo(MemoryId(1), PcieLink{9, 16}, false).bandwidth_bytes_per_s, 12.9e9);
}

TEST(Pcie, IsToldByLinuxWhereNvmlIsNot) {
  const TempFolder root;
  const fs::path card = root / "sys/bus/pci/devices/0000:3b:00.0";
  fs::create_directories(card);
  EXPECT_FALSE(FindPcieLink("0000:3B:00.0", nullptr, root).has_value());
  WriteFile(card / "max_link_speed", "16.0 GT/s PCIe\n");
  WriteFile(card / "max_link_width", "8\n");
  const auto link = FindPcieLink("0000:3B:00.0", nullptr, root);
  ASSERT_TRUE(link.has_value());
  EXPECT_EQ(TextOf(*link), "PCIe 4.0 x8");
  WriteFile(card / "max_link_speed", "Unknown\n");
  EXPECT_FALSE(FindPcieLink("0000:3B:00.0", nullptr, root).has_value());
}

TEST(Pcie, IsToldByNvmlFirst) {
  ::setenv("FAKE_NVML_GPUS", "1", 1);
  ::setenv("FAKE_NVML_PCIE_GENERATION", "5", 1);
  ::setenv("FAKE_NVML_PCIE_WIDTH", "16", 1);
  {
    const NvmlLibrary nvml(TANDEM_FAKE_NVML);
    const auto link = FindPcieLink("0000:3B:00.0", &nvml, "/no/such/root");
    ASSERT_TRUE(link.has_value());
    EXPECT_EQ(TextOf(*link), "PCIe 5.0 x16");
  }
  for (const char* name : {"FAKE_NVML_GPUS", "FAKE_NVML_PCIE_GENERATION", "FAKE_NVML_PCIE_WIDTH"}) {
    ::unsetenv(name);
  }
}

}  // namespace
}  // namespace tandem::gpu
