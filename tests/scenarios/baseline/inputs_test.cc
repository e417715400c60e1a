// Does the hash of a scenario's inputs change with what it reads, and with nothing else?
#include "scenarios/baseline/inputs.h"

#include <gtest/gtest.h>

#include <map>

#include "profiles/base/files.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// A scenario with files of its own, in a folder.
class Inputs {
 public:
  // That it has times of this one changes nothing of the run.
  void AddTimesOf(const std::string& name, const std::string& text) {
    others += R"(, {"model": ")" + name + R"(", "unit": "u", "layers": "*", "median_us": 5})";
    beside[name] = text;
  }

  std::string board = R"({"tandem": "platform/1", "name": "board", "memories": [{"name": "m"}],
    "units": [{"name": "u", "kind": "cpu", "memory": "m"}]})";
  std::string median = "100", times = "0\n10\n", note = "as it was", model = "net.json", channels = "2";
  std::string boards_folder;  // "sub/": platform and profile lie there
  std::string stream = "a";
  std::string others;                         // models that the profile has times of, too: ", {...}" each
  std::map<std::string, std::string> beside;  // files by their names

  std::string Hash() const {
    const TempFolder folder;
    fs::create_directories(folder / "sub");
    const auto path = [&](const std::string& name) { return folder / (boards_folder + name); };
    WriteFile(path("board.platform.json"), board);
    WriteFile(path("t.profile.json"), R"({"tandem": "profile/1", "platform": "board.platform.json",
      "origin": {"kind": "estimated", "method": "made up"}, "entries": [{"model": ")" +
                                          std::string(boards_folder.empty() ? "" : "../") + model +
                                          R"(", "unit": "u", "layers": "*", "median_us": )" + median + "}" +
                                          others + "]}");
    WriteFile(folder / model, R"({"tandem": "model/1", "name": "net", "layers": [
      {"name": "in", "op": "input", "shape": [)" +
                                  channels + R"(, 4, 4]}, {"name": "r", "op": "relu", "inputs": ["in"]}]})");
    WriteFile(folder / "times.txt", times);
    for (const auto& [name, text] : beside) WriteFile(folder / name, text);
    WriteFile(folder / "s.scenario.json",
              R"({"tandem": "scenario/1", "name": "s", "note": ")" + note + R"(", "platform": ")" +
                  boards_folder + R"(board.platform.json", "profiles": [")" + boards_folder +
                  R"(t.profile.json"], "streams": [{"name": ")" + stream + R"(", "model": ")" + model +
                  R"(", "arrival": {"type": "trace", "file": "times.txt"}}], "policies": ["fcfs"]})");
    return InputsHash(ReadScenarioFile(folder / "s.scenario.json"));
  }
};

TEST(InputsOfAScenario, HashAlikeWhereverTheyLie) {
  const std::string hash = Inputs().Hash();
  EXPECT_EQ(hash.size(), 7U + 64U) << hash;
  EXPECT_EQ(hash.substr(0, 7), "sha256:");
  EXPECT_EQ(Inputs().Hash(), hash) << "every folder has another name";
  Inputs elsewhere;
  elsewhere.boards_folder = "sub/";
  EXPECT_EQ(elsewhere.Hash(), hash) << "platform and profile in a folder of theirs";
  Inputs renamed;
  renamed.model = "other.json";
  EXPECT_EQ(renamed.Hash(), hash) << "the same network in a file of another name";
}

TEST(InputsOfAScenario, HashAlikeHoweverTheyAreLaidOut) {
  Inputs laid_out;
  laid_out.board = R"({"name":"board","tandem":"platform/1",
    "units":[{"memory":"m","kind":"cpu","name":"u"}],"memories":[{"name":"m"}]})";
  laid_out.note = "said anew";
  EXPECT_EQ(laid_out.Hash(), Inputs().Hash());
}

TEST(InputsOfAScenario, EachOfThemCounts) {
  const std::string hash = Inputs().Hash();
  Inputs slower, later, wider, larger;
  slower.median = "101";
  later.times = "0\n11\n";
  wider.channels = "3";
  larger.board.replace(larger.board.find("\"m\"}"), 4, R"("m", "capacity_bytes": 1000000})");
  for (const Inputs* changed : {&slower, &later, &wider, &larger}) EXPECT_NE(changed->Hash(), hash);
}

TEST(InputsOfAScenario, WhatOnlyLooksLikeAPathIsAName) {
  Inputs one, other;
  one.stream = other.stream = "./a.json";
  one.beside["a.json"] = "1";
  other.beside["a.json"] = "2";
  EXPECT_EQ(one.Hash(), other.Hash());
}

TEST(InputsOfAScenario, FilesThatNameEachOtherManyTimesAreReadOnceEach) {
  std::string itself = R"({"models": ["./around.json")";
  for (int i = 1; i < 20; ++i) itself += R"(, "././around.json")";
  const auto hash = [&](const std::string& leaf) {
    Inputs inputs;
    inputs.AddTimesOf("around.json", itself + R"(], "weights": "leaf.json"})");
    inputs.beside["leaf.json"] = leaf;
    return inputs.Hash();
  };
  EXPECT_EQ(hash("[1]"), hash("[1]"));
  EXPECT_NE(hash("[1]"), hash("[2]"));
}

TEST(InputsOfAScenario, DeepNestingIsNoCrash) {
  const auto hash = [](std::size_t depth) {
    Inputs inputs;
    inputs.AddTimesOf("deep.json", std::string(depth, '[') + std::string(depth, ']'));
    return inputs.Hash();
  };
  EXPECT_NE(hash(1'000'000), hash(1'000'001)) << "of what no reader takes the bytes count";
}

TEST(InputsOfAScenario, ShippedOnesAreRead) {
  const auto hash = [](const char* name) {
    return InputsHash(
        ReadScenarioFile(fs::path(TANDEM_TEST_DIR).parent_path() / "scenarios" / "examples" / name));
  };
  EXPECT_NE(hash("study-003.scenario.json"), hash("study-003-one-model.scenario.json"));
  EXPECT_EQ(hash("study-003.scenario.json"), hash("study-003.scenario.json"));
}

}  // namespace
}  // namespace tandem
