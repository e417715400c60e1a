// Are files as large as docs/security.md says, and no larger?
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>

#include "profiles/base/json_reader.h"
#include "profiles/dumps/times_table.h"
#include "profiles/model/model_source.h"
#include "scenarios/scenario/arrival_file.h"
#include "sim/engine/simgrid_platform.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// What the page has in backquotes, "trace/1" or ".onnx", and the MiB of its row.
std::map<std::string, std::int64_t> SizesOfThePage() {
  std::ifstream page(TANDEM_TEST_DIR "/../docs/security.md");
  static const std::regex row(R"(\| (.*?) \| ([0-9,]+) \|.*)"), quoted("`([^`]+)`");
  std::map<std::string, std::int64_t> sizes;
  std::string line;
  for (std::smatch cells; std::getline(page, line);) {
    if (!std::regex_match(line, cells, row)) continue;
    std::string number = cells[2], names = cells[1];
    std::erase(number, ',');
    for (std::sregex_iterator name(names.begin(), names.end(), quoted), end; name != end; ++name) {
      sizes[(*name)[1]] = std::stoll(number);
    }
  }
  return sizes;
}

// Nothing but its first block is there.
fs::path LargeFile(const fs::path& file, std::int64_t mib, const std::string& beginning = "") {
  std::ofstream(file) << beginning;
  fs::resize_file(file, static_cast<std::uintmax_t>(mib) << 20);
  return file;
}

void ReadCaffeWeightsOf(const fs::path& file) {
  const fs::path net = file.parent_path() / "net.prototxt";
  std::ofstream(net) << "input: 'data' input_shape { dim: 1 dim: 3 }\n"
                        "layer { name: 'f' type: 'InnerProduct' bottom: 'data' top: 'f' "
                        "inner_product_param { num_output: 2 } }\n";
  ImportOptions options;
  options.weights = file;
  ImportModel(net, options);
}

// By how the page calls them.
const std::map<std::string, std::function<void(const fs::path&)>>& Readers() {
  static const auto model = [](const fs::path& file) { ImportModel(file); };
  static const std::map<std::string, std::function<void(const fs::path&)>> readers = {
      {".csv", [](const fs::path& file) { ReadTimesTable(file, {}); }},
      {".txt", [](const fs::path& file) { ReadTraceFile(file, false); }},
      {".prototxt", model},
      {".onnx", model},
      {".tflite", model},
      {".caffemodel", ReadCaffeWeightsOf},
      {".xml", [](const fs::path& file) { ReadSimGridPlatform(file); }}};
  return readers;
}

bool IsOfAFormatThatIsLeftOut(const std::string& suffix) {
  const std::string formats = ModelFormats();
  const std::string needed = suffix == ".caffemodel" ? ".prototxt" : suffix;
  const bool model = needed == ".prototxt" || needed == ".onnx" || needed == ".tflite";
  return model && formats.find(needed) == std::string::npos;
}

TEST(SizesOfFiles, AreThoseOfThePage) {
  const TempFolder folder;
  const auto sizes = SizesOfThePage();
  std::size_t suffixes = 0, kinds = 0;
  for (const auto& row : sizes) {
    const std::string& name = row.first;
    const std::int64_t mib = row.second;
    const bool suffix = name.starts_with('.');
    (suffix ? suffixes : kinds) += 1;
    if (IsOfAFormatThatIsLeftOut(name)) continue;
    const std::string beginning = suffix ? "" : R"({"tandem": ")" + name + '"';
    const fs::path file = LargeFile(folder / ("large" + (suffix ? name : ".json")), mib + 1, beginning);
    const std::string refused =
        ErrorOf([&] { suffix ? Readers().at(name)(file) : (void)JsonDocument::ReadFile(file); });
    EXPECT_NE(refused.find("is larger than " + std::to_string(mib) + " MiB"), std::string::npos)
        << name << ": " << refused;
    fs::remove(file);
  }
  EXPECT_EQ(suffixes, Readers().size());
  EXPECT_EQ(kinds, 7U);
}

}  // namespace
}  // namespace tandem
