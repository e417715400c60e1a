// Does `tandem-device profile` take what a person gives it, and put its answers where they belong?
#include <gtest/gtest.h>
#include <algorithm>

#include "device/processor/backend.h"
#include "device/profiler/samples/samples.h"
#include "profiles/base/files.h"
#include "profiles/costs/profile.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class ProfileCommandTest : public ::testing::Test {
 protected:
  ProfileCommandTest() {
    WriteFile(folder_ / "tiny.json", R"({"tandem": "model/1", "name": "tiny", "layers": [
        {"name": "data", "op": "input", "shape": [1, 2, 6, 6]},
        {"name": "relu", "op": "relu", "inputs": ["data"]},
        {"name": "fc", "op": "fc", "inputs": ["relu"], "out_features": 3}]})");
    WriteFile(folder_ / "request.json",
              R"({"tandem": "profile-request/1", "platform": {"name": "board", "memories": [{"name": "dram"}],
                  "units": [{"name": "a", "kind": "cpu", "memory": "dram", "backend": "reference"}]},
                  "models": ["./tiny.json"], "min_samples": 3, "noise": 0.5, "warm_up_ms": 0, "budget_s": 0.1})");
  }

  ProgramResult Run(const std::string& arguments) {
    return RunShell("cd " + folder_.string() + " && " TANDEM_PROGRAM " profile " + arguments);
  }

  TempFolder folder_;
};

TEST_F(ProfileCommandTest, TheProfileGoesToStandardOutputTheSummaryToStandardError) {
  const ProgramResult result = Run("request.json");
  ASSERT_EQ(result.status, 0) << result.errors;
  const Profile profile = ReadProfile(JsonDocument::Parse(result.output, "output").root());
  EXPECT_EQ(profile.entries.size(), 3U);
  EXPECT_NE(result.errors.find("whole, ms"), std::string::npos) << result.errors;
  EXPECT_EQ(Run("--json < request.json").errors, "");
}

TEST_F(ProfileCommandTest, WithAFileTheSummaryIsTheAnswer) {
  const ProgramResult result = Run("request.json -o out.profile.json");
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(ReadProfileFile(folder_ / "out.profile.json").entries.size(), 3U);
  EXPECT_NE(result.output.find("whole, ms"), std::string::npos) << result.output;
  EXPECT_FALSE(fs::exists(folder_ / "out.profile.json.partial"));
  const ProgramResult json = Run("request.json -o out.profile.json --force --json");
  const JsonDocument document = JsonDocument::Parse(json.output, "summary");
  EXPECT_EQ(document.root().Get("models").size(), 1U);
}

TEST_F(ProfileCommandTest, WhatWasMeasuredIsNotLostUnasked) {
  ASSERT_EQ(Run("request.json -o out.profile.json").status, 0);
  const std::string measured = ReadTextFile(folder_ / "out.profile.json");
  EXPECT_EQ(Run("request.json -o out.profile.json").errors,
            "out.profile.json: holds measurements, which -o would replace; --force does it\n");
  EXPECT_EQ(Run("request.json -o request.json --force").status, 2) << "it is the request";
  EXPECT_EQ(ReadTextFile(folder_ / "out.profile.json"), measured);
  WriteFile(folder_ / "next.json.partial", "{}");
  EXPECT_EQ(
      Run("request.json -o next.json").errors,
      "next.json.partial: holds what an interrupted run measured; --resume goes on with it, --force begins "
      "anew\n");
  EXPECT_EQ(Run("request.json -o next.json --force").status, 0);
}

TEST_F(ProfileCommandTest, StandardOutputIsAFileToo) {
  const ProgramResult result = Run("- -o - < request.json");
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(ReadProfile(JsonDocument::Parse(result.output, "output").root()).entries.size(), 3U);
  EXPECT_FALSE(fs::exists(folder_ / "-")) << "nor -.partial";
  EXPECT_EQ(Run("request.json -o - --json").status, 2);
}

TEST_F(ProfileCommandTest, AModelIsNamedFromTheProfileAndKnownByItsStructure) {
  ASSERT_EQ(Run("request.json -o out.profile.json").status, 0);
  const Profile profile = ReadProfileFile(folder_ / "out.profile.json");
  EXPECT_EQ(profile.entries.at(0).model, "./tiny.json");
  ASSERT_EQ(profile.models.size(), 1U);
  EXPECT_EQ(profile.models[0].model, "./tiny.json");
}

TEST_F(ProfileCommandTest, AddingMeasuresWhatIsMissingAndKeepsTheRest) {
  std::string text = ReadTextFile(folder_ / "tiny.json");
  text.replace(text.find("3}]}"), 1, "4");
  WriteFile(folder_ / "other.json", text);
  text = ReadTextFile(folder_ / "request.json");
  const std::string model = R"("./tiny.json")";
  text.replace(text.find(model), model.size(), model + R"(, "./other.json")");
  WriteFile(folder_ / "both.json", text);

  ASSERT_EQ(Run("request.json -o out.profile.json --add").status, 0) << "there is nothing yet to add to";
  const Profile first = ReadProfileFile(folder_ / "out.profile.json");
  const ProgramResult added = Run("both.json -o out.profile.json --add");
  ASSERT_EQ(added.status, 0) << added.errors;
  const Profile both = ReadProfileFile(folder_ / "out.profile.json");
  EXPECT_EQ(both.entries.size(), 6U);
  EXPECT_TRUE(std::equal(first.entries.begin(), first.entries.end(), both.entries.begin()));
  EXPECT_EQ(both.entries.back().model, "./other.json");
  EXPECT_EQ(both.dispatch, first.dispatch);

  const std::string before = ReadTextFile(folder_ / "out.profile.json");
  EXPECT_EQ(Run("both.json -o out.profile.json --add").output,
            "out.profile.json has all that is asked; --force measures it again\n");
  EXPECT_EQ(ReadTextFile(folder_ / "out.profile.json"), before);
  ASSERT_EQ(Run("request.json -o out.profile.json --add --force").status, 0);
  EXPECT_EQ(ReadProfileFile(folder_ / "out.profile.json").entries.size(), 6U);
}

TEST_F(ProfileCommandTest, NothingIsAddedToWhatWasMeasuredElsewhere) {
  ASSERT_EQ(Run("request.json -o out.profile.json").status, 0);
  Profile profile = ReadProfileFile(folder_ / "out.profile.json");
  profile.origin.host = "another";
  WriteFile(folder_ / "out.profile.json", ProfileJson(profile));
  EXPECT_EQ(
      Run("request.json -o out.profile.json --add").errors,
      "out.profile.json: was measured on \"another\"; what is measured now does not belong beside that\n");
}

TEST_F(ProfileCommandTest, ASharerTakesAnOrderAndStartsNoProgramThatItIsNotAllowed) {
  WriteFile(folder_ / "order.json", "{}");
  ProgramResult result = Run("--sharer < order.json");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.errors.find("\"order\""), std::string::npos) << result.errors;
  ProfilerSamples known;
  known.host = "this one";
  WriteFile(folder_ / "order.json", R"({"order": {"tandem": "profile-request/1", "models": ["./tiny.json"],
      "platform": {"name": "p", "memories": [{"name": "dram"}], "units": [
        {"name": "u", "kind": "cpu", "memory": "dram", "backend": "command", "command": ["touch", "was-here"]}]}},
      "known": )" + ProfilerSamplesJson(known) +
                                        "}");
  result = Run("--sharer < order.json");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.errors.find("--allow-commands"), std::string::npos) << result.errors;
  EXPECT_FALSE(fs::exists(folder_ / "was-here"));
}

// As where the connection is lost through which the profile would have gone.
TEST_F(ProfileCommandTest, WhatNobodyReadsAnyMoreIsGoneOnWith) {
  WriteFile(folder_ / "tiny.json", R"({"tandem": "model/1", "name": "wide", "layers": [
      {"name": "data", "op": "input", "shape": [1, 16, 64, 64]},
      {"name": "conv", "op": "conv", "inputs": ["data"], "out_channels": 16, "kernel": [3, 3], "pad": [1, 1, 1, 1]}]})");
  const std::string profile = "XDG_CACHE_HOME=" + (folder_ / "cache").string() +
                              " timeout 60 " TANDEM_PROGRAM " profile request.json ";
  const std::string until_kept =
      "for i in $(seq 1000); do ls cache/tandem/unfinished/*.partial && exit; sleep 0.05; done";
  const ProgramResult lost =
      RunShell("cd " + folder_.string() + " && { " + profile +
               "--noise 0.000001 --budget 1000000; echo $? > status; } | ( " + until_kept + " ) 2>&1");
  EXPECT_EQ(ReadTextFile(folder_ / "status"), "130\n") << lost.errors;
  const ProgramResult again = RunShell("cd " + folder_.string() + " && " + profile + "--resume");
  ASSERT_EQ(again.status, 0) << again.errors;
  EXPECT_TRUE(fs::is_empty(folder_ / "cache/tandem/unfinished")) << "all is done";
}

// The states' commands are the user's; here they write to a file what the next one reads.
class ProfiledStatesTest : public ProfileCommandTest {
 protected:
  void WriteStates(const std::string& states) {
    std::string text = ReadTextFile(folder_ / "request.json");
    text.insert(text.rfind('}'), R"(, "clock_states": [)" + states + "]");
    WriteFile(folder_ / "states.json", text);
  }
  static std::string State(const std::string& name, const std::string& before) {
    return R"({"name": ")" + name + R"(", "before": ")" + before + R"(", "read": "cat mode"})";
  }
  std::string Log() { return ReadTextFile(folder_ / "log"); }
};

TEST_F(ProfiledStatesTest, EachGoesToAFileOfItsOwnAndSaysWhatItWas) {
  WriteStates(State("fast", "echo fast >> log; echo MAXN > mode") + ", " +
              State("slow", "echo slow >> log; echo 5W > mode"));
  EXPECT_EQ(Run("states.json --allow-commands -o one.json").errors,
            "profile: the request has 2 clock states: -o FOLDER/ takes a profile of each, --state NAME "
            "measures in one\n");
  const ProgramResult result = Run("states.json --allow-commands -o out/");
  ASSERT_EQ(result.status, 0) << result.errors;
  const Profile slow = ReadProfileFile(folder_ / "out/slow.profile.json");
  EXPECT_EQ(slow.origin.clocks.at("state"), "slow");
  EXPECT_EQ(slow.origin.clocks.at("reading"), "5W");
  EXPECT_EQ(slow.origin.clocks.at("before"), "echo slow >> log; echo 5W > mode");
  EXPECT_EQ(ReadProfileFile(folder_ / "out/fast.profile.json").origin.clocks.at("reading"), "MAXN");
  EXPECT_TRUE(fs::exists(folder_ / "out/platform.json"));
  EXPECT_EQ(Log(), "fast\nslow\n");
  EXPECT_EQ(Run("states.json --allow-commands -o out/").status, 2) << "what is measured is not lost unasked";
  EXPECT_EQ(Run("states.json --allow-commands -o out/ --resume").status, 0);
  EXPECT_EQ(Log(), "fast\nslow\n") << "nothing is measured twice";
}

TEST_F(ProfiledStatesTest, AfterAKillTheRestIsMeasuredAndNothingTwice) {
  WriteStates(
      State("fast", "echo fast >> log; echo MAXN > mode") + ", " +
      State("slow", "echo slow >> log; echo 5W > mode; test -e again || { touch again; kill -9 $PPID; }"));
  EXPECT_EQ(Run("states.json --allow-commands -o out/").status, 128 + 9);
  const std::string fast = ReadTextFile(folder_ / "out/fast.profile.json");
  const ProgramResult look = Run("states.json -o out/ --status --json");
  ASSERT_EQ(look.status, 0) << look.errors;
  const JsonDocument status = JsonDocument::Parse(look.output, "status");
  std::vector<std::string> found;
  for (const JsonReader state : status.root().Get("states").Elements()) {
    found.push_back(state.Get("state").Name() + " " + state.Get("status").Name());
  }
  EXPECT_EQ(found, (std::vector<std::string>{"fast done", "slow left"}));
  EXPECT_NE(Run("states.json -o out/ --status").output.find("1 of 2 clock states are done"),
            std::string::npos);
  EXPECT_EQ(Log(), "fast\nslow\n") << "a look reaches no state";
  ASSERT_EQ(Run("states.json --allow-commands -o out/ --resume").status, 0);
  EXPECT_EQ(Log(), "fast\nslow\nslow\n");
  EXPECT_EQ(ReadTextFile(folder_ / "out/fast.profile.json"), fast);
}

TEST_F(ProfiledStatesTest, AReadingThatDiffersIsRefused) {
  const ProgramResult other =
      Run("request.json -o x.json --before 'echo 10W > mode' --read 'cat mode' --expect MAXN --state max");
  EXPECT_EQ(other.status, 3);
  EXPECT_EQ(other.errors, "tandem-device: clock state \"max\": reads \"10W\", which has no \"MAXN\"\n");
  const ProgramResult drifting =
      Run("request.json -o x.json --before 'echo 0 > mode' --read 'cat mode; echo 1 > mode'");
  EXPECT_EQ(drifting.status, 3);
  EXPECT_NE(drifting.errors.find("reads \"1\" now and was \"0\" before"), std::string::npos)
      << drifting.errors;
  EXPECT_FALSE(fs::exists(folder_ / "x.json") || fs::exists(folder_ / "x.json.partial"));
  EXPECT_EQ(Run("request.json -o x.json --before 'exit 4' --read true").status, 3);
  WriteStates(State("a", "echo same > mode") + ", " + State("b", "true"));
  const ProgramResult alike = Run("states.json --allow-commands -o out/");
  EXPECT_EQ(alike.status, 3);
  EXPECT_NE(alike.errors.find("as the state \"a\" does"), std::string::npos) << alike.errors;
}

TEST_F(ProfiledStatesTest, OneOfThemIsPickedByName) {
  WriteStates(State("a", "echo 1 > mode") + ", " + State("b", "echo 2 > mode"));
  const ProgramResult result = Run("states.json --allow-commands --state b --json");
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(ReadProfile(JsonDocument::Parse(result.output, "output").root()).origin.clocks.at("reading"),
            "2");
  EXPECT_EQ(Run("states.json --allow-commands --state c").errors,
            "--state: the request has no clock state \"c\"; known: a, b\n");
}

TEST_F(ProfiledStatesTest, ThatAFileNamesAreReachedWhereCommandsAreAllowed) {
  WriteStates(State("fast", "echo fast >> log; echo MAXN > mode"));
  const ProgramResult refused = Run("states.json -o out/");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(
      refused.errors,
      "states.json: names programs to be started, clock state \"fast\": \"echo fast >> log; echo MAXN > "
      "mode\"; clock state \"fast\": \"cat mode\"; --allow-commands starts what files name\n");
  EXPECT_FALSE(fs::exists(folder_ / "log")) << "it was started";
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  EXPECT_EQ(Run("states.json -o out/ --status").status, 0) << "a look starts nothing";
}

TEST_F(ProfileCommandTest, ALookSaysWhatIsLeft) {
  EXPECT_NE(Run("request.json -o out.profile.json --status").output.find("left"), std::string::npos);
  ASSERT_EQ(Run("request.json -o out.profile.json").status, 0);
  EXPECT_NE(Run("request.json -o out.profile.json --status").output.find("done"), std::string::npos);
}

TEST_F(ProfileCommandTest, WhatMakesNoSenseEndsWithTwo) {
  EXPECT_EQ(Run("request.json --add").errors,
            "profile: --add needs -o FILE: what is missing there is added\n");
  EXPECT_EQ(Run("request.json --model resnet18").errors,
            "profile: a request says which models, so --model has no place beside it\n");
  EXPECT_EQ(Run("nothing.json").status, 2);
  EXPECT_EQ(Run("request.json --unit c").errors, "unknown unit \"c\"; known: a\n");
  EXPECT_EQ(Run("- </dev/null").status, 2);
  const auto of_cores = [](const DeviceBackend* backend) { return backend->name() == "cpu"; };
  const auto backends = Backends();
  const bool cores = std::any_of(backends.begin(), backends.end(), of_cores);
  EXPECT_EQ(Run("--model resnet19 --cores 0").status, cores ? 2 : 3);
  EXPECT_EQ(Run("--model resnet18 --cores 0-2,1").errors, "--cores: core 1 is named twice\n");
  EXPECT_EQ(Run("request.json --budget 0").status, 2);
  EXPECT_EQ(Run("request.json --precision int8").errors,
            "--precision: no unit that is measured runs in int8\n");
  EXPECT_EQ(Run("request.json --precision fp61").status, 2);
}

}  // namespace
}  // namespace tandem
