// Does any program that keeps the protocol make a unit, and does one that breaks it end in a clear error,
// with nothing left behind?
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "device/backends/command/adapter.h"
#include "device/processor/backend.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {
// What this prints starts quicker than a wrapper that looks for it every time.
std::string FindPython() {
  FILE* pipe = ::popen("python3 -c 'import sys; print(sys.executable)' 2>/dev/null", "r");
  char path[4096] = "";
  const bool told = pipe != nullptr && std::fgets(path, sizeof path, pipe) != nullptr;
  if (pipe != nullptr) ::pclose(pipe);
  return told ? std::string(path, std::strcspn(path, "\n")) : "";
}
const std::string& Python() {
  static const std::string python = FindPython();
  return python;
}

class CommandUnit : public ::testing::Test {
 protected:
  CommandUnit() {
    platform_.name = "board";
    platform_.memories.emplace_back().name = "dram";
    Unit& unit = platform_.units.emplace_back();
    unit.name = "tpu";
    unit.memory = MemoryId(0);
    unit.backend = &DeclaredBackend("command");
  }
  ~CommandUnit() override {
    // No child is left, neither running nor as a zombie.
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }
  void SetUp() override {
    if (Python().empty()) GTEST_SKIP() << "no python3 to run the adapter";
  }

  static std::vector<std::string> Echo(const std::vector<std::string>& options = {}) {
    std::vector<std::string> command = {Python(), TANDEM_TEST_DIR "/support/device/echo_adapter.py"};
    command.insert(command.end(), options.begin(), options.end());
    return command;
  }
  std::unique_ptr<Processor> Open(const std::vector<std::string>& command) {
    platform_.units[0].command = command;
    OpenRequest request;
    request.platform = &platform_;
    request.unit = UnitId(0);
    return BackendOf(platform_.units[0], "test").Open(request);
  }
  SegmentSpec Whole(const std::string& name, std::int64_t batch = 1) {
    return WholeSegment(std::make_shared<const Model>(model_->WithBatch(batch)), nullptr, name);
  }
  template <class Body>
  static std::string FailureOf(Body body) {
    try {
      body();
    } catch (const EnvironmentError& error) {
      return error.what();
    }
    return "no error";
  }
  // What goes wrong where the program does that at that request.
  static std::string FailureWith(const std::string& at, const std::string& deed, AdapterLimits limits = {}) {
    return FailureOf([&] {
      Adapter adapter("unit", Echo({"--at", at, "--do", deed}), limits);
      adapter.Load(1, 1, "net");
      adapter.Run(1, 1);
    });
  }

  TempFolder folder_;
  Platform platform_;
  std::shared_ptr<const Model> model_ =
      std::make_shared<const Model>(Model::Build("chain",
                                                 {{"in", Op::kInput, InputAttributes{{1, 4}}, {}},
                                                  {"a", Op::kRelu, NoAttributes{}, {"in"}},
                                                  {"b", Op::kRelu, NoAttributes{}, {"a"}}},
                                                 "test"));
};

TEST_F(CommandUnit, RunsModelsAndTellsTheirHashes) {
  const auto processor = Open(Echo());
  const auto first = processor->Compile(Whole("alexnet")), other = processor->Compile(Whole("vgg16"));
  EXPECT_EQ(first->OutputHash(), "");
  first->Run({}, {});
  other->Run({}, {});
  const std::string hash = first->OutputHash();
  EXPECT_EQ(hash.size(), 64u);
  EXPECT_NE(hash, other->OutputHash());
  first->Run({}, {});
  EXPECT_EQ(first->OutputHash(), hash);
  EXPECT_EQ(first->Steps().at(0).how.rfind("echo 1.0 (python 3.", 0), 0u) << first->Steps()[0].how;
}

TEST_F(CommandUnit, TimedRunsTakeTheProgramsOwnTime) {
  const auto processor = Open(Echo());
  const auto executable = processor->Compile(Whole("alexnet"));
  const auto now = [] {
    return std::chrono::duration_cast<Nanos>(std::chrono::steady_clock::now().time_since_epoch());
  };
  Nanos end{0};
  const Nanos before = now();
  executable->RunTimed({}, {}, std::span(&end, 1));
  EXPECT_GE(end, before + Nanos{2'000'000});
  EXPECT_LE(end, now() + Nanos{2'000'000});
}

TEST_F(CommandUnit, SaysWhatTheProtocolSays) {
  const std::string log = (folder_ / "log").string();
  {
    const auto processor = Open(Echo({"--log", log}));
    auto one = processor->Compile(Whole("alexnet")), same = processor->Compile(Whole("alexnet"));
    const auto batch = processor->Compile(Whole((folder_ / "my net.onnx").string(), 4));
    batch->Run({}, {});
    one.reset();
    same->Run({}, {});
    same.reset();
  }
  EXPECT_EQ(ReadTextFile(log), "load 1 1 alexnet\nload 2 4 " + (folder_ / "my net.onnx").string() +
                                   "\nrun 2 1\nrun 1 1\nunload 1\nunload 2\nquit\n");
}

TEST_F(CommandUnit, PartsOfModelsAreRefused) {
  const auto processor = Open(Echo());
  const LayerId layers[] = {LayerId(2)};
  EXPECT_EQ(FailureOf([&] { processor->Compile(SegmentOf(model_, nullptr, "chain", layers)); }),
            "unit \"tpu\": a program runs whole models alone, so not layer \"b\" of chain by itself");
  EXPECT_EQ(processor->Groups(*model_).size(), 1u);
}

TEST_F(CommandUnit, ErrorOfTheProgramIsPassedOnAndTheProgramStays) {
  Adapter adapter("unit", Echo());
  EXPECT_EQ(FailureOf([&] { adapter.Run(5, 1); }), "unit: the program says \"cannot run 5 1\"");
  adapter.Load(5, 1, "net");
  EXPECT_EQ(adapter.Run(5, 3).time, Nanos{6'000'000});
}

TEST_F(CommandUnit, SmallestProgramOfTheDocumentationIsAUnit) {
  const std::string page = ReadTextFile(TANDEM_TEST_DIR "/../docs/command_protocol.md");
  const std::string opening = "```python\n";
  const std::size_t begin = page.find(opening) + opening.size();
  const std::string program = page.substr(begin, page.find("```", begin) - begin);
  const std::string runtime =
      "class my_runtime:\n"
      "  def load(model, batch):\n"
      "    if model == 'broken': raise ValueError('no such model')\n"
      "    made = my_runtime()\n    made.model = model + str(batch)\n    return made\n"
      "  def run(self): return self.model\n"
      "def my_hash(output): return output\n";
  WriteFile(folder_ / "mine.py", runtime + program);
  Adapter adapter("unit", {Python(), (folder_ / "mine.py").string()});
  EXPECT_EQ(adapter.about(), "mine 1.0");
  adapter.Load(1, 4, "net");
  EXPECT_EQ(adapter.Run(1, 2).hash, "net4");
  EXPECT_EQ(FailureOf([&] { adapter.Load(2, 1, "broken"); }), "unit: the program says \"no such model\"");
  adapter.Unload(1);
}

TEST_F(CommandUnit, ProgramThatCannotBeStartedIsTold) {
  EXPECT_EQ(
      FailureOf([&] { Open({"no-such-program-here"}); }),
      "unit \"tpu\": the program \"no-such-program-here\" cannot be started: No such file or directory");
  EXPECT_EQ(FailureOf([&] { Open({folder_.string()}); }),
            "unit \"tpu\": the program \"" + folder_.string() + "\" cannot be started: Permission denied");
}

TEST_F(CommandUnit, ProgramThatEndsEarlyIsToldWithItsStatus) {
  EXPECT_EQ(FailureWith("greeting", "exit"),
            "unit: the program ended with status 7; missing is its greeting");
  EXPECT_EQ(FailureWith("load", "die"),
            "unit: the program was ended by signal 9; missing is the answer to load");
  EXPECT_EQ(FailureWith("run", "exit"),
            "unit: the program ended with status 7; missing is the answer to run");
  EXPECT_EQ(FailureOf([&] { Open({"true"}); }),
            "unit \"tpu\": the program ended with status 0; missing is its greeting");
}

TEST_F(CommandUnit, ProgramThatGoesOnWithoutAnswersIsEnded) {
  EXPECT_EQ(FailureWith("load", "close"),
            "unit: the program closed its output; missing is the answer to load");
  EXPECT_EQ(FailureWith("load", "silence", {.load = Nanos{300'000'000}}),
            "unit: the answer to load did not come within 300 ms");
  EXPECT_EQ(FailureWith("run", "flood"), "unit: the answer to run is a line without an end");
}

TEST_F(CommandUnit, AnswersBesideTheProtocolAreShown) {
  const std::string breaks = "unit: the program breaks the protocol: ";
  EXPECT_EQ(FailureWith("greeting", "hello"),
            breaks + "its greeting is \"hello\", not \"tandem-unit/1 NAME VERSION [LIBRARY=VERSION]...\"");
  EXPECT_EQ(FailureWith("load", ""), breaks + "the answer to load is \"\", not \"ok NANOSECONDS\"");
  for (const char* answer : {"ok", "ok 1", "ok 1.5 ab", "ok -1 ab", "ok 99999999999999999999 ab",
                             "ok 1 ab more", "ok 1 a/b", "okay 1 ab", "ok ab 1", "\x1b[31m"}) {
    EXPECT_EQ(FailureWith("run", answer).rfind(breaks + "the answer to run is \"", 0), 0u) << answer;
  }
}

TEST_F(CommandUnit, AnswerThatNobodyAskedForIsNotTakenForTheNext) {
  Adapter adapter("unit", Echo({"--at", "load", "--do", "ok 1\nok 2"}));
  adapter.Load(1, 1, "net");
  EXPECT_EQ(FailureOf([&] { adapter.Run(1, 1); }), "unit: the program said more than it was asked: \"ok 2\"");
}

TEST_F(CommandUnit, AfterAFailureTheProgramIsGone) {
  Adapter adapter("unit", Echo({"--at", "run", "--do", "nonsense"}));
  const pid_t pid = adapter.pid();
  adapter.Load(1, 1, "net");
  EXPECT_NE(FailureOf([&] { adapter.Run(1, 1); }), "no error");
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_EQ(FailureOf([&] { adapter.Run(1, 1); }), "unit: the program is gone");
}

// Of one that belongs to init, which takes a moment to bury it.
bool IsGoneSoon(pid_t pid) {
  for (int i = 0; i < 1000; ++i) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    if (!(stat >> number >> name >> state) || state == "Z") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST_F(CommandUnit, WhatTheProgramStartedEndsWithIt) {
  const std::string file = (folder_ / "pid").string();
  { Adapter adapter("unit", Echo({"--at", "greeting", "--do", "child", "--pid", file})); }
  EXPECT_TRUE(IsGoneSoon(static_cast<pid_t>(std::stol(ReadTextFile(file)))));
}

TEST_F(CommandUnit, AHungProgramEndsWithWhoeverStartedIt) {
  const std::string log = (folder_ / "log").string(), noted = (folder_ / "pid").string();
  const pid_t starter = ::fork();
  if (starter == 0) {
    Adapter adapter("unit", Echo({"--at", "load", "--do", "silence", "--log", log}));
    WriteFile(noted, std::to_string(adapter.pid()));
    adapter.Load(1, 1, "net");
    ::_exit(EXIT_FAILURE);
  }
  const auto asked = [&] { return std::filesystem::exists(log) && !ReadTextFile(log).empty(); };
  while (!asked() && ::waitpid(starter, nullptr, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ::kill(starter, SIGKILL);
  ::waitpid(starter, nullptr, 0);
  EXPECT_TRUE(IsGoneSoon(static_cast<pid_t>(std::stol(ReadTextFile(noted)))));
}

TEST_F(CommandUnit, ItsComplaintsReachOurStandardError) {
  testing::internal::CaptureStderr();
  { Adapter adapter("unit", Echo({"--at", "greeting", "--do", "complain"})); }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "something is odd\n");
}

}  // namespace
}  // namespace tandem
