// In place of the rest of this room where SQLite is off.
#include "profiles/dumps/dump.h"
#include "profiles/dumps/nsys/about.h"

namespace tandem::nsys {
namespace {

ProfileDump Refuse(std::string, const std::string& file) { RefuseWithoutSqlite(file); }

const DumpFormatRegistration kWithout{{kFormat, IsDatabase, Refuse}};

}  // namespace
}  // namespace tandem::nsys
