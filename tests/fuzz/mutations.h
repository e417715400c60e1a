// Damage to files: bytes by bytes, and JSON and XML by what they mean, so that what comes of it is still read
// deeply.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace tandem {

std::string WithBytesChanged(std::string bytes, std::mt19937_64& chance);
// As WithBytesChanged where it is no JSON.
std::string WithValuesChanged(const std::string& json, std::mt19937_64& chance);
// Of several JSON texts, each with `end` behind it: one by its values, or one is gone, there twice or torn.
std::string WithPieceChanged(const std::string& pieces, char end, std::mt19937_64& chance);
// Of XML: what attributes are, and elements without others in them, which are gone or there several times.
std::string WithMarkupChanged(const std::string& xml, std::mt19937_64& chance);

}  // namespace tandem
