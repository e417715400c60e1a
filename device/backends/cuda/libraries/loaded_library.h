// A shared library of NVIDIA's that is loaded when it is wanted: the program starts and runs its other
// backends where there is none.
#pragma once

#include <cstring>
#include <string>

namespace tandem::gpu {

class LoadedLibrary {
 public:
  // First as the system finds libraries, then beside the one that this was built with.
  LoadedLibrary(const std::string& name, const std::string& built_with);
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;

  bool there() const { return handle_ != nullptr; }
  // Empty where all that was asked for is there, else "libcudnn.so.9 has no cudnnCreate".
  const std::string& missing() const { return missing_; }

  template <class Function>
  void Get(Function& function, const char* name) {
    void* const symbol = Find(name);
    std::memcpy(&function, &symbol, sizeof function);
  }

 private:
  void* Find(const char* name);

  std::string name_;
  void* handle_;
  std::string missing_;
};

}  // namespace tandem::gpu
