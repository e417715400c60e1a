// What is left to a process whose control group has less memory than the board?
#include <gtest/gtest.h>

#include <fstream>

#include "device/host/info.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

class ControlGroup : public ::testing::Test {
 protected:
  ControlGroup() { Write("proc/meminfo", "MemTotal:        4194304 kB"); }
  void Write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }
  HostInfo Read() const { return ReadHost({0}, root_); }

  TempFolder root_;
};

constexpr std::int64_t kGibibyteOfMemory = std::int64_t{1} << 30;

TEST_F(ControlGroup, OfLeastMemoryCountsWhereThatIsLessThanTheBoardHas) {
  EXPECT_FALSE(Read().memory_limit_bytes);
  Write("proc/self/cgroup", "0::/slice/container");
  Write("sys/fs/cgroup/slice/container/memory.max", "max");
  EXPECT_FALSE(Read().memory_limit_bytes);
  Write("sys/fs/cgroup/slice/container/memory.max", "3221225472");
  Write("sys/fs/cgroup/slice/memory.max", "2147483648");
  const HostInfo host = Read();
  EXPECT_EQ(host.memory_limit_bytes, 2 * kGibibyteOfMemory);
  EXPECT_EQ(UsableMemory(host), 2 * kGibibyteOfMemory);
  EXPECT_EQ(host.memory_bytes, 4 * kGibibyteOfMemory);
  EXPECT_EQ(HostText(host), "unknown processor, 1 core, 4 GiB") << "the board is the same";
  EXPECT_EQ(WithheldTexts(host),
            (std::vector<std::string>{"a control group leaves this process 2,048 MiB of the memory"}));
  Write("sys/fs/cgroup/slice/memory.max", "8589934592");
  Write("sys/fs/cgroup/slice/container/memory.max", "4294967296");
  EXPECT_FALSE(Read().memory_limit_bytes) << "no less than all";
  EXPECT_EQ(UsableMemory(Read()), 4 * kGibibyteOfMemory);
}

TEST_F(ControlGroup, OfTheOlderKindLimitsMemoryToo) {
  Write("proc/self/cgroup", "4:cpu,cpuacct:/docker/a\n3:memory:/docker/a");
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_FALSE(Read().memory_limit_bytes);
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "-1");
  EXPECT_FALSE(Read().memory_limit_bytes) << "no size";
  Write("sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes", "1073741824");
  EXPECT_EQ(Read().memory_limit_bytes, kGibibyteOfMemory);
}

}  // namespace
}  // namespace tandem
