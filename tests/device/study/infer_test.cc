// Is it told how warm the board was, and what held its clocks back, while a model was timed?
#include "device/study/infer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "tests/support/device/board_trees.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

class InferInTheHeat : public ::testing::Test {
 protected:
  nlohmann::json Json() {
    WriteFile(folder_ / "tiny.json", R"({"tandem": "model/1", "name": "tiny", "layers": [
        {"name": "data", "op": "input", "shape": [1, 3]},
        {"name": "relu", "op": "relu", "inputs": ["data"]}]})");
    InferRequest request;
    request.model = (folder_ / "tiny.json").string();
    request.clocks = {folder_, TANDEM_FAKE_NVML};
    return nlohmann::json::parse(InferJson(Infer(ChooseUnit({"", "reference", {}, false}), request)));
  }

  TempFolder folder_;
};

TEST_F(InferInTheHeat, IsToldInTheWordsOfARun) {
  WriteBoardTree("rk3399", folder_);
  const nlohmann::json json = Json();
  EXPECT_EQ(json.at("held_back"), "thermal-cpufreq-1 held clocks back for the heat");
  EXPECT_EQ(json.at("heat").at("cpu-thermal"), "83 C");
}

TEST_F(InferInTheHeat, IsNotToldOfABoardThatHoldsNothingBack) {
  WriteBoardTree("raspberry-pi-5", folder_);
  const nlohmann::json json = Json();
  EXPECT_TRUE(json.contains("heat"));
  EXPECT_FALSE(json.contains("held_back"));
}

TEST_F(InferInTheHeat, IsNotToldOfABoardThatTellsNone) {
  const nlohmann::json json = Json();
  EXPECT_FALSE(json.contains("heat"));
  EXPECT_FALSE(json.contains("held_back"));
}

}  // namespace
}  // namespace tandem
