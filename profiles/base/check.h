// An always-on check of the program's own rules. A broken rule is a bug of tandem, never of its input: what a
// user can get wrong throws InputError instead.
#pragma once

namespace tandem {

[[noreturn]] void CheckFailed(const char* rule, const char* condition, const char* file, int line);

}  // namespace tandem

// TANDEM_CHECK(index < size, "a layer id stays inside its model");
#define TANDEM_CHECK(condition, rule) \
  ((condition) ? static_cast<void>(0) : ::tandem::CheckFailed((rule), #condition, __FILE__, __LINE__))
