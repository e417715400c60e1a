// SHA-256 (FIPS 180-4): how users tell one output from another with the tools that they have.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tandem {

// 64 lower-case hexadecimal digits, as `sha256sum` prints them.
std::string Sha256(std::span<const std::byte> bytes);

}  // namespace tandem
