#include "profiles/version.h"

namespace tandem {

std::string_view Version() { return TANDEM_VERSION; }

}  // namespace tandem
