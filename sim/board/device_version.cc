#include "sim/board/device_version.h"

#include <optional>
#include <utility>

#include "profiles/base/suggest.h"
#include "profiles/program/program.h"
#include "profiles/program/version.h"
#include "sim/board/ssh_command.h"

namespace tandem {
namespace {

constexpr const char* kOneRelease = "install one release on both (docs/packages.md)";

std::optional<JsonReader> Under(const std::optional<JsonReader>& object, std::string_view key) {
  return object && object->IsObject() ? object->Find(key) : std::nullopt;
}

// "0.1" of "0.1.7".
std::string_view ReleaseOf(std::string_view version) {
  const std::size_t minor = version.find('.');
  return minor == std::string_view::npos ? version : version.substr(0, version.find('.', minor + 1));
}

}  // namespace

std::string VersionIn(const JsonReader& answer) {
  const std::optional<JsonReader> root = answer;
  for (const auto& place :
       {Under(root, "versions"), Under(root, "libraries"), Under(Under(root, "origin"), "libraries")}) {
    const auto version = Under(place, "tandem");
    if (version && version->IsString()) return std::string(version->String());
  }
  return "";
}

std::string VersionSaidBy(const DeviceProgram& program, const std::function<bool()>& go_on) {
  constexpr std::string_view kProgram = "tandem-device ";
  const DeviceAnswer answer = program.Silent().Run({"--version"}, {}, go_on);
  const std::string_view said = answer.output;
  if (answer.signal != 0 || answer.status != kExitDone || !said.starts_with(kProgram)) return "";
  return std::string(said.substr(kProgram.size(), said.find('\n') - kProgram.size()));
}

bool AreOneRelease(std::string_view one, std::string_view other) {
  return ReleaseOf(one) == ReleaseOf(other);
}

void DeviceVersion::Heard(const std::string& version) {
  if (!version.empty()) version_ = version;
}

bool DeviceVersion::Differs() const { return known() && !AreOneRelease(version_, Version()); }

std::string DeviceVersion::Warning(const std::string& command) const {
  if (!Differs()) return "";
  const std::string board = BoardNamedBy(command);
  return command + " is tandem-device " + version_ + " and this is tandem " + std::string(Version()) +
         ": their figures may not mean the same; " + kOneRelease +
         (board.empty() ? "" : ", `tandem boards install " + board + "` brings this one");
}

std::string DeviceVersion::FirstWarning(const std::string& command) {
  return std::exchange(told_, true) ? "" : Warning(command);
}

std::string DeviceVersion::Hint() const {
  if (!Differs()) return "";
  return "; it is tandem-device " + version_ + " and this is tandem " + std::string(Version()) +
         ", which may be why: " + kOneRelease;
}

std::string OtherKindThan(std::string_view expected, const JsonReader& answer) {
  const auto kind = Under(answer, "tandem");
  if (!kind || !kind->IsString() || kind->String() == expected) return "";
  const std::string_view found = kind->String(), name = expected.substr(0, expected.find('/') + 1);
  if (name.empty() || !found.starts_with(name)) return "";
  const std::string version = VersionIn(answer);
  return "it answers with a " + Quoted(found) + (version.empty() ? "" : " (tandem-device " + version + ")") +
         ", and this tandem " + std::string(Version()) + " reads " + Quoted(expected) + ": " + kOneRelease;
}

}  // namespace tandem
