#include "profiles/dumps/nsys/about.h"

#include "profiles/base/input_error.h"

namespace tandem::nsys {

bool IsDatabase(std::string_view bytes) {
  using namespace std::string_view_literals;
  return bytes.starts_with("SQLite format 3\0"sv);
}

void RefuseWithoutSqlite(const std::string& file) {
  throw InputError(file +
                   ": Nsight Systems' exports are SQLite databases, and this tandem was built without "
                   "SQLite; install libsqlite3-dev and build it again");
}

}  // namespace tandem::nsys
