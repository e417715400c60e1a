// Is everything that is tested watched by a sanitizer, and so several times as slow? The tests themselves
// need not be.
#pragma once

namespace tandem {

#ifdef TANDEM_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace tandem
