// A folder of a test's own, empty at first and gone with it.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

namespace tandem {

class TempFolder : public std::filesystem::path {
 public:
  TempFolder()
      : path(std::filesystem::temp_directory_path() /
             ("tandem_test_" + std::to_string(::getpid()) + "_" + std::to_string(made_++))) {
    std::filesystem::create_directories(*this);
  }
  ~TempFolder() { std::filesystem::remove_all(*this); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

 private:
  static inline std::atomic<int> made_ = 0;
};

}  // namespace tandem
