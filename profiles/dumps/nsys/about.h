// What is told of an SQLite file where tandem was built without SQLite, too.
#pragma once

#include <string>
#include <string_view>

namespace tandem::nsys {

inline constexpr const char* kFormat = "nsys";

bool IsDatabase(std::string_view bytes);
// Throws the InputError of a build without SQLite.
[[noreturn]] void RefuseWithoutSqlite(const std::string& file);

}  // namespace tandem::nsys
