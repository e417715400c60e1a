// Does `tandem-device store` take models that this machine has never seen, so that `profile` measures them by
// the names that they have elsewhere? And does nothing come of a transfer that is not what it said?
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "profiles/base/files.h"
#include "profiles/base/sha256.h"
#include "profiles/model/model_json.h"
#include "scenarios/exchange/store_order.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGraph = "/not/here/nets/tiny.json";
constexpr const char* kGraphLinked = "/not/here/link/tiny.json";
constexpr const char* kWeights = "/not/here/w/tiny.safetensors";

class StoreCommand : public testing::Test {
 protected:
  StoreCommand() {
    const Model model = ReadModel(JsonDocument::Parse(R"({"tandem": "model/1", "name": "tiny", "layers": [
        {"name": "data", "op": "input", "shape": [1, 2, 6, 6]},
        {"name": "fc", "op": "fc", "inputs": ["data"], "out_features": 3}]})",
                                                      "tiny.json")
                                      .root())
                            .model;
    const ImportedModel tiny{model, RandomWeights(model, 1)};
    WriteModelFiles(ModelFilesOf(folder_ / "tiny", tiny), tiny);
    weights_ = ReadTextFile(folder_ / "tiny.safetensors");
    graph_ = ModelJson(model, "../w/tiny.safetensors");
  }

  static OfferedFile Offer(const std::string& path, const std::string& content) {
    return {path, {}, Sha256(std::as_bytes(std::span(content))), static_cast<std::int64_t>(content.size())};
  }
  StoreOrder Order() const {
    StoreOrder order{{Offer(kGraph, graph_), Offer(kWeights, weights_)}, {}};
    order.files[0].names = {kGraphLinked};
    return order;
  }
  ProgramResult Device(const std::string& arguments, const std::string& input) const {
    WriteFile(folder_ / "input", input);
    return RunShell("XDG_CACHE_HOME=" + cache_.string() + " " TANDEM_PROGRAM " " + arguments + " < " +
                    (folder_ / "input").string());
  }
  StoreAnswer Stored(const StoreOrder& order, const std::string& bytes = "") const {
    const ProgramResult result = Device("store", StoreOrderText(order) + bytes);
    EXPECT_EQ(result.status, 0) << result.errors;
    return ReadStoreAnswer(JsonDocument::Parse(result.output, "answer").root());
  }
  StoreAnswer SendAll() const {
    StoreOrder order = Order();
    for (const OfferedFile& file : order.files) order.follow.push_back(file.sha256);
    return Stored(order, graph_ + weights_);
  }
  std::size_t Kept() const {
    std::error_code none;
    const auto files = fs::directory_iterator(cache_ / "tandem" / "files", none);
    return static_cast<std::size_t>(std::distance(fs::begin(files), fs::end(files)));
  }
  static std::string ProfileRequest(const std::string& model) {
    return R"({"tandem": "profile-request/1", "platform": {"name": "board", "memories": [{"name": "dram"}],
               "units": [{"name": "a", "kind": "cpu", "memory": "dram", "backend": "reference"}]},
               "models": [")" +
           model + R"("], "min_samples": 3, "noise": 0.5, "warm_up_ms": 0, "budget_s": 0.1})";
  }

  TempFolder folder_;
  fs::path cache_ = folder_ / "cache";
  std::string graph_, weights_;
};

TEST_F(StoreCommand, TakesWhatIsLackingAndKnowsItFromThenOn) {
  const StoreOrder order = Order();
  const StoreAnswer before = Stored(order);
  EXPECT_EQ(before.lacks, (std::vector<std::string>{order.files[0].sha256, order.files[1].sha256}));
  EXPECT_EQ(before.name, "");
  const StoreAnswer after = SendAll();
  EXPECT_TRUE(after.lacks.empty());
  EXPECT_TRUE(IsSha256(after.name)) << after.name;
  EXPECT_EQ(Stored(order).name, after.name);
  StoreOrder other = order;  // other weights would be another order, of which the graph is known
  other.files[1] = Offer(kWeights, weights_ + "more");
  EXPECT_EQ(Stored(other).lacks, std::vector<std::string>{other.files[1].sha256});
}

TEST_F(StoreCommand, WhatWasSentIsMeasuredByTheNameThatItHasElsewhere) {
  const StoreAnswer sent = SendAll();
  EXPECT_EQ(Device("profile", ProfileRequest(kGraph)).status, 2) << "there is no such file here";
  for (const char* name : {kGraph, kGraphLinked}) {
    const ProgramResult profile = Device("profile --sent " + sent.name, ProfileRequest(name));
    ASSERT_EQ(profile.status, 0) << profile.errors;
    EXPECT_NE(profile.output.find(kGraph), std::string::npos) << profile.output;
    EXPECT_EQ(profile.output.find(folder_.string()), std::string::npos) << profile.output;
  }
}

TEST_F(StoreCommand, WhatIsHereAtTheSamePathIsUsedThere) {
  const fs::path own = fs::canonical(folder_) / "tiny.safetensors";
  const StoreAnswer answer = Stored({{Offer(own, weights_)}, {}});
  EXPECT_TRUE(answer.lacks.empty());
  EXPECT_EQ(answer.name, "");
  EXPECT_FALSE(fs::exists(cache_)) << "nothing was copied";
  EXPECT_EQ(Stored({{Offer(own, weights_ + "more")}, {}}).lacks.size(), 1U) << "it is another one here";
}

TEST_F(StoreCommand, NothingIsLeftOfATransferThatBreaksOffOrIsSpoilt) {
  StoreOrder order = Order();
  order.follow = {order.files[1].sha256};
  const std::string text = StoreOrderText(order);
  const ProgramResult early = Device("store", text + weights_.substr(1));
  EXPECT_EQ(early.status, 3);
  EXPECT_EQ(early.errors, "tandem-device: /not/here/w/tiny.safetensors: was not sent to its end\n");
  std::string spoilt = weights_;
  spoilt.back() ^= 1;
  const ProgramResult other = Device("store", text + spoilt);
  EXPECT_EQ(other.status, 3);
  EXPECT_EQ(other.errors, "tandem-device: /not/here/w/tiny.safetensors: has changed while it was sent\n");
  EXPECT_EQ(Kept(), 0U);
  EXPECT_EQ(Device("store", text + weights_).status, 0);
  EXPECT_EQ(Kept(), 1U);
}

TEST_F(StoreCommand, RemovesWhatAKilledOneHadBegun) {
  const fs::path store = cache_ / "tandem";
  const std::string nobody = std::to_string(1 << 30), somebody = std::to_string(::getpid());
  const auto begin = [&](const std::string& pid) {
    fs::create_directories(store / "files");
    fs::create_directories(store / "sent" / (".abc." + pid) / "tree");
    WriteFile(store / "sent" / (".abc." + pid) / "tree/net.json", "{");
    WriteFile(store / "files" / ("abc.part" + pid), "half");
  };
  begin(nobody);
  begin(somebody);
  const std::string whole = SendAll().name;
  EXPECT_FALSE(fs::exists(store / "files" / ("abc.part" + nobody)));
  EXPECT_FALSE(fs::exists(store / "sent" / (".abc." + nobody)));
  EXPECT_TRUE(fs::exists(store / "files" / ("abc.part" + somebody))) << "it may go on";
  EXPECT_TRUE(fs::exists(store / "sent" / (".abc." + somebody)));
  EXPECT_TRUE(fs::exists(store / "sent" / whole));
}

TEST_F(StoreCommand, LeavesItsFolderForNobody) {
  StoreOrder order = Order();
  for (const char* path : {"/a/../../b", "../b", "b", "/a/", "/a//b", "/"}) {
    order.files[0].path = path;
    const ProgramResult refused = Device("store", StoreOrderText(order));
    EXPECT_EQ(refused.status, 2) << path;
    EXPECT_EQ(refused.errors, "standard input:/files/0/path: an absolute path of a file, without \"..\"\n");
  }
  EXPECT_EQ(Device("profile --sent ../files", ProfileRequest(kGraph)).errors,
            "--sent: no files were sent here under the name \"../files\"\n");
  EXPECT_EQ(Device("run --sent " + std::string(64, '0'), "").status, 2);
  EXPECT_EQ(Device("store", "many\n{}").errors,
            "standard input: its first line is the length of the order that follows\n");
  EXPECT_FALSE(fs::exists(cache_));
}

TEST_F(StoreCommand, RefusesAbsurdSizes) {
  StoreOrder order = Order();
  order.files[1].bytes = kMostBytesOfFile + 1;
  const ProgramResult refused = Device("store", StoreOrderText(order));
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("standard input:/files/1/bytes: "), std::string::npos) << refused.errors;
}

}  // namespace
}  // namespace tandem
