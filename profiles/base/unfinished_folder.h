// A folder that is written under a temporary name, to be renamed when it is whole.
#pragma once

#include <filesystem>

namespace tandem {

// Makes it where nothing is, and is gone with all that is in it unless it was renamed. So it is where a
// signal ends the program (RemoveUnfinishedFiles). One at a time.
class UnfinishedFolder {
 public:
  explicit UnfinishedFolder(std::filesystem::path path);  // throws EnvironmentError
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;
  ~UnfinishedFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A handler may call it.
void RemoveUnfinishedFolder();

}  // namespace tandem
