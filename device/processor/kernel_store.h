// Kernels that several commands choose together: a profile without times, which each takes from what is known
// and adds to what it chose. What it has is of a library, a card and a driver, so nothing that does not hold
// is taken elsewhere.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiles/costs/profile.h"

namespace tandem {

class KernelStore {
 public:
  // What is in the file; where there is none, nothing is known. Empty: no file. Throws InputError.
  explicit KernelStore(std::filesystem::path file);

  std::vector<KernelEntry>& entries() { return profile_.kernels; }
  // The file is there whole or as it was. Does nothing where there is no file.
  void Write(const std::string& platform);

 private:
  std::filesystem::path file_;
  Profile profile_;
};

}  // namespace tandem
