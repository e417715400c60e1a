// A file of the project as text; these tests know nothing of the layers.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

inline std::string TextOf(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}
