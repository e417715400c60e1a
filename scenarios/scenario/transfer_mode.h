// How tensors come from the memory where they were made to the unit that reads them.
#pragma once

#include <array>
#include <cstdint>

#include "profiles/base/json_reader.h"

namespace tandem {

// zero_copy: nothing is brought in, the unit reads through a mapping. none: it costs nothing.
enum class TransferMode : std::uint8_t { kCopy, kZeroCopy, kNone };
inline constexpr std::array<Named<TransferMode>, 3> kTransferModeNames = {
    {{"copy", TransferMode::kCopy}, {"zero_copy", TransferMode::kZeroCopy}, {"none", TransferMode::kNone}}};

}  // namespace tandem
