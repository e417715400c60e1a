// Is what the clocks and the heat were during a run kept beside it, of those that work here, and of nobody
// else?
#include "device/harness/moments.h"

#include <chrono>
#include <fstream>
#include <thread>

#include "tests/support/device/board_trees.h"
#include "tests/support/device/harness_files.h"

namespace tandem {
namespace {
namespace fs = std::filesystem;

using Figures = std::map<std::string, double>;

constexpr Nanos kNever{3'600'000'000'000};

void WriteSystemFile(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text << "\n";
}

class Moments : public ::testing::Test {
 protected:
  Moments() {
    platform_.units.resize(2);
    platform_.units[0].name = "big";
    platform_.units[0].backend = &DeclaredBackend("cpu");
    platform_.units[0].cores = {0, 1, 2};
    platform_.units[1].name = "stick";
    platform_.units[1].backend = &DeclaredBackend("emulated");
  }
  void Write(const std::string& path, const std::string& text) const { WriteSystemFile(root_ / path, text); }
  // Cores 0 and 1 have one clock, core 2 its own.
  void WriteBoard() const {
    const std::string cpu = "sys/devices/system/cpu/";
    Write(cpu + "cpufreq/policy0/scaling_cur_freq", "1416000");
    Write(cpu + "cpufreq/policy2/scaling_cur_freq", "1800000");
    for (const int core : {0, 1, 2}) {
      const fs::path folder = root_ / (cpu + "cpu" + std::to_string(core));
      fs::create_directories(folder);
      fs::create_directory_symlink(core < 2 ? "../cpufreq/policy0" : "../cpufreq/policy2",
                                   folder / "cpufreq");
    }
    Write("sys/class/devfreq/17000000.gpu/cur_freq", "918000000");
    Write("sys/class/thermal/thermal_zone0/type", "cpu-thermal");
    Write("sys/class/thermal/thermal_zone0/temp", "48500");
    Write("sys/class/thermal/cooling_device0/type", "thermal-cpufreq-0");
    Write("sys/class/thermal/cooling_device0/cur_state", "0");
  }
  ClockSources Sources() const { return {root_, "no-such-library.so"}; }

  Platform platform_;
  TempFolder root_;
};

TEST_F(Moments, AreOfTheBeginningAndTheEndAtLeast) {
  WriteBoard();
  MomentRecorder recorder(platform_, Sources(), kNever);
  recorder.Begin();
  Write("sys/class/thermal/thermal_zone0/temp", "84000");
  Write("sys/class/thermal/cooling_device0/cur_state", "2");
  Write("sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "1008000");
  const std::vector<RunMoment> moments = recorder.Stop();
  ASSERT_EQ(moments.size(), 2u);
  EXPECT_EQ(moments[0].at, Nanos{0});
  EXPECT_GT(moments[1].at, Nanos{0});
  EXPECT_EQ(moments[0].celsius, (Figures{{"cpu-thermal", 48.5}}));
  EXPECT_EQ(moments[1].celsius, (Figures{{"cpu-thermal", 84}}));
  EXPECT_EQ(moments[0].mhz, (Figures{{"17000000.gpu", 918}, {"big", 1416}})) << "of its cores the slowest";
  EXPECT_EQ(moments[1].mhz, (Figures{{"17000000.gpu", 918}, {"big", 1008}}));
  EXPECT_FALSE(moments[0].held_back);
  EXPECT_TRUE(moments[1].held_back);
}

TEST_F(Moments, AreLookedForAgainAndAgain) {
  WriteBoard();
  MomentRecorder recorder(platform_, Sources(), Nanos{1'000'000});
  recorder.Begin();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const std::vector<RunMoment> moments = recorder.Stop();
  EXPECT_GT(moments.size(), 3u);
  for (std::size_t m = 1; m < moments.size(); ++m) EXPECT_GT(moments[m].at, moments[m - 1].at);
}

TEST_F(Moments, AreNotKeptWhereNothingTellsOrNobodyWorksHere) {
  MomentRecorder silent(platform_, Sources(), kNever);
  silent.Begin();
  EXPECT_TRUE(silent.Stop().empty());
  WriteBoard();
  platform_.units.erase(platform_.units.begin());
  MomentRecorder emulated(platform_, Sources(), kNever);
  emulated.Begin();
  EXPECT_TRUE(emulated.Stop().empty()) << "this board's heat is not the stick's";
}

TEST_F(Moments, SayHowBusyEachUnitWasSinceTheOneBefore) {
  std::vector<RunMoment> moments(4);
  for (std::size_t m = 0; m < moments.size(); ++m) moments[m].at = Nanos{static_cast<std::int64_t>(100 * m)};
  const auto span = [](int unit, int slot, int start, int end) {
    Span made;
    made.unit = UnitId(static_cast<std::size_t>(unit));
    made.slot = slot;
    made.start = Nanos{start};
    made.end = Nanos{end};
    return made;
  };
  // Two slots that overlap count once; what is behind the units is a copy engine.
  const std::vector<Span> spans = {span(0, 0, 50, 120), span(0, 1, 100, 150), span(1, 0, 275, 400),
                                   span(2, 0, 0, 300)};
  AddBusy(spans, platform_, moments);
  EXPECT_TRUE(moments[0].busy.empty()) << "nothing is before it";
  EXPECT_EQ(moments[1].busy, (Figures{{"big", 0.5}, {"stick", 0}}));
  EXPECT_EQ(moments[2].busy, (Figures{{"big", 0.5}, {"stick", 0}}));
  EXPECT_EQ(moments[3].busy, (Figures{{"big", 0}, {"stick", 0.25}}));
}

class MomentsOfRuns : public HarnessFiles {
 protected:
  MomentsOfRuns() {
    units = R"([{"name": "fake", "kind": "cpu", "memory": "dram", "backend": "reference", "cores": [0]}])";
    streams = R"([{"name": "x", "model": "./m0.json", "count": 2, "arrival": {"type": "offline"}}])";
    WriteBoardTree("rk3399", board);
    Cooling(0);
  }
  void Cooling(int state) const {
    WriteSystemFile(board / "sys/class/thermal/cooling_device1/cur_state", std::to_string(state));
  }
  RunAnswer Run() {
    HarnessHost place = Place(&fake);
    place.clocks.root = board;
    place.look = Nanos{1'000'000};
    place.read_taken = [this](auto, auto) { return TakenReading{now += Nanos{1000}, {}, {}}; };
    return RunPlans(Request({R"("fcfs")"}), place);
  }

  FakeKernels fake;
  fs::path board = folder / "board";
  Nanos now{0};
};

TEST_F(MomentsOfRuns, StandInTheirResult) {
  const RunAnswer answer = Run();
  const std::vector<RunMoment>& moments = answer.runs.at(0).moments;
  ASSERT_GE(moments.size(), 2u);
  for (const RunMoment& moment : moments) {
    EXPECT_EQ(moment.mhz.count("fake"), 1u);
    EXPECT_EQ(moment.celsius.at("cpu-thermal"), 83.125);
    EXPECT_EQ(moment.busy.count("fake"), &moment == &moments.front() ? 0u : 1u);
  }
  EXPECT_FALSE(answer.runs[0].disturbed) << answer.runs[0].held_back;
  EXPECT_NE(RunAnswerText(Request({R"("fcfs")"}), answer, 400).find("cpu-thermal up to 83 C"),
            std::string::npos);
}

// Neither at its beginning nor at its end, and not counted.
TEST_F(MomentsOfRuns, TellOfClocksThatWereHeldBackInBetween) {
  // Three runs to warm up; the fourth and the fifth are those that count.
  fake.after = [&](int run, std::span<float* const>) {
    if (run != 4) return;
    Cooling(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    Cooling(0);
  };
  const RunAnswer answer = Run();
  EXPECT_TRUE(answer.runs.at(0).disturbed);
  EXPECT_EQ(answer.runs[0].held_back, "clocks were held back for the heat for a while");
}

}  // namespace
}  // namespace tandem
