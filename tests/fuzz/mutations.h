// Damage to files: bytes by bytes, JSON and XML by what they mean, lines by their words and streams by their
// records, so that what comes of it is still read deeply.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>

namespace tandem {

std::string WithBytesChanged(std::string bytes, std::mt19937_64& chance);
// As WithBytesChanged where it is no JSON.
std::string WithValuesChanged(const std::string& json, std::mt19937_64& chance);
// Of the parts with `between` between them one goes, comes twice, changes places with another or is changed.
std::string WithPartsChanged(
    const std::string& text, char between,
    const std::function<std::string(const std::string& part, std::mt19937_64& chance)>& change,
    std::mt19937_64& chance);
std::string WithWordsChanged(const std::string& lines, std::mt19937_64& chance);
// Of XML: what attributes are, and elements without others in them, which are gone or there several times.
std::string WithMarkupChanged(const std::string& xml, std::mt19937_64& chance);

}  // namespace tandem
