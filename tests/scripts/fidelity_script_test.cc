// Does scripts/studies/fidelity turn what a device does into the page that it should be? The device is
// tests/support/fake_device.py, 5 % slower than it says.
#include <gtest/gtest.h>
#include <sched.h>
#include <filesystem>

#include "profiles/base/files.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

bool HasTwoCores() {
  cpu_set_t cores;
  return ::sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) >= 2;
}

class FidelityScript : public testing::Test {
 protected:
  void SetUp() override {
    if (RunShell("python3 -c ''").status != 0) GTEST_SKIP() << "no python3";
  }

  ProgramResult Run(const std::string& names, const std::string& device_options) const {
    const std::string folder = folder_.string();
    return RunShell("python3 " TANDEM_TEST_DIR "/../scripts/studies/fidelity " + names +
                    " --repeat 2 --tries 0 --keep " + folder + " -o " + folder + "/page.md --programs " +
                    fs::path(TANDEM_PROGRAM).parent_path().string() +
                    " --device \"python3 " TANDEM_TEST_DIR "/support/fake_device.py " + TANDEM_PROGRAM + " " +
                    folder + " " + device_options + "\"");
  }
  std::string Page() const { return ReadTextFile(folder_ / "page.md"); }
  bool PageHas(const std::string& text) const { return Page().find(text) != std::string::npos; }

  TempFolder folder_;
};

TEST_F(FidelityScript, TellsRealKernelsFromEmulatedUnits) {
  const ProgramResult result = Run("one-core emulated-arrivals", "--together 1.05");
  EXPECT_EQ(result.status, 1) << "5 % is more than the bar of 3 %\n" << result.errors;
  const std::string page = Page();
  const std::size_t real = page.find("## Whole models"), emulated = page.find("## Emulated units");
  ASSERT_NE(real, std::string::npos) << page;
  ASSERT_NE(emulated, std::string::npos) << page;
  const std::size_t row = page.find("| one-core | 4 | mean_latency | 4.76 % / -4.76 % (fcfs) | 4 / 0 / 0 |");
  EXPECT_TRUE(real < row && row < emulated) << page;
  EXPECT_LT(emulated, page.find("| emulated-arrivals |")) << page;
  EXPECT_TRUE(PageHas("- **missed**: whole models: makespan error at most 3 % (median of 4): 4.76 %"))
      << page;
  EXPECT_TRUE(PageHas("- met: whole models: makespan error at most 9 %: worst -4.76 % (one-core: ")) << page;
  EXPECT_TRUE(PageHas("1 of 1 lose at most 1 %, 0 cannot be told from the best")) << page;
  EXPECT_TRUE(PageHas("revision ")) << page;
}

TEST_F(FidelityScript, APartHasAnotherTitleAndIsNeverWrittenAsThePage) {
  const ProgramResult part = Run("one-core", "");
  EXPECT_NE(part.status, 3) << part.errors;
  EXPECT_EQ(Page().find("# A part: "), 0U);
  EXPECT_FALSE(PageHas("sealed by"));
  const std::string script = "python3 " TANDEM_TEST_DIR "/../scripts/studies/fidelity one-core ";
  const ProgramResult refused = RunShell(script + "-o " TANDEM_TEST_DIR "/../docs/fidelity.md");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("a part of the scenarios is not written there"), std::string::npos)
      << refused.errors;
  EXPECT_EQ(RunShell(script + "-o " TANDEM_TEST_DIR "/../docs/other.md").status, 2);
  const ProgramResult hurried =
      RunShell("python3 " TANDEM_TEST_DIR "/../scripts/studies/fidelity --repeat 2");
  EXPECT_EQ(hurried.status, 2);
  EXPECT_NE(hurried.errors.find("written of 5 runs of every policy"), std::string::npos) << hurried.errors;
}

TEST_F(FidelityScript, AnotherSessionGoesOnWithWhatWasMeasured) {
  Run("one-core", "--together 1.02");
  Run("one-core emulated-arrivals --resume", "--together 1.5");
  EXPECT_TRUE(PageHas("| one-core | 4 | mean_latency | 1.96 % / -1.96 %")) << Page();
  Run("one-core --resume --budget 3", "--together 1.5");
  EXPECT_TRUE(PageHas("| one-core | 4 | mean_latency | 33.33 % / -33.33 %")) << "asked otherwise: " << Page();
}

// As if the file of the scenario had been edited since.
TEST_F(FidelityScript, WhatWasMeasuredOfAnotherFileOrRevisionIsMeasuredAnew) {
  for (const std::string key : {"scenario", "revision"}) {
    Run("one-core", "--together 1.02");
    const std::string note = (folder_ / "one-core/note.json").string();
    const ProgramResult edit = RunShell("python3 -c \"import json, pathlib; f = pathlib.Path('" + note +
                                        "'); n = json.loads(f.read_text()); n['asked']['" + key +
                                        "'] = 'another'; f.write_text(json.dumps(n))\"");
    ASSERT_EQ(edit.status, 0) << edit.errors;
    const ProgramResult kept = Run("one-core --kept", "--together 1.5");
    EXPECT_EQ(kept.status == 3, key == "scenario") << "a page of what is kept may be of another revision";
    Run("one-core --resume", "--together 1.5");
    EXPECT_TRUE(PageHas("| one-core | 4 | mean_latency | 33.33 % / -33.33 %")) << key << Page();
  }
}

TEST_F(FidelityScript, WritesThePageOfWhatIsKeptWithoutMeasuring) {
  EXPECT_EQ(Run("one-core --kept", "").status, 3) << "nothing is";
  Run("one-core", "--together 1.02");
  Run("one-core --kept", "--together 1.5");
  EXPECT_TRUE(PageHas("| one-core | 4 | mean_latency | 1.96 % / -1.96 %")) << Page();
}

TEST_F(FidelityScript, ScalesArrivalsToTheLoad) {
  if (!HasTwoCores()) GTEST_SKIP() << "one core alone";
  ASSERT_NE(Run("poisson", "").status, 3);
  // 1 and 2 ms on the first core, 1.5 times that on the second: an inference every 0.6 and 1.2 ms on both,
  // 40 x 0.6 + 6 x 1.2 ms a second to begin with.
  const std::string scenario = ReadTextFile(folder_ / "poisson/poisson.scenario.json");
  EXPECT_NE(scenario.find("897.436"), std::string::npos) << scenario;
  EXPECT_NE(scenario.find("134.615"), std::string::npos) << scenario;
}

TEST_F(FidelityScript, SaysWhatCouldNotBeMeasured) {
  const ProgramResult result = Run("one-core emulated-arrivals", "--refuse profile");
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(PageHas("- one-core: not measured: ")) << result.errors;
  EXPECT_TRUE(PageHas("| emulated-arrivals |"));
}

}  // namespace
}  // namespace tandem
