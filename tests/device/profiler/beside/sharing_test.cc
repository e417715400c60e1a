// Is it measured what tasks cost each other that share a unit's time, of one model and of two?
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "device/profiler/beside/sharer.h"
#include "device/profiler/profiler.h"
#include "profiles/base/files.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

class SharingProfile : public ::testing::Test {
 protected:
  SharingProfile() {
    for (const char* name : {"tiny.json", "other.json"}) {
      WriteFile(folder_ / name, R"({"tandem": "model/1", "name": "tiny", "layers": [
        {"name": "data", "op": "input", "shape": [1, 3, 8, 8]},
        {"name": "conv", "op": "conv", "inputs": ["data"], "out_channels": 4, "kernel": [3, 3]}]})");
    }
  }

  // Of two units one shares its time.
  ProfileOrder Request(const std::string& models) {
    const std::string text = R"({"tandem": "profile-request/1", "platform": {"name": "board",
        "memories": [{"name": "dram"}], "units": [
        {"name": "a", "kind": "cpu", "memory": "dram", "backend": "reference", "slots": 3, "time_shared": true},
        {"name": "b", "kind": "cpu", "memory": "dram", "backend": "reference", "slots": 2}]},
        "models": [)" + models +
                             R"(], "co_running": "none",
        "min_samples": 3, "noise": 0.5, "warm_up_ms": 0, "budget_s": 0.2})";
    return ReadProfileOrder(JsonDocument::Parse(text, (folder_ / "request.json").string()).root());
  }

  TempFolder folder_;
};

TEST_F(SharingProfile, WhatTasksCostEachOtherThatShareAUnit) {
  const ProfileOrder request = Request(R"("./tiny.json", {"model": "./tiny.json", "batch": 2})");
  const ProfilerOutcome outcome = MeasureProfile(request, {});
  std::set<std::pair<std::string, std::int64_t>> measured;
  for (const SharingEntry& entry : outcome.profile.sharing) {
    EXPECT_GT(entry.slowdown, 0);
    EXPECT_TRUE(entry.model.ends_with("tiny.json")) << entry.model;
    measured.emplace(entry.unit, entry.at_once);
  }
  EXPECT_EQ(measured, (std::set<std::pair<std::string, std::int64_t>>{{"a", 2}, {"a", 3}}));
  EXPECT_EQ(outcome.profile.sharing.size(), 2U);
  // Slots that do not share a unit's time count as if they cost each other nothing: what they do is said.
  const std::vector<std::string>& notes = outcome.samples.notes;
  EXPECT_EQ(std::count_if(notes.begin(), notes.end(),
                          [](const std::string& note) {
                            return note.starts_with("unit \"b\": while 2 of its slots work, ") &&
                                   note.find("tiny.json takes ") != std::string::npos;
                          }),
            1);
  ProfilerOptions options;
  options.kept = folder_ / "out.json.partial";
  options.onlooker.progress = [](const std::string& what, std::int64_t, std::int64_t) {
    return what.find("3 at once") == std::string::npos;
  };
  EXPECT_TRUE(MeasureProfile(request, options).stopped);
  options.onlooker.progress = nullptr;
  options.resume = true;
  EXPECT_EQ(MeasureProfile(request, options).profile.sharing.size(), 2U) << "and it is gone on with";
}

TEST_F(SharingProfile, WhatTwoModelsCostEachOtherThatShareAUnit) {
  const ProfileOrder request = Request(R"("./tiny.json", "./other.json")");
  std::multiset<std::string> measured;
  const auto name = [](const std::string& model) { return model.substr(model.rfind('/') + 1); };
  for (const SharingEntry& entry : MeasureProfile(request, {}).profile.sharing)
    measured.insert(name(entry.model) + " " + name(entry.beside_model) + " " + std::to_string(entry.at_once));
  EXPECT_EQ(measured, (std::multiset<std::string>{"other.json  2", "other.json  3", "other.json tiny.json 2",
                                                  "tiny.json  2", "tiny.json  3", "tiny.json other.json 2"}));
}

// Applications are programs of their own, so that is what they are measured as; each stays for other pairs.
TEST_F(SharingProfile, ThoseThatShareAUnitsTimeAreProgramsToo) {
  const ProfileOrder request = Request(R"("./tiny.json", "./other.json")");
  std::vector<std::string> orders;
  ProfilerOptions options;
  options.start_sharer = [&](const std::string& order) {
    orders.push_back(order);
    return std::make_unique<ChildProgram>(
        "a sharer", std::vector<std::string>{TANDEM_PROGRAM, "profile", "--sharer"}, order);
  };
  const ProfilerOutcome outcome = MeasureProfile(request, options);
  const std::vector<SharingEntry>& sharing = outcome.profile.sharing;
  EXPECT_EQ(sharing.size(), 12U);
  EXPECT_EQ(std::count_if(sharing.begin(), sharing.end(), [](const SharingEntry& e) { return e.apart; }), 6);
  EXPECT_EQ(orders.size(), 6U) << "three of each model";
  const JsonDocument order = JsonDocument::Parse(orders.at(0), "order");
  const SharerOrder read = ReadSharerOrder(order.root());
  EXPECT_EQ(read.request.units, std::vector<std::string>{"a"});
  EXPECT_EQ(read.request.models.size(), 1U);
}

TEST_F(SharingProfile, AProgramThatFailsLeavesUnknownWhatItWasFor) {
  ProfilerOptions options;
  options.start_sharer = [](const std::string& order) {
    return std::make_unique<ChildProgram>("a sharer", std::vector<std::string>{"false"}, order);
  };
  const ProfilerOutcome outcome = MeasureProfile(Request(R"("./tiny.json")"), options);
  EXPECT_EQ(outcome.profile.sharing.size(), 2U) << "of threads";
  const std::vector<std::string>& notes = outcome.samples.notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("tiny.json on a shared, in programs of their own is not known: a sharer: ") !=
           std::string::npos;
  })) << notes.size();
}

}  // namespace
}  // namespace tandem
