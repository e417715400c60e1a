// Room sim/board: the client of tandem-device: orders out, answers in, over any command.
//
// What `tandem validate` asks of the board's program, one process per question, and what it answers.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/costs/platform.h"
#include "profiles/costs/profile.h"
#include "scenarios/exchange/profile_order.h"
#include "scenarios/exchange/run_answer.h"
#include "scenarios/exchange/run_order.h"
#include "scenarios/exchange/store_order.h"
#include "sim/board/device_program.h"
#include "sim/board/device_version.h"

namespace tandem {

// What may be kept, and of which question and answer it is.
struct KeptFile {
  enum Of : std::uint8_t { kPlatform, kProfile, kRuns, kPick };
  std::string_view name, kind;
  Of of;
};
inline constexpr std::array<KeptFile, 10> kKeptFiles = {
    {{"device.platform.json", "platform/1", KeptFile::kPlatform},
     {"profile-request.json", "profile-request/1", KeptFile::kProfile},
     {"measured.profile.json", "profile/1", KeptFile::kProfile},
     {"predicted.trace.json", "trace/1", KeptFile::kRuns},
     {"run-request.json", "run-request/1", KeptFile::kRuns},
     {"run-result.json", "run-result/1", KeptFile::kRuns},
     {"run-result-1.json", "run-result/1", KeptFile::kRuns},  // and more: runs of one that was cut short
     {"measured.trace.json", "trace/1", KeptFile::kRuns},
     {"calibration.json", "calibration/1", KeptFile::kRuns},
     {"picked.plan.json", "plan/1", KeptFile::kPick}}};

// Where what passes between the two is kept; nothing where nobody asked for it.
class KeptFiles {
 public:
  explicit KeptFiles(std::optional<std::filesystem::path> folder);   // made where there is none
  void Write(std::string_view name, const std::string& text) const;  // one of kKeptFiles, or a finished run's
  void WriteProfile(std::string_view name, Profile profile) const;  // its models as they are found from there
  void Remove(const std::string& name) const;

 private:
  std::optional<std::filesystem::path> folder_;
};

// The device could not do all that it was asked for; it has said why itself.
struct DeviceRunAnswer {
  RunAnswer result;
  int status = 0;  // the program's: 0, 1, or why not everything was run
};

// Who waits for the device.
struct Onlooker {
  std::function<bool()> go_on;  // as of DeviceProgram::Run
  // How far something is; it is over where `done` is `total`.
  std::function<void(const std::string& what, std::int64_t done, std::int64_t total)> progress;
  std::function<void(const RunAnswer&)> ran = {};       // what the device has finished since; may be empty
  std::function<void(const std::string&)> warned = {};  // of another release there; empty: on standard error
  // The program cannot be started: the command that does, if there is one by now; may be empty.
  std::function<std::optional<std::string>(const DeviceProgram&)> missing = {};
};

class DeviceClient {
 public:
  DeviceClient(DeviceProgram program, KeptFiles kept, Onlooker onlooker)
      : program_(std::move(program)), kept_(std::move(kept)), onlooker_(std::move(onlooker)) {}

  // All throw InputError where the device found its input wrong, and EnvironmentError where it failed or
  // answered with something else.
  Platform AskPlatform(std::int64_t parts) const;  // so many CPU units of the cores that are alike
  // `resume`: goes on with what the device kept of the same question when it was cut short.
  // `more`: arguments for its program.
  Profile AskProfile(const ProfileOrder& request, bool resume,
                     const std::vector<std::string>& more = {}) const;
  // Runs that were cut short are in the result. What a device that is lost has told of is there, with the
  // status of one that failed.
  DeviceRunAnswer AskRuns(const RunOrderToWrite& order, const std::vector<std::string>& more = {}) const;

 private:
  DeviceAnswer Start(const std::vector<std::string>& arguments, const DeviceInput& input,
                     const std::function<void(std::string_view)>& heard = nullptr) const;
  DeviceAnswer Ask(const std::vector<std::string>& arguments, const std::string& input) const;
  // Throws where there is no answer that could be read.
  void CheckAnswer(const DeviceAnswer& answer, const std::string& what) const;
  // An answer that cannot be read is the device's fault, not the user's. `kind`: of file, if it is of one.
  template <class Read>
  auto ReadAnswer(std::string_view answer, const std::string& name, std::string_view kind, Read read) const;
  RunAnswer ReadRuns(std::string_view record) const;
  StoreAnswer ReadStored(const DeviceAnswer& answer) const;
  void WarnOfVersion() const;
  std::string HintAtVersion() const;  // asks for it where it is not known
  // `arguments`, and the name under which the device has the files that the order names, where it could not
  // see them. They are sent, those that it lacks.
  std::vector<std::string> WithFilesOf(const std::string& order, std::vector<std::string> arguments) const;
  void Send(StoreOrder& offer, StoreAnswer& answer) const;

  mutable DeviceProgram program_;  // another one where the first was missing
  KeptFiles kept_;
  Onlooker onlooker_;
  mutable DeviceVersion version_;  // learnt from the answers
};

}  // namespace tandem
