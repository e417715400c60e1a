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
#include "profiles/base/unfinished_folder.h"
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

// Of a process that was killed while it wrote, which may have had this one's number.
bool IsLeftBehind(const std::string& name, const std::string& start) {
  if (!name.starts_with(start)) return false;
  pid_t owner = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + start.size(), end, owner);
  if (read.ec != std::errc() || read.ptr != end || owner <= 0) return false;
  return owner == ::getpid() || (::kill(owner, 0) != 0 && errno == ESRCH);
}

// "out/" and "out/." are "out".
fs::path WithoutEnd(fs::path folder) {
  while (folder.has_parent_path() && folder != folder.root_path() &&
         (!folder.has_filename() || folder.filename() == ".")) {
    folder = folder.parent_path();
  }
  return folder;
}

// Where all is written first. Of a folder that is new it becomes that folder itself; else it lies within, so
// that what is in it can be renamed into that, whatever is mounted there.
class PartFolder {
 public:
  explicit PartFolder(const fs::path& folder)
      : folder_(WithoutEnd(folder)), is_new_(IsNew(folder_)), part_(Beginning(folder_, is_new_)) {}

  const fs::path& path() const { return part_.path(); }

  void BecomeTheFolder(const std::vector<EmittedFile>& files) const {
    if (!is_new_) return MoveAll(files);
    std::error_code error;
    fs::rename(path(), folder_, error);
    if (error) Fail(folder_, error);
  }

 private:
  static bool IsNew(const fs::path& folder) {
    std::error_code ignored;
    return !fs::exists(folder, ignored);
  }
  // Clears what is left behind, too.
  static fs::path Beginning(const fs::path& folder, bool is_new) {
    const fs::path in = is_new ? folder.parent_path() : folder;
    const std::string start = (is_new ? folder.filename().string() : "") + std::string(kPart);
    if (!in.empty()) MakeFolder(in);
    std::error_code ignored;
    std::vector<fs::path> dead;
    for (const auto& entry : fs::directory_iterator(in.empty() ? "." : in, ignored)) {
      if (!IsLeftBehind(entry.path().filename().string(), start)) continue;
      if (entry.is_directory(ignored)) dead.push_back(entry.path());
    }
    for (const fs::path& path : dead) fs::remove_all(path, ignored);
    return in / (start + std::to_string(::getpid()));
  }

  // Without the plan, which comes last, nobody takes what is there for whole.
  void MoveAll(const std::vector<EmittedFile>& files) const {
    for (const EmittedFile& file : files) {
      ExpectNoLinks(fs::path(file.path).parent_path());
      MakeFolder((folder_ / file.path).parent_path());
    }
    std::error_code error;
    fs::remove(folder_ / kEmittedPlan, error);
    if (error) Fail(folder_ / kEmittedPlan, error);
    for (const EmittedFile& file : files) {
      if (file.path != kEmittedPlan) Move(file.path);
    }
    Move(kEmittedPlan);
  }
  // What leads out of the folder that was named is not written through.
  void ExpectNoLinks(const fs::path& within) const {
    fs::path folder = folder_;
    for (const fs::path& part : within) {
      folder /= part;
      std::error_code ignored;
      if (!fs::is_symlink(fs::symlink_status(folder, ignored))) continue;
      throw InputError(folder.string() + ": is a link, which may lead out of the folder: remove it first");
    }
  }
  void Move(const std::string& file) const {
    std::error_code error;
    fs::rename(path() / file, folder_ / file, error);
    if (error) Fail(folder_ / file, error);
  }

  fs::path folder_;
  bool is_new_;
  UnfinishedFolder part_;
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
  part.BecomeTheFolder(emitted.files);
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
