#include "profiles/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tandem {

void CheckFailed(const char* rule, const char* condition, const char* file, int line) {
  std::fprintf(stderr, "tandem: a rule of its own is broken: %s\n  %s\n  %s:%d\n", rule, condition, file,
               line);
  std::abort();
}

}  // namespace tandem
