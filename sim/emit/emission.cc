#include "sim/emit/emission.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "profiles/base/check.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"
#include "profiles/base/time.h"
#include "sim/emit/left_out.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 12;  // files, in words

const EmitterDeclaration& TargetNamed(const std::string& name) {
  if (const EmitterDeclaration* found = FindEmitter(name)) return *found;
  std::vector<std::string> known;
  for (const EmitterDeclaration& emitter : Emitters()) known.push_back(emitter.name);
  throw InputError("--emit: there is no target " + Quoted(name) + Suggestion(name, known));
}

[[noreturn]] void Fail(const fs::path& path, const std::error_code& error) {
  throw EnvironmentError(path.string() + ": cannot be written: " + error.message());
}

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) Fail(folder, error);
}

constexpr std::string_view kPart = ".part";

// Of a process that was killed while it wrote.
bool IsLeftBehind(const std::string& name) {
  if (!name.starts_with(kPart)) return false;
  pid_t owner = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + kPart.size(), end, owner);
  return read.ec == std::errc() && read.ptr == end && owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH;
}

// In the folder, so that what is in it can be renamed into that, whatever is mounted there; gone at the end,
// and with it the folder where that is new and stays empty.
class PartFolder {
 public:
  explicit PartFolder(const fs::path& folder)
      : folder_(folder), path_(folder / (std::string(kPart) + std::to_string(::getpid()))) {
    std::error_code ignored;
    is_new_ = !fs::exists(folder_, ignored);
    MakeFolder(folder_);
    ClearWhatIsLeftBehind();
    MakeFolder(path_);
  }
  PartFolder(const PartFolder&) = delete;
  PartFolder& operator=(const PartFolder&) = delete;
  ~PartFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    if (is_new_) fs::remove(folder_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  void ClearWhatIsLeftBehind() const {
    std::error_code ignored;
    std::vector<fs::path> dead;
    for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
      if (IsLeftBehind(entry.path().filename().string())) dead.push_back(entry.path());
    }
    for (const fs::path& path : dead) fs::remove_all(path, ignored);
  }

  fs::path folder_, path_;
  bool is_new_ = false;
};

void WriteOne(const EmittedFile& file, const fs::path& folder) {
  const fs::path to = folder / file.path;
  MakeFolder(to.parent_path());
  if (file.write) {
    file.write(to);
  } else {
    WriteFile(to, file.text);
  }
  if (!file.executable) return;
  std::error_code error;
  fs::permissions(to, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, error);
  if (error) Fail(to, error);
}

void MoveAll(const std::vector<EmittedFile>& files, const fs::path& from, const fs::path& to) {
  for (const EmittedFile& file : files) MakeFolder((to / file.path).parent_path());
  for (const EmittedFile& file : files) {
    std::error_code error;
    fs::rename(from / file.path, to / file.path, error);
    if (error) Fail(to / file.path, error);
  }
}

// Those with something of their owner's in them.
void KeepWhatStays(std::vector<EmittedFile>& files, const fs::path& folder) {
  std::erase_if(files, [&](const EmittedFile& file) {
    std::error_code error;
    return file.stays && fs::is_regular_file(folder / file.path, error);
  });
}

void RefuseInput(const fs::path& path) {
  for (const fs::path& input : FilesRead()) {
    std::error_code error;
    if (!fs::equivalent(input, path, error) || error) continue;
    throw InputError(path.string() +
                     ": is an input of this command, which --emit would overwrite; give -o another folder");
  }
}

bool StaysBelow(const std::string& path) {
  const fs::path plain = fs::path(path).lexically_normal();
  return plain.is_relative() && !plain.empty() && *plain.begin() != "..";
}

}  // namespace

Emission::Emission(const std::string& target, fs::path folder, bool force)
    : target_(&TargetNamed(target)), folder_(std::move(folder)), force_(force) {
  if (folder_.empty()) throw InputError("--emit: needs a folder to write to: -o DIR");
  if (IsStandardStream(folder_)) throw InputError("--emit: writes a folder, which -o - is not: -o DIR");
  std::error_code error;
  if (fs::exists(folder_, error) && !fs::is_directory(folder_, error)) {
    throw InputError(folder_.string() + ": is a file, and --emit writes a folder; give -o another name");
  }
  RefuseLoss({kEmittedPlan, kNotExpressed});
}

void Emission::RefuseLoss(const std::vector<std::string>& files) const {
  for (const std::string& file : files) {
    std::error_code error;
    const fs::path path = folder_ / file;
    if (!fs::exists(fs::symlink_status(path, error))) continue;
    if (fs::is_directory(path, error)) {
      throw InputError(path.string() + ": is a folder, where --emit writes a file");
    }
    RefuseInput(path);
    if (!force_) {
      throw InputError(path.string() + ": is there already, and --emit would replace it; --force does it");
    }
  }
}

void Emission::Write(const Deployment& deployment, std::string plan_json) {
  Emitted emitted = EmittedBy(*target_, deployment);
  emitted.Add(kEmittedPlan, std::move(plan_json));
  for (const EmittedFile& file : emitted.files) files_.push_back(file.path);
  files_.emplace_back(kNotExpressed);
  std::sort(files_.begin(), files_.end());
  TANDEM_CHECK(std::adjacent_find(files_.begin(), files_.end()) == files_.end() &&
                   std::all_of(files_.begin(), files_.end(), StaysBelow),
               "a target writes each file once, and below its folder");
  not_expressed_ = std::move(emitted.not_expressed);
  emitted.Add(kNotExpressed, Page(deployment));
  KeepWhatStays(emitted.files, folder_);
  std::vector<std::string> written;
  for (const EmittedFile& file : emitted.files) written.push_back(file.path);
  RefuseLoss(written);
  const PartFolder part(folder_);
  for (const EmittedFile& file : emitted.files) WriteOne(file, part.path());
  MoveAll(emitted.files, part.path(), folder_);
}

std::string Emission::Page(const Deployment& deployment) const {
  std::string text = "# What " + target_->name + " cannot express\n\n";
  text += "This folder was written by tandem for " + target_->name + ", from the plan of policy `" +
          deployment.plan().policy.label + "` for \"" + deployment.scenario().name + "\" (" + kEmittedPlan +
          ").";
  if (not_expressed_.empty()) return text + " Everything that the plan says is said in it.\n";
  text += " What the plan says and these files do not:\n\n";
  for (const std::string& sentence : not_expressed_) text += "- " + sentence + "\n";
  return text;
}

nlohmann::ordered_json Emission::Json() const {
  return {{"target", target_->name},
          {"folder", folder_.string()},
          {"files", files_},
          {"not_expressed", not_expressed_}};
}

std::string Emission::Text(std::size_t width) const {
  const std::string files =
      files_.size() > kMostNamed ? std::to_string(files_.size()) + " files" : Joined(files_);
  std::string text =
      Wrapped("emitted for " + target_->name + " in " + folder_.string() + ": " + files, width);
  if (not_expressed_.empty()) return text + Wrapped("Nothing of the plan is left out.", width);
  text += "What " + target_->name + " cannot express:\n";
  for (const std::string& sentence : not_expressed_) text += Wrapped("- " + sentence, width);
  return text;
}

}  // namespace tandem
