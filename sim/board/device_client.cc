#include "sim/board/device_client.h"

#include <algorithm>
#include <system_error>

#include "profiles/base/check.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/program/program.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr int kInterrupted = 130;

std::string Words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " " + word;
  return text;
}

// An answer that cannot be read is the device's fault, not the user's.
template <class Read>
auto ReadAnswer(const DeviceAnswer& answer, const std::string& name, Read read) {
  try {
    const JsonDocument document = JsonDocument::Parse(answer.output, name);
    return read(document.root());
  } catch (const InputError& error) {
    throw EnvironmentError("the device's answer is not understood: " + std::string(error.what()));
  }
}

}  // namespace

KeptFiles::KeptFiles(std::optional<fs::path> folder) : folder_(std::move(folder)) {
  if (!folder_) return;
  std::error_code error;
  fs::create_directories(*folder_, error);
  if (error) throw EnvironmentError(folder_->string() + ": " + error.message());
}

void KeptFiles::Write(std::string_view name, const std::string& text) const {
  const auto known = [&](const KeptFile& kept) { return kept.name == name; };
  TANDEM_CHECK(std::any_of(kKeptFiles.begin(), kKeptFiles.end(), known),
               "what is kept has its place in the list");
  if (folder_) WriteFile(*folder_ / name, text);
}

DeviceAnswer DeviceClient::Ask(const std::vector<std::string>& arguments, const std::string& input) const {
  DeviceAnswer answer = program_.Run(arguments, input, go_on_);
  const std::string what = program_.command() + Words(arguments);
  if (answer.status == kExitBadInput) throw InputError(what + ": the device found its input wrong");
  const bool told = answer.status == kExitDone || answer.status == kExitNo;
  if (told && !answer.output.empty()) return answer;
  if (!answer.output.empty() && (answer.status == kExitFailed || answer.status == kInterrupted))
    return answer;
  throw EnvironmentError(what + (answer.status > 128
                                     ? ": ended by signal " + std::to_string(answer.status - 128)
                                     : ": ended with status " + std::to_string(answer.status) +
                                           (answer.output.empty() ? " and no answer" : "")));
}

Platform DeviceClient::AskPlatform(std::int64_t parts) const {
  std::vector<std::string> question = {"info", "--json"};
  if (parts > 1) question.insert(question.end(), {"--split", std::to_string(parts)});
  const DeviceAnswer answer = Ask(question, "");
  Platform platform = ReadAnswer(answer, "info", [](const JsonReader& root) {
    const JsonReader found = root.Get("platform");
    if (found.kind() == JsonKind::kNull) throw EnvironmentError("the device offers no unit");
    return ReadPlatform(found);
  });
  kept_.Write("device.platform.json", PlatformJson(platform));
  return platform;
}

Profile DeviceClient::AskProfile(const ProfileOrder& request) const {
  const std::string text = ProfileOrderJson(request);
  kept_.Write("profile-request.json", text);
  const DeviceAnswer answer = Ask({"profile"}, text);
  kept_.Write("measured.profile.json", answer.output);
  if (answer.status != kExitDone && answer.status != kExitNo) {
    throw EnvironmentError("the device ended before everything was measured");
  }
  return ReadAnswer(answer, "profile", [](const JsonReader& root) { return ReadProfile(root); });
}

DeviceRunAnswer DeviceClient::AskRuns(const std::string& request) const {
  kept_.Write("run-request.json", request);
  const DeviceAnswer answer = Ask({"run", "--json"}, request);
  kept_.Write("run-result.json", answer.output);
  return {ReadAnswer(answer, "run", [](const JsonReader& root) { return ReadRunAnswer(root); }),
          answer.status};
}

}  // namespace tandem
