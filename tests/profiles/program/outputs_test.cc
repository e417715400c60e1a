// Is nothing overwritten that somebody would miss, and does standard output take one result?
#include "profiles/program/outputs.h"

#include <gtest/gtest.h>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class OutputsTest : public testing::Test {
 protected:
  std::string Refusal(std::vector<Output> outputs, bool force = false, bool json = false) {
    return ErrorOf([&] { Outputs(std::move(outputs), force, json); });
  }
  // Of one file in the folder, which is to become a plan.
  std::string RefusalOf(const std::string& name, bool force = false) {
    std::string refusal = Refusal({{"-o", folder_ / name, {"plan/1"}}}, force);
    const std::size_t place = refusal.find(folder_.string());
    return place == std::string::npos ? refusal : refusal.erase(place, folder_.string().size() + 1);
  }
  void Write(const std::string& name, const std::string& text) { WriteFile(folder_ / name, text); }

  TempFolder folder_;
};

const std::string kNoRefusal = ErrorOf([] {});

TEST_F(OutputsTest, AnInputIsNeverReplacedWhateverItIsCalled) {
  Write("in.json", R"({"tandem": "plan/1"})");
  fs::create_symlink("in.json", folder_ / "link.json");
  fs::create_hard_link(folder_ / "in.json", folder_ / "twin.json");
  fs::create_directory(folder_ / "sub");
  EXPECT_EQ(RefusalOf("in.json"), kNoRefusal) << "nobody has read it";
  ReadTextFile(folder_ / "in.json");
  const std::string why = ": is an input of this command, which -o would overwrite; give -o another file";
  for (const std::string name : {"in.json", "link.json", "twin.json", "sub/../in.json"}) {
    EXPECT_EQ(RefusalOf(name), name + why);
    EXPECT_EQ(RefusalOf(name, true), name + why);
  }
}

TEST_F(OutputsTest, FilesOfTheSameKindEmptyOnesAndNewOnesAreWritten) {
  Write("same.json", R"({"name": "x", "tandem": "plan/1", "scenario": {"tandem": "scenario/1"}})");
  Write("empty.json", "");
  for (const char* name : {"same.json", "empty.json", "new.json"}) EXPECT_EQ(RefusalOf(name), kNoRefusal);
  EXPECT_EQ(Refusal({{"-o", "/dev/null", {"plan/1"}}, {"--csv", "", {"a table"}}}), kNoRefusal);
}

TEST_F(OutputsTest, FilesOfAnotherKindNeedForce) {
  Write("s.json", R"({"tandem": "scenario/1"})");
  Write("old.json", R"({"tandem": "plan/0"})");
  Write("notes.txt", "what I found out");
  Write("package.json", R"({"name": "mine"})");
  Write("broken.json", R"({"tandem": "plan/1", )");
  const auto refusal = [](const std::string& file, const std::string& is) {
    return file + ": is " + is + ", which -o would replace by plan/1; --force does it";
  };
  EXPECT_EQ(RefusalOf("s.json"), refusal("s.json", "scenario/1"));
  EXPECT_EQ(RefusalOf("old.json"), refusal("old.json", "plan/0"));
  for (const char* file : {"notes.txt", "package.json", "broken.json"}) {
    EXPECT_EQ(RefusalOf(file), refusal(file, "a file that is not tandem's"));
    EXPECT_EQ(RefusalOf(file, true), kNoRefusal);
  }
}

TEST_F(OutputsTest, MeasurementsNeedForceEvenForNewOnes) {
  Write("p.json", R"({"tandem": "profile/1", "origin": {"kind": "measured"}})");
  Write("t.json", R"({"tandem": "trace/1", "traceEvents": [{"args": {"measured": false}},
                      {"args": {"measured": true}}]})");
  Write("r.json", R"({"tandem": "run-result/1"})");
  Write("estimate.json", R"({"tandem": "profile/1", "origin": {"kind": "estimated"}, "note": "measured"})");
  Write("predicted.json", R"({"tandem": "trace/1", "traceEvents": [{"args": {"measured": false}}]})");
  for (const auto& [name, kind] :
       {std::pair("p.json", "profile/1"), {"t.json", "trace/1"}, {"r.json", "run-result/1"}}) {
    const std::string file = (folder_ / name).string();
    EXPECT_EQ(Refusal({{"-o", file, {kind}}}),
              file + ": holds measurements, which -o would replace; --force does it");
    EXPECT_EQ(Refusal({{"-o", file, {kind}}}, true), kNoRefusal);
  }
  EXPECT_EQ(Refusal({{"-o", folder_ / "estimate.json", {"profile/1"}}}), kNoRefusal);
  EXPECT_EQ(Refusal({{"-o", folder_ / "predicted.json", {"trace/1"}}}), kNoRefusal);
}

TEST_F(OutputsTest, WhatSaysNoKindIsKnownByHowItBegins) {
  const OutputKind table{"a table", [](std::string_view head) { return head.starts_with("a,b\n"); }};
  Write("ours.csv", "a,b\n1,2\n");
  Write("theirs.csv", "x,y\n1,2\n");
  EXPECT_EQ(Refusal({{"--csv", folder_ / "ours.csv", table}}), kNoRefusal);
  EXPECT_NE(Refusal({{"--csv", folder_ / "theirs.csv", table}}), kNoRefusal);
}

TEST_F(OutputsTest, WhatIsKnownByNothingIsKnownByItsSizeWhereItSaysNoKind) {
  const std::string scenario = R"({"tandem": "scenario/1"})", result = R"({"tandem": "run-result/1"})";
  const auto refusal = [&](const std::string& text, std::size_t bytes) {
    Write("y.raw", text);
    const OutputKind raw{"raw numbers", nullptr, static_cast<std::int64_t>(bytes)};
    return Refusal({{"--output", folder_ / "y.raw", raw}});
  };
  const std::string file = (folder_ / "y.raw").string();
  EXPECT_EQ(refusal("12345678", 8), kNoRefusal);
  EXPECT_EQ(refusal("", 8), kNoRefusal);
  EXPECT_EQ(refusal("what I found out", 8),
            file +
                ": is a file of 16 bytes, which --output would replace by raw "
                "numbers of 8 bytes; --force does it");
  EXPECT_EQ(refusal(scenario, scenario.size()), file +
                                                    ": is scenario/1, which --output would replace by raw "
                                                    "numbers of 24 bytes; --force does it");
  EXPECT_EQ(refusal(result, result.size()),
            file + ": holds measurements, which --output would replace; --force does it");
}

TEST_F(OutputsTest, TwoOutputsAreTwoFiles) {
  EXPECT_EQ(Refusal({{"--trace", "x.out", {"trace/1"}}, {"--csv", "./x.out", {"a table"}}}),
            "./x.out: --trace and --csv cannot both write it");
  fs::create_directory(folder_ / "sub");
  fs::create_directory_symlink("sub", folder_ / "same");
  fs::create_symlink("sub/x.out", folder_ / "link.out");
  for (const char* other : {"same/x.out", "link.out", "sub/../sub/x.out"}) {
    const std::string file = (folder_ / other).string();
    EXPECT_EQ(Refusal({{"--trace", folder_ / "sub/x.out", {"trace/1"}}, {"--csv", file, {"a table"}}}, true),
              file + ": --trace and --csv cannot both write it")
        << "nothing is there yet";
  }
  EXPECT_EQ(Refusal({{"--trace", "-", {"trace/1"}}, {"--csv", "-", {"a table"}}}),
            "--csv: standard output takes one file, and --trace writes there too");
  EXPECT_EQ(Refusal({{"--trace", "-", {"trace/1"}}}, true, true),
            "--trace: standard output takes one result, and --json prints there too");
}

TEST_F(OutputsTest, WordsMakeRoomForAFileOnStandardOutput) {
  for (const char* file : {"-", "somewhere.json"}) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const Outputs outputs({{"-o", file, {"plan/1"}}}, false, false);
    outputs.Say("words");
    const bool piped = std::string(file) == "-";
    EXPECT_EQ(testing::internal::GetCapturedStdout(), piped ? "" : "words");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), piped ? "words" : "");
  }
}

}  // namespace
}  // namespace tandem
