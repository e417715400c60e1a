// Do boards get the files that an order is about, and no others?
#include "sim/board/files_to_send.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiles/base/files.h"
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

// A profile may come from a stranger, or from the board that asks for the file in this way.
TEST_F(FilesToSend, AreNotThoseThatAProfileAloneNames) {
  EXPECT_EQ(
      Sent(Scenario(R"({"entries": [{"model": ")" + Path("secret") + R"("}], "co_running": [{"model": ")" +
                    Path("secret") + R"(", "beside_model": ")" + Path("secret") + R"("}]})")),
      (std::vector<std::string>{"net.json", "times.csv"}));
}

}  // namespace
}  // namespace tandem
