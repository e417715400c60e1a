#include "sim/board/device_client.h"

#include <algorithm>
#include <system_error>

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/table.h"
#include "profiles/program/program.h"
#include "sim/board/files_to_send.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

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

StoreAnswer ReadStored(const DeviceAnswer& answer, const std::string& command) {
  if (answer.status != kExitDone) {
    throw EnvironmentError(command + " store: files could not be sent to the device (status " +
                           std::to_string(answer.status) + ")");
  }
  return ReadAnswer(answer, "store", [](const JsonReader& root) { return ReadStoreAnswer(root); });
}

}  // namespace

KeptFiles::KeptFiles(std::optional<fs::path> folder) : folder_(std::move(folder)) {
  if (!folder_) return;
  std::error_code error;
  fs::create_directories(*folder_, error);
  if (error) throw EnvironmentError(folder_->string() + ": " + error.message());
}

void KeptFiles::Write(const std::string& name, const std::string& text) const {
  if (folder_) WriteFile(*folder_ / name, text);
}

DeviceAnswer DeviceClient::Ask(const std::vector<std::string>& arguments, const std::string& input) const {
  DeviceAnswer answer = program_.Run(arguments, {input, {}, {}}, onlooker_.go_on);
  const std::string what = program_.command() + Words(arguments);
  if (answer.status == kExitBadInput) throw InputError(what + ": the device found its input wrong");
  const bool told = answer.status == kExitDone || answer.status == kExitNo;
  if (told && !answer.output.empty()) return answer;
  if (!answer.output.empty() && (answer.status == kExitFailed || answer.status == kExitInterrupted))
    return answer;
  throw EnvironmentError(what + (answer.status > 128
                                     ? ": ended by signal " + std::to_string(answer.status - 128)
                                     : ": ended with status " + std::to_string(answer.status) +
                                           (answer.output.empty() ? " and no answer" : "")));
}

std::vector<std::string> DeviceClient::WithFilesOf(const std::string& order,
                                                   std::vector<std::string> arguments) const {
  if (program_.is_here()) return arguments;
  StoreOrder offer{FilesNamedIn(order), {}};
  if (offer.files.empty()) return arguments;
  const DeviceAnswer told = program_.Run({"store"}, {StoreOrderText(offer), {}, {}}, onlooker_.go_on);
  if (told.status == kExitBadInput && told.output.empty()) {
    WriteError("tandem: " + program_.command() +
               " knows no command `store`: it has to have the models at the "
               "same paths as here\n");
    return arguments;
  }
  StoreAnswer answer = ReadStored(told, program_.command());
  if (!answer.lacks.empty()) Send(offer, answer);
  if (!answer.name.empty()) arguments.insert(arguments.end(), {"--sent", answer.name});
  return arguments;
}

void DeviceClient::Send(StoreOrder& offer, StoreAnswer& answer) const {
  DeviceInput input;
  std::int64_t total = 0;
  std::string names;
  offer.follow = answer.lacks;
  for (const std::string& hash : answer.lacks) {
    const auto same = [&](const OfferedFile& file) { return file.sha256 == hash; };
    const auto file = std::find_if(offer.files.begin(), offer.files.end(), same);
    if (file == offer.files.end()) throw EnvironmentError("the device lacks a file that nobody offered");
    input.files.push_back(file->path);
    total += file->bytes;
    names += (names.empty() ? "" : ", ") + fs::path(file->path).filename().string();
  }
  WriteError("tandem: sends the device " + Counted(static_cast<std::int64_t>(input.files.size()), "file") +
             " of the models, " + Grouped((total + 1023) / 1024) + " KiB: " + names + "\n");
  input.text = StoreOrderText(offer);
  input.told = [&](std::int64_t sent) { onlooker_.progress("sending models", sent, total); };
  answer = ReadStored(program_.Run({"store"}, input, onlooker_.go_on), program_.command());
  onlooker_.progress("sending models", total, total);
  if (!answer.lacks.empty()) throw EnvironmentError("the device does not keep the files that it is sent");
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

Profile DeviceClient::AskProfile(const ProfileOrder& request, bool resume) const {
  const std::string text = ProfileOrderJson(request);
  kept_.Write("profile-request.json", text);
  std::vector<std::string> question = {"profile"};
  if (resume) question.push_back("--resume");
  const DeviceAnswer answer = Ask(WithFilesOf(text, question), text);
  kept_.Write("measured.profile.json", answer.output);
  if (answer.status != kExitDone && answer.status != kExitNo) {
    throw EnvironmentError(
        "the device ended before everything was measured; --resume goes on with what it has");
  }
  return ReadAnswer(answer, "profile", [](const JsonReader& root) { return ReadProfile(root); });
}

DeviceRunAnswer DeviceClient::AskRuns(const std::string& request) const {
  kept_.Write("run-request.json", request);
  const DeviceAnswer answer = Ask(WithFilesOf(request, {"run", "--json"}), request);
  kept_.Write("run-result.json", answer.output);
  return {ReadAnswer(answer, "run", [](const JsonReader& root) { return ReadRunAnswer(root); }),
          answer.status};
}

}  // namespace tandem
