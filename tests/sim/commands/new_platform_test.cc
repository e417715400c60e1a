// Is a board that is written once more the same bytes, under whichever name?
#include <gtest/gtest.h>

#include "profiles/base/files.h"
#include "profiles/costs/platform.h"
#include "profiles/program/shipped.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

TEST(NewPlatformFromABoard, IsAsTandemWritesIt) {
  const TempFolder folder;
  const auto shipped = ShippedDirectory() / "boards" / "rk3399.platform.json";
  WriteFile(folder / "long.json", ReadTextFile(shipped) + "\n\n");
  const auto written = [&](const std::string& arguments) {
    const ProgramResult result = RunShell(
        "cd " + folder.string() + " && " TANDEM_PROGRAM " new platform --force -o out.json " + arguments);
    EXPECT_EQ(result.status, 0) << result.errors;
    return ReadTextFile(folder / "out.json");
  };
  EXPECT_EQ(written("--from rk3399 --name rk3399"), ReadTextFile(shipped));
  EXPECT_EQ(written("--from ./long.json --name rk3399"), ReadTextFile(shipped));
  Platform renamed = ReadPlatformFile(shipped);
  renamed.name = "mine";
  EXPECT_EQ(written("--from rk3399 --name mine"), PlatformJson(renamed));
}

TEST(NewPlatformFromSimGrid, SaysOnStandardErrorWhatABoardHasNoRoomFor) {
  const TempFolder folder;
  WriteFile(folder / "rack.xml", R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="rack" prefix="node-" suffix="" radical="0-39" speed="1Gf" bw="100MBps" lat="10us"/>
</platform>
)");
  const ProgramResult result =
      RunShell("cd " + folder.string() +
               " && " TANDEM_PROGRAM " new platform --simgrid rack.xml -o rack.platform.json");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.errors.find("tandem: rack.xml: note: its routes are more than the 512 links"),
            std::string::npos)
      << result.errors;
}

TEST(NewPlatform, HasUnitsThatTakeTurnsOrKeepWeightsOnTheirChip) {
  const TempFolder folder;
  const std::string file = (folder / "board.platform.json").string();
  const auto write = [&](const std::string& unit) {
    return RunShell(TANDEM_PROGRAM " new platform --force -o " + file + " --unit " + unit);
  };
  EXPECT_EQ(write("gpu:slots=2:time_shared:slice=2ms:switch=5us").status, 0);
  const Unit turns = ReadPlatformFile(file).units[0];
  EXPECT_EQ(turns.slice, Nanos{2'000'000});
  EXPECT_EQ(turns.switching, Nanos{5'000});
  EXPECT_EQ(write("tpu:on_chip=8MB:stream=320MB/s").status, 0);
  const Unit chip = ReadPlatformFile(file).units[0];
  EXPECT_EQ(chip.on_chip_bytes, 8'000'000);
  EXPECT_EQ(chip.stream_bytes_per_s, 320e6);
  const ProgramResult wrong = write("gpu:slots=2:time_shared:slise=2ms");
  EXPECT_NE(wrong.errors.find("did you mean \"slice\"?"), std::string::npos) << wrong.errors;
}

TEST(NewPlatformFromABoard, HasNoUnitsOfItsOwn) {
  EXPECT_EQ(RunShell(TANDEM_PROGRAM " new platform -o - --from rk3399 --unit cpu").status, 2);
}

}  // namespace
}  // namespace tandem
