// Are all ways of handing images to a unit run, told in the same shape, and said why where they cannot be?
#include "device/study/handover.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "tests/support/device/board_trees.h"
#include "tests/support/device/fake_sensor.h"
#include "tests/support/device/measured_card.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

template <class Body>
std::string FailureOf(Body body) {
  try {
    body();
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "no failure";
}

class Handover : public ::testing::Test {
 protected:
  Handover()
      : file_(fs::temp_directory_path() / ("tandem_handover_" + std::to_string(::getpid()) + ".json")) {
    WriteFile(file_, R"({"tandem": "model/1", "name": "tiny", "layers": [
        {"name": "data", "op": "input", "shape": [1, 3, 8, 8]},
        {"name": "relu", "op": "relu", "inputs": ["data"]},
        {"name": "fc", "op": "fc", "inputs": ["relu"], "out_features": 5}]})");
    request_.model = file_.string();
    std::string board = BoardWithCardJson();
    board.insert(1, R"("tandem": "platform/1", )");
    request_.platform = ReadPlatform(JsonDocument::Parse(board, "board").root());
    request_.images = 23;
    board_.covers = "reference";
    meter_ = FakeMeter(board_, std::chrono::milliseconds{100});
  }
  ~Handover() override { fs::remove(file_); }

  nlohmann::json Json(const ProfilerProgress& progress = nullptr) {
    return nlohmann::json::parse(HandoverJson(CompareHandovers(request_, *meter_, progress, card_.Found())));
  }

  fs::path file_;
  MeasuredCard card_;
  FakeBoard board_;
  std::unique_ptr<EnergyMeter> meter_;
  HandoverRequest request_;
};

TEST_F(Handover, EveryModeRunsTheSameNumberOfImages) {
  request_.modes.push_back(HandoverMode::kManaged);
  const nlohmann::json json = Json();
  EXPECT_EQ(json.at("unit"), "gpu");
  EXPECT_EQ(json.at("images"), 23);
  EXPECT_EQ(json.at("complete"), true);
  const auto& rows = json.at("rows");
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].at("unit"), "cpu");
  EXPECT_TRUE(rows[0].at("mode").is_null());
  const char* const modes[] = {"copy", "pageable", "zero_copy", "managed"};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].at("unit"), "gpu");
    EXPECT_EQ(rows[i].at("mode"), modes[i - 1]);
    EXPECT_EQ(rows[i].at("samples"), 23);
    EXPECT_TRUE(rows[i].at("why_not").is_null());
    EXPECT_LE(rows[i].at("p10_ms").get<double>(), rows[i].at("p90_ms").get<double>());
  }
}

TEST_F(Handover, WhatHeldClocksBackMeanwhileIsTold) {
  TempFolder root;
  WriteBoardTree("rk3399", root);
  request_.clocks = {root, TANDEM_FAKE_NVML};
  const nlohmann::json json = Json();
  EXPECT_EQ(json.at("held_back"), "thermal-cpufreq-1 held clocks back for the heat");
  EXPECT_EQ(json.at("heat").at("cpu-thermal"), "83 C");
}

TEST_F(Handover, OnlyCopiesCopyAndTheyAloneReadTheUnitsMemory) {
  request_.modes = {HandoverMode::kCopy};
  (void)Json();
  EXPECT_EQ(card_.calls().copies.load(), 2 * card_.calls().runs.load());
  EXPECT_EQ(card_.calls().host_reads + card_.calls().host_writes, 0);
  const int copies = card_.calls().copies, runs = card_.calls().runs;
  request_.modes = {HandoverMode::kZeroCopy};
  (void)Json();
  EXPECT_EQ(card_.calls().copies.load(), copies);
  EXPECT_EQ(card_.calls().host_reads.load(), card_.calls().runs - runs);
  EXPECT_EQ(card_.calls().host_writes.load(), card_.calls().host_reads.load());
}

TEST_F(Handover, EnergyIsOfOneImage) {
  const nlohmann::json json = Json();
  for (const auto& row : json.at("rows")) {
    // 10 W, and 0.1 s for each look at the clock; the draw is the same while nothing runs.
    EXPECT_GT(row.at("energy_j").get<double>(), 0);
    EXPECT_NEAR(row.at("energy_above_idle_j").get<double>(), 0, 1e-6);
    EXPECT_EQ(row.at("sensors"), "fake");
    EXPECT_TRUE(row.at("why_no_energy").is_null());
  }
}

TEST_F(Handover, WithoutASensorEnergyIsNullAndTheReasonIsSaid) {
  board_.covers = "cpu";
  const nlohmann::json json = Json();
  for (const auto& row : json.at("rows")) {
    EXPECT_TRUE(row.at("energy_j").is_null());
    EXPECT_TRUE(row.at("sensors").is_null());
    EXPECT_FALSE(row.at("why_no_energy").is_null());
    EXPECT_EQ(row.at("samples"), 23);
  }
}

TEST_F(Handover, WhatAUnitHasNotIsSaidInItsRow) {
  card_.has_managed = false;
  request_.modes = {HandoverMode::kCopy, HandoverMode::kManaged};
  const HandoverResult result = CompareHandovers(request_, *meter_, nullptr, card_.Found());
  const nlohmann::json json = nlohmann::json::parse(HandoverJson(result));
  const nlohmann::json& managed = json.at("rows")[2];
  EXPECT_EQ(managed.at("why_not"), "the unit has no managed memory");
  EXPECT_EQ(managed.at("samples"), 0);
  EXPECT_TRUE(managed.at("median_ms").is_null());
  const std::string text = HandoverText(result, 120);
  EXPECT_NE(text.find("gpu, managed: the unit has no managed memory"), std::string::npos) << text;
  EXPECT_NE(text.find("+0 %"), std::string::npos) << text;
}

TEST_F(Handover, UnitsOfTheHostsMemoryAloneCannotBeCompared) {
  request_.unit = "cpu";
  EXPECT_EQ(FailureOf([&] { (void)Json(); }),
            "there is nothing to compare: unit \"cpu\" works from the host's memory, so that images are not "
            "handed over; `tandem-device info` says which processors are off, and why");
  request_.unit = "gqu";
  EXPECT_EQ(ErrorOf([&] { (void)Json(); }),
            "--unit: no unit \"gqu\" in platform \"board\"; did you mean \"gpu\"?");
}

TEST_F(Handover, WhatWasMeasuredUntilAnInterruptionIsKept) {
  int left = 6;
  const nlohmann::json json =
      Json([&](const std::string&, std::int64_t, std::int64_t) { return --left > 0; });
  EXPECT_EQ(json.at("complete"), false);
  std::int64_t samples = 0;
  for (const auto& row : json.at("rows")) samples += row.at("samples").get<std::int64_t>();
  EXPECT_EQ(samples, 50) << "five turns of ten images";
}

}  // namespace
}  // namespace tandem
