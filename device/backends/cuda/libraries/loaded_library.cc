#include "device/backends/cuda/libraries/loaded_library.h"

#include <dlfcn.h>

namespace tandem::gpu {
namespace {

void* Open(const std::string& name, const std::string& built_with) {
  if (void* const handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  const std::string beside = built_with.substr(0, built_with.rfind('/') + 1) + name;
  return ::dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

LoadedLibrary::LoadedLibrary(const std::string& name, const std::string& built_with)
    : name_(name), handle_(Open(name, built_with)) {}

void* LoadedLibrary::Find(const char* name) {
  void* const symbol = handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
  if (symbol == nullptr && missing_.empty()) missing_ = name_ + " has no " + name;
  return symbol;
}

}  // namespace tandem::gpu
