// Is the most that the process had told, of a while and of all the time?
#include "device/host/own_memory.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/sanitized.h"

namespace tandem {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 20;

void TouchABlock() {
  std::vector<char> block(kBlock);
  volatile char* bytes = block.data();  // else nobody would need it
  for (std::size_t i = 0; i < kBlock; i += 1024) bytes[i] = 1;
}

TEST(ResidentPeak, IsOfItsOwnTimeAlone) {
  GiveLargeBlocksBack();
  TouchABlock();
  const std::int64_t all = PeakResidentBytes(), before = ResidentBytes();
  const ResidentPeak later;
  const auto quiet = later.Bytes();
  if (!quiet) GTEST_SKIP() << "the system does not tell";
  if (!kSanitized) {
    EXPECT_LT(*quiet, before + static_cast<std::int64_t>(kBlock / 2));
  }
  TouchABlock();
  EXPECT_GE(*later.Bytes(), before + static_cast<std::int64_t>(kBlock / 10 * 9));
  EXPECT_GE(PeakResidentBytes(), all) << "of all the time it never falls";
}

}  // namespace
}  // namespace tandem
