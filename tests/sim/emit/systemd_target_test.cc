// Does systemd get the cores and how urgent each stream is?
#include "tests/sim/emit/board_for_targets.h"

namespace tandem {
namespace {

using SystemdTarget = BoardForTargets;

TEST_F(SystemdTarget, CoresAreASliceAndUrgencyIsShares) {
  const auto emitted = Emit("systemd", R"("single:cpu")", streams_);
  EXPECT_EQ(Text("units/tandem-cpu.slice"),
            "[Unit]\nDescription=tandem: unit cpu\n\n[Slice]\nAllowedCPUs=2,3\n");
  EXPECT_EQ(Text("units/tandem-front.service"),
            R"(# stream front, model /usr/local/share/tandem/models/tiny.onnx
[Unit]
Description=tandem: front
PartOf=tandem.target

[Service]
Slice=tandem-cpu.slice
AllowedCPUs=2,3
CPUAffinity=2,3
Nice=0
CPUWeight=200
# The program that serves the stream: yours, by `systemctl edit tandem-front.service`
# (an empty ExecStart= and then your own), or this measurement of the model.
ExecStart=/usr/bin/env tandem-device infer "/usr/local/share/tandem/models/tiny.onnx" --cores 2,3

[Install]
WantedBy=tandem.target
)");
  EXPECT_NE(Text("units/tandem-rear.service").find("Nice=5\nCPUWeight=100\n"), std::string::npos);
  EXPECT_NE(Text("cpusets.sh")
                .find("mkdir -p \"$root/front\"\necho 2,3 > \"$root/front/cpuset.cpus\"\n"
                      "echo 200 > \"$root/front/cpu.weight\"\n"),
            std::string::npos)
      << Text("cpusets.sh");
  EXPECT_TRUE(Says(emitted, "priorities of streams are shares of the cores"));
  EXPECT_TRUE(Says(emitted, "stream \"front\": deadline of 5000 us: systemd does not count it"));
  EXPECT_TRUE(Says(emitted, "policy \"single:cpu\": its rule"));
  for (const char* const script : {"install.sh", "cpusets.sh"}) ExpectShell(script);
}

TEST_F(SystemdTarget, UnitsThatAreNoCoresAreSaid) {
  const auto emitted = Emit("systemd", R"("single:gpu")", streams_);
  EXPECT_EQ(Text("units/tandem-front.service").find("AllowedCPUs"), std::string::npos);
  EXPECT_TRUE(
      Says(emitted, "stream \"front\": that unit \"gpu\" runs it: systemd places processes on cores"));
}

TEST_F(SystemdTarget, NamesHideNothingFromWhoReadsTheUnits) {
  std::string streams = streams_;
  streams.replace(streams.find("front"), 5,
                  "fr\xe2\x80\xae"
                  "ont\xc2\x85%");
  Emit("systemd", R"("single:cpu")", streams);
  std::string all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "out")) {
    if (entry.is_regular_file() && entry.path().extension() == ".service") all += ReadTextFile(entry.path());
  }
  EXPECT_NE(all.find("Description=tandem: fr\\u202eont\\u0085%%\n"), std::string::npos) << all;
  EXPECT_EQ(all.find("\xe2\x80\xae"), std::string::npos);
}

TEST_F(SystemdTarget, SystemdItselfTakesTheUnits) {
  Emit("systemd", R"("single:cpu")", streams_);
  const std::string out = (folder_ / "out").string();
  ASSERT_EQ(RunShell("DESTDIR=" + out + "/root sh " + out + "/install.sh").status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/root/usr/local/share/tandem/models/tiny.onnx"));
  if (RunShell("command -v systemd-analyze").status != 0) return;
  const ProgramResult verified =
      RunShell("systemd-analyze verify " + out + "/root/etc/systemd/system/tandem*");
  EXPECT_EQ(verified.status, 0) << verified.errors;
  EXPECT_EQ(verified.errors.find("tandem"), std::string::npos) << verified.errors;
}

}  // namespace
}  // namespace tandem
