#include "sim/board/device_client.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "profiles/base/check.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/table.h"
#include "profiles/costs/model_identity.h"
#include "profiles/program/program.h"
#include "sim/board/files_to_send.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFinishedRun = "run-result-";

std::string Words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " " + word;
  return text;
}

// A status above 128 is one like any other: that of ssh is 255 where there is no connection.
std::string HowItEnded(const DeviceAnswer& answer) {
  return answer.signal != 0 ? "ended by signal " + std::to_string(answer.signal)
                            : "ended with status " + std::to_string(answer.status);
}

// It did not come to an end that it chose itself.
bool IsLost(const DeviceAnswer& answer) {
  if (answer.signal != 0) return true;
  const std::array<int, 5> chosen = {kExitDone, kExitNo, kExitBadInput, kExitFailed, kExitInterrupted};
  return std::find(chosen.begin(), chosen.end(), answer.status) == chosen.end();
}

// Of the results of runs what can be read while others are still to come.
using ReadRecord = std::function<RunAnswer(std::string_view)>;

// The results of runs while others are still to come: a file each, so that nothing that is finished is lost
// with this program.
class FinishedRuns {
 public:
  FinishedRuns(const KeptFiles& kept, const Onlooker& onlooker, std::size_t asked, ReadRecord read)
      : kept_(&kept), onlooker_(&onlooker), asked_(asked), read_(std::move(read)) {}

  void Take(std::string_view so_far) {
    for (std::size_t end; (end = so_far.find(kEndOfRunRecord, looked_)) != std::string_view::npos;) {
      const std::string_view record = so_far.substr(begin_, end - begin_);
      if (files_ > asked_) FailMore();
      kept_->Write(Name(++files_), std::string(record));
      Tell(record);
      begin_ = looked_ = end + 1;
    }
    looked_ = so_far.size();
  }
  bool some() const { return files_ > 0; }
  void Remove() const {
    for (std::size_t file = 1; file <= files_; ++file) kept_->Remove(Name(file));
  }

 private:
  // One without runs stands behind those of all runs.
  [[noreturn]] void FailMore() const {
    throw EnvironmentError("the device's answer is not understood: it tells of more than the " +
                           Counted(static_cast<std::int64_t>(asked_), "run") + " that it was asked for");
  }
  // What cannot be read is found out once all is there.
  void Tell(std::string_view record) const {
    if (!onlooker_->ran) return;
    try {
      onlooker_->ran(read_(record));
    } catch (const EnvironmentError&) {
    }
  }
  static std::string Name(std::size_t file) {
    return std::string(kFinishedRun) + std::to_string(file) + ".json";
  }

  const KeptFiles* kept_;
  const Onlooker* onlooker_;
  std::size_t asked_;  // runs
  ReadRecord read_;
  std::size_t begin_ = 0, looked_ = 0;  // of the record that is coming, and what of it has come
  std::size_t files_ = 0;
};

// What the device notes comes through to our own standard error: --quiet is for it, too.
std::vector<std::string> AsQuiet(std::vector<std::string> question) {
  if (IsQuiet()) question.emplace_back("--quiet");
  return question;
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
  TANDEM_CHECK(std::any_of(kKeptFiles.begin(), kKeptFiles.end(), known) || name.starts_with(kFinishedRun),
               "what is kept has its place in the list");
  if (folder_) WriteFile(*folder_ / name, text);
}

void KeptFiles::WriteProfile(std::string_view name, Profile profile) const {
  if (!folder_) return;
  MoveProfile(profile, *folder_ / name);
  Write(name, ProfileJson(profile));
}

void KeptFiles::Remove(const std::string& name) const {
  std::error_code ignored;
  if (folder_) fs::remove(*folder_ / name, ignored);
}

std::string DeviceClient::HintAtVersion() const {
  if (!version_.known()) version_.Heard(VersionSaidBy(program_, onlooker_.go_on));
  return version_.Hint();
}

void DeviceClient::CheckAnswer(const DeviceAnswer& answer, const std::string& what) const {
  if (answer.signal == 0 && answer.status == kExitBadInput) {
    throw InputError(what + ": the device found its input wrong" + HintAtVersion());
  }
  if (!answer.output.empty() && !IsLost(answer)) return;
  const bool silent = answer.output.empty() && answer.signal == 0;
  throw EnvironmentError(what + ": " + HowItEnded(answer) + (silent ? " and no answer" : ""));
}

template <class Read>
auto DeviceClient::ReadAnswer(std::string_view answer, const std::string& name, std::string_view kind,
                              Read read) const {
  std::string other;
  try {
    const JsonDocument document = JsonDocument::Parse(answer, name);
    version_.Heard(VersionIn(document.root()));
    other = OtherKindThan(kind, document.root());
    if (other.empty()) return read(document.root());
  } catch (const InputError& error) {
    throw EnvironmentError("the device's answer is not understood: " + std::string(error.what()) +
                           version_.Hint());
  }
  throw EnvironmentError("the device's answer is not understood: " + other);
}

RunAnswer DeviceClient::ReadRuns(std::string_view record) const {
  return ReadAnswer(record, "run", "run-result/1",
                    [](const JsonReader& root) { return ReadJudgedRunAnswer(root); });
}

StoreAnswer DeviceClient::ReadStored(const DeviceAnswer& answer) const {
  if (IsLost(answer) || answer.status != kExitDone) {
    throw EnvironmentError(program_.command() +
                           " store: files could not be sent to the device: " + HowItEnded(answer));
  }
  return ReadAnswer(answer.output, "store", "store-result/1",
                    [](const JsonReader& root) { return ReadStoreAnswer(root); });
}

void DeviceClient::WarnOfVersion() const {
  const std::string warning = version_.FirstWarning(program_.command());
  if (warning.empty()) return;
  if (onlooker_.warned) return onlooker_.warned(warning);
  WriteError("tandem: " + warning + "\n");
}

DeviceAnswer DeviceClient::Start(const std::vector<std::string>& arguments, const DeviceInput& input,
                                 const std::function<void(std::string_view)>& heard) const {
  try {
    return program_.Run(arguments, input, onlooker_.go_on, heard);
  } catch (const ProgramMissing&) {
    const auto command = onlooker_.missing ? onlooker_.missing(program_) : std::nullopt;
    if (!command) throw;
    program_ = program_.StartedBy(*command);
  }
  return program_.Run(arguments, input, onlooker_.go_on, heard);
}

DeviceAnswer DeviceClient::Ask(const std::vector<std::string>& arguments, const std::string& input) const {
  DeviceAnswer answer = Start(arguments, {input, {}, {}});
  CheckAnswer(answer, program_.command() + Words(arguments));
  return answer;
}

std::vector<std::string> DeviceClient::WithFilesOf(const std::string& order,
                                                   std::vector<std::string> arguments) const {
  if (program_.is_here()) return arguments;
  StoreOrder offer{FilesNamedIn(order), {}};
  if (offer.files.empty()) return arguments;
  const DeviceAnswer told = Start({"store"}, {StoreOrderText(offer), {}, {}});
  if (told.status == kExitBadInput && told.output.empty()) {
    WriteNote("tandem: " + program_.command() +
              " knows no command `store`: it has to have the models at the "
              "same paths as here\n");
    return arguments;
  }
  StoreAnswer answer = ReadStored(told);
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
  WriteNote("tandem: sends the device " + Counted(static_cast<std::int64_t>(input.files.size()), "file") +
            " of the models, " + Grouped((total + 1023) / 1024) + " KiB: " + names + "\n");
  input.text = StoreOrderText(offer);
  input.told = [&](std::int64_t sent) { onlooker_.progress("sending models", sent, total); };
  answer = ReadStored(Start({"store"}, input));
  onlooker_.progress("sending models", total, total);
  if (!answer.lacks.empty()) throw EnvironmentError("the device does not keep the files that it is sent");
}

Platform DeviceClient::AskPlatform(std::int64_t parts) const {
  std::vector<std::string> question = {"info", "--json"};
  if (parts > 1) question.insert(question.end(), {"--split", std::to_string(parts)});
  const DeviceAnswer answer = Ask(question, "");
  Platform platform = ReadAnswer(answer.output, "info", "", [](const JsonReader& root) {
    const JsonReader found = root.Get("platform");
    if (found.kind() == JsonKind::kNull) throw EnvironmentError("the device offers no unit");
    return ReadPlatform(found);
  });
  WarnOfVersion();
  kept_.Write("device.platform.json", PlatformJson(platform));
  return platform;
}

Profile DeviceClient::AskProfile(const ProfileOrder& request, bool resume,
                                 const std::vector<std::string>& more) const {
  const std::string text = ProfileOrderJson(request);
  kept_.Write("profile-request.json", text);
  std::vector<std::string> question = AsQuiet({"profile"});
  if (resume) question.push_back("--resume");
  question.insert(question.end(), more.begin(), more.end());
  const DeviceAnswer answer = Ask(WithFilesOf(text, question), text);
  kept_.Write("measured.profile.json", answer.output);
  if (answer.status != kExitDone && answer.status != kExitNo) {
    throw EnvironmentError(
        "the device ended before everything was measured; --resume goes on with what it has");
  }
  Profile profile = ReadAnswer(answer.output, "profile", "profile/1",
                               [](const JsonReader& root) { return ReadProfile(root); });
  WarnOfVersion();
  kept_.WriteProfile("measured.profile.json", profile);
  return profile;
}

DeviceRunAnswer DeviceClient::AskRuns(const RunOrderToWrite& order,
                                      const std::vector<std::string>& more) const {
  const std::string request = RunOrderText(order);
  kept_.Write("run-request.json", request);
  std::vector<std::string> asked = AsQuiet({"run", "--json"});
  asked.insert(asked.end(), more.begin(), more.end());
  const std::vector<std::string> question = WithFilesOf(request, asked);
  FinishedRuns finished(kept_, onlooker_, order.plans.size() * static_cast<std::size_t>(order.repeats),
                        [this](std::string_view record) { return ReadRuns(record); });
  const DeviceAnswer answer =
      Start(question, {request, {}, {}}, [&](std::string_view so_far) { finished.Take(so_far); });
  const bool lost = IsLost(answer) && finished.some();
  if (!lost) CheckAnswer(answer, program_.command() + Words(question));
  std::vector<RunAnswer> parts;
  for (const std::string_view record : RunRecords(answer.output)) parts.push_back(ReadRuns(record));
  RunAnswer result = JoinRuns(std::move(parts));
  const std::string of_version = version_.Warning(program_.command());
  if (!of_version.empty()) result.warnings.push_back(of_version);
  kept_.Write("run-result.json", RunAnswerJson(result));
  finished.Remove();
  if (!lost) return {std::move(result), answer.status};
  const bool unwanted = !onlooker_.go_on();  // it was told to end
  result.warnings.push_back((unwanted ? "interrupted after " : "the device was lost after ") +
                            Counted(static_cast<std::int64_t>(result.runs.size()), "run"));
  if (!unwanted) {
    WriteError("tandem: " + program_.command() + Words(question) + ": " + HowItEnded(answer) + "\n");
  }
  return {std::move(result), kExitFailed};
}

}  // namespace tandem
