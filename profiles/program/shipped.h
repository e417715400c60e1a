// Finds what the project ships (boards, scenarios, schemas), installed or in the build tree.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

// In this order: $TANDEM_DATA_DIR, ../share/tandem beside the program, the same beside libtandem-device, the
// source tree that it was built from. Subfolders: boards, scenarios, schemas. Throws EnvironmentError where
// none is there.
const std::filesystem::path& ShippedDirectory();

// Is `name` one of the project's (no '/' and no file suffix) rather than a path, or "-"?
bool IsShippedName(std::string_view name);

// The file of a name as another file, `from`, gives it: "tinker-edge-r" with `folder` "boards" and `suffix`
// ".platform.json" is the shipped one, anything with '/' or a suffix is a path relative to `from`.
// Throws InputError with "did you mean" (the message without place; the caller adds it).
std::filesystem::path FindFile(std::string_view name, const std::filesystem::path& from,
                               std::string_view folder, std::string_view suffix);

// Names in a shipped folder with that suffix, sorted.
std::vector<std::string> ShippedNames(std::string_view folder, std::string_view suffix);

}  // namespace tandem
