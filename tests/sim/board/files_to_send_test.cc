// Do boards get the files that an order is about, and no others?
#include "sim/board/files_to_send.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiles/base/files.h"
#include "profiles/model/safetensors.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

class FilesToSend : public testing::Test {
 protected:
  FilesToSend() {
    WriteFile(
        folder_ / "net.json",
        R"({"tandem": "model/1", "name": "net", "layers": [{"name": "data", "op": "input", "shape": [1, 4]}]})");
    WriteFile(folder_ / "times.csv", "0\n");
    WriteFile(folder_ / "secret", "not for boards\n");
  }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> Sent(const std::string& order) const {
    std::vector<std::string> names;
    for (const OfferedFile& file : FilesNamedIn(order)) {
      names.push_back(std::filesystem::path(file.path).filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string Scenario(const std::string& profiles) const {
    return R"({"plans": [{"scenario": {"streams": [{"model": ")" + Path("net.json") +
           R"(", "arrival": {"type": "trace", "file": ")" + Path("times.csv") + R"("}}], "profiles": [)" +
           profiles + "]}}]}";
  }

  TempFolder folder_;
};

TEST_F(FilesToSend, AreModelsAndArrivalTimes) {
  EXPECT_EQ(Sent(Scenario("")), (std::vector<std::string>{"net.json", "times.csv"}));
  EXPECT_EQ(Sent(R"({"models": [{"model": ")" + Path("net.json") + R"("}]})"),
            std::vector<std::string>{"net.json"});
}

// A model may come from a stranger, who knows where keys lie.
TEST_F(FilesToSend, AreNotThoseThatAModelCallsItsWeightsAndThatAreNone) {
  const auto model = [&](const std::string& weights) {
    WriteFile(folder_ / "net.json",
              R"({"tandem": "model/1", "name": "net", "layers": [
                  {"name": "data", "op": "input", "shape": [1, 4]},
                  {"name": "f", "op": "fc", "inputs": ["data"], "out_features": 2}], "weights": ")" +
                  weights + R"("})");
    return R"({"models": [{"model": ")" + Path("net.json") + R"("}]})";
  };
  const auto weights = [&](const Shape& shape) {
    const auto numbers = static_cast<std::size_t>(Elements(shape));
    std::filesystem::create_directories(folder_ / "w");
    WriteSafetensors(
        folder_ / "w/net.safetensors",
        {{{"f", "weight"}, {shape, std::vector<float>(numbers, 1)}}, {{"f", "bias"}, {{2}, {0, 0}}}});
  };
  weights({2, 4});
  EXPECT_EQ(Sent(model("w/net.safetensors")), (std::vector<std::string>{"net.json", "net.safetensors"}));
  weights({2, 5});
  EXPECT_EQ(ErrorOf([&] { Sent(model("w/net.safetensors")); }),
            Path("net.json") + ":/weights: " + Path("w/net.safetensors") +
                ": the weight of layer \"f\" has the shape 2x5, its layer needs 2x4");
  EXPECT_EQ(ErrorOf([&] { Sent(model("secret")); }),
            Path("net.json") + ":/weights: " + Path("secret") +
                ": is no safetensors file: it does not begin with the length of its header");
  EXPECT_EQ(Sent(model("none")), std::vector<std::string>{"net.json"}) << "whoever wants them says that";
}

// A profile may come from a stranger, or from the board that asks for the file in this way.
TEST_F(FilesToSend, AreNotThoseThatAProfileAloneNames) {
  EXPECT_EQ(
      Sent(Scenario(R"({"entries": [{"model": ")" + Path("secret") + R"("}], "co_running": [{"model": ")" +
                    Path("secret") + R"(", "beside_model": ")" + Path("secret") + R"("}]})")),
      (std::vector<std::string>{"net.json", "times.csv"}));
}

}  // namespace
}  // namespace tandem
