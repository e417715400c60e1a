#include "profiles/program/version.h"

namespace tandem {

std::string_view Version() { return TANDEM_VERSION; }

std::string CompilerName() {
#ifdef __clang__
  return "clang++ " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

}  // namespace tandem
