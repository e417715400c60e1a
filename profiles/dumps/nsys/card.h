// What one process ran on one card.
#pragma once

#include <optional>
#include <string>

#include "profiles/dumps/nsys/export.h"

namespace tandem::nsys {

struct Card {
  std::int64_t device = 0;
  Process process{};
};

// The one of the export, or the one of that number. Throws InputError where there are several.
Card CardOf(const Export& read, std::optional<std::int64_t> device, const std::string& file);

}  // namespace tandem::nsys
