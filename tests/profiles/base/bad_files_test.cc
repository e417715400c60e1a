// Does every kind of mistake in a platform or a profile get its own message, at its own place?
// tests/bad/NAME.json has one mistake, tests/bad/NAME.message what is said of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/costs/platform.h"
#include "profiles/costs/profile.h"
#include "profiles/dumps/mapping.h"
#include "profiles/estimate/spec.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::string MessageFor(const fs::path& path, void (*read)(const JsonReader&)) {
  try {
    read(JsonDocument::Parse(ReadTextFile(path), path.filename().string()).root());
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

void ExpectMessages(const std::string& prefix, std::size_t at_least, void (*read)(const JsonReader&)) {
  std::size_t count = 0;
  fs::current_path(fs::path(TANDEM_TEST_DIR) / "bad");  // messages name files as a user there would
  for (const auto& file : fs::directory_iterator(".")) {
    const fs::path& path = file.path();
    if (path.extension() != ".json" || !path.filename().string().starts_with(prefix)) continue;
    ++count;
    EXPECT_EQ(MessageFor(path, read) + "\n", ReadTextFile(fs::path(path).replace_extension(".message")))
        << path;
  }
  EXPECT_GE(count, at_least);
}

TEST(BadFiles, EveryBadPlatformHasItsMessage) {
  ExpectMessages("platform_", 20, [](const JsonReader& value) { (void)ReadPlatform(value); });
}

TEST(BadFiles, EveryBadProfileHasItsMessage) {
  ExpectMessages("profile_", 70, [](const JsonReader& value) { CheckProfile(ReadProfile(value)); });
}

TEST(BadFiles, EveryBadEstimateHasItsMessage) {
  ExpectMessages("estimate_", 5, [](const JsonReader& value) { (void)ReadEstimateSpec(value); });
}

TEST(BadFiles, EveryBadLayerMapHasItsMessage) {
  ExpectMessages("layer_map_", 3, [](const JsonReader& value) { (void)ReadLayerMap(value); });
}

}  // namespace
}  // namespace tandem
