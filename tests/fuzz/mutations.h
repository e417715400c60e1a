// Damage to files: bytes by bytes, and JSON by its values, so that what comes of it is still read deeply.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace tandem {

std::string WithBytesChanged(std::string bytes, std::mt19937_64& chance);
// As WithBytesChanged where it is no JSON.
std::string WithValuesChanged(const std::string& json, std::mt19937_64& chance);

}  // namespace tandem
