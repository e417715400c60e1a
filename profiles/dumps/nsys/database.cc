#include "profiles/dumps/nsys/database.h"

#include <sqlite3.h>

#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/dumps/nsys/about.h"

namespace tandem::nsys {
namespace {

constexpr int kLongestValue = 16 << 20;
constexpr std::size_t kHeader = 100;  // of a database; bytes 18 and 19 say how it is written and read
constexpr int kStepsBetweenLooks = 100'000;

// As https://www.sqlite.org/security.html has it for files from anybody, less where exports need more.
constexpr struct {
  int of, most;
} kLimits[] = {{SQLITE_LIMIT_LENGTH, kLongestValue},
               {SQLITE_LIMIT_SQL_LENGTH, 1'000'000},
               {SQLITE_LIMIT_COLUMN, 500},
               {SQLITE_LIMIT_EXPR_DEPTH, 20},
               {SQLITE_LIMIT_COMPOUND_SELECT, 3},
               {SQLITE_LIMIT_VDBE_OP, 25'000},
               {SQLITE_LIMIT_FUNCTION_ARG, 8},
               {SQLITE_LIMIT_ATTACHED, 0},
               {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
               {SQLITE_LIMIT_VARIABLE_NUMBER, 10},
               {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
               {SQLITE_LIMIT_WORKER_THREADS, 0}};
constexpr struct {
  int what, on;
} kSettings[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                 {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                 {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}};

std::string InCapitals(std::string text) {
  for (char& byte : text) {
    if (byte >= 'a' && byte <= 'z') byte = static_cast<char>(byte - 'a' + 'A');
  }
  return text;
}

std::string TextOf(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

}  // namespace

std::optional<std::int64_t> Row::Integer(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_NULL:
      return std::nullopt;
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement_, column);
    default:
      FailColumn(column, "a whole number");
  }
}

std::int64_t Row::NeededInteger(int column) const {
  const auto value = Integer(column);
  if (!value) FailColumn(column, "a whole number");
  return *value;
}

std::optional<std::string_view> Row::Text(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_NULL:
      return std::nullopt;
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
      if (text == nullptr) Fail("no memory is left for its text");
      return std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
    }
    default:
      FailColumn(column, "text");
  }
}

void Row::Fail(const std::string& what) const {
  throw InputError(place_ + ", row " + std::to_string(number_) + ": " + what);
}

void Row::FailColumn(int column, const char* expected) const {
  static constexpr const char* kTypes[] = {"", "a whole number", "a fraction", "text", "bytes", "nothing"};
  Fail(std::string("column ") + columns_[static_cast<std::size_t>(column)].name + ": expected " + expected +
       ", found " + kTypes[sqlite3_column_type(statement_, column)]);
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }
void Database::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

// From bytes, and not from the file: no journal or log beside it is looked for, and nothing is ever written.
Database::Database(std::string bytes, std::string file) : bytes_(std::move(bytes)), file_(std::move(file)) {
  if (!IsDatabase(bytes_) || bytes_.size() < kHeader) {
    throw InputError(file_ + ": is no SQLite database; `nsys export --type=sqlite` makes one of a report");
  }
  if (bytes_[18] == 2 || bytes_[19] == 2) {
    throw InputError(file_ +
                     ": is written to through a log beside it, which may hold more than the file; export the "
                     "report again, or run: sqlite3 FILE 'PRAGMA journal_mode=DELETE'");
  }
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(":memory:", &database,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK)
    throw EnvironmentError("SQLite cannot be started: " + std::string(sqlite3_errstr(code)));
  Harden();
  const auto size = static_cast<sqlite3_int64>(bytes_.size());
  const int read = sqlite3_deserialize(database, "main", reinterpret_cast<unsigned char*>(bytes_.data()),
                                       size, size, SQLITE_DESERIALIZE_READONLY);
  if (read != SQLITE_OK) Fail(read);
  ReadTableNames();
}

void Database::Harden() {
  for (const auto& setting : kSettings) sqlite3_db_config(database_.get(), setting.what, setting.on, nullptr);
  for (const auto& limit : kLimits) sqlite3_limit(database_.get(), limit.of, limit.most);
  while (Step(Prepare("PRAGMA cell_size_check=ON"))) {
  }
}

bool Database::Has(const std::string& table) const { return tables_.contains(InCapitals(table)); }

void Database::ReadTableNames() {
  const Statement statement = Prepare("SELECT type, name, rootpage, sql FROM sqlite_master");
  while (Step(statement)) {
    const bool table = TextOf(statement.get(), 0) == "table" &&
                       sqlite3_column_int64(statement.get(), 2) > 0 &&
                       !InCapitals(TextOf(statement.get(), 3)).starts_with("CREATE VIRTUAL");
    // Where two are called alike, none is taken for a table.
    const auto [found, is_new] = tables_.try_emplace(InCapitals(TextOf(statement.get(), 1)), table);
    if (!is_new) found->second = false;
  }
}

Database::Statement Database::Prepare(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  Statement prepared(statement);
  if (code != SQLITE_OK) Fail(code);
  return prepared;
}

bool Database::Step(const Statement& statement) const {
  const int code = sqlite3_step(statement.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) Fail(code);
  return code == SQLITE_ROW;
}

void Database::Fail(int code) const {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      throw InputError(file_ + ": is no SQLite database");
    case SQLITE_TOOBIG:
      throw InputError(file_ + ": has a value of more than " + std::to_string(kLongestValue >> 20) + " MiB");
    case SQLITE_INTERRUPT:
      throw InputError(file_ + ": takes longer to read than a file of its size can; it is damaged");
    case SQLITE_NOMEM:
      throw EnvironmentError(file_ + ": no memory is left to read it");
    default:
      throw InputError(file_ + ": is damaged: " + Quoted(sqlite3_errmsg(database_.get())) +
                       "; export the report again");
  }
}

// What is computed from other columns could take as long as its expression likes.
std::vector<std::string> Database::ColumnsOf(const std::string& table) const {
  std::vector<std::string> names;
  const Statement statement = Prepare("PRAGMA main.table_xinfo(\"" + table + "\")");
  while (Step(statement)) {
    names.push_back(TextOf(statement.get(), 1));
    if (sqlite3_column_int64(statement.get(), 6) == 0) continue;
    throw InputError(file_ + ": column " + Quoted(names.back()) + " of table " + table +
                     " is computed, which no export has; export the report again");
  }
  return names;
}

void Database::ForEachRow(const std::string& table, const std::vector<Column>& columns,
                          const std::function<void(const Row&)>& take) const {
  if (!Has(table)) throw InputError(file_ + ": has no table " + table);
  if (!tables_.at(InCapitals(table))) {
    throw InputError(file_ + ": " + table + " is no ordinary table; export the report again");
  }
  const std::vector<std::string> known = ColumnsOf(table);
  std::string sql;
  for (const Column& column : columns) {
    const bool there = std::find(known.begin(), known.end(), column.name) != known.end();
    if (!there && column.needed) {
      throw InputError(file_ + ": table " + table + " has no column " + column.name +
                       ": another version of the export than tandem knows");
    }
    sql += (sql.empty() ? "SELECT " : ", ") + (there ? "\"" + std::string(column.name) + "\"" : "NULL");
  }
  // Without indices: only the table's own pages are trusted, in their order.
  const Statement statement = Prepare(sql + " FROM main.\"" + table + "\" NOT INDEXED");
  // Pages that lead to each other again and again hold rows without end.
  std::int64_t left = static_cast<std::int64_t>(bytes_.size());
  std::int64_t looks = 1 + left * 32 / kStepsBetweenLooks;
  sqlite3_progress_handler(
      database_.get(), kStepsBetweenLooks,
      [](void* more) { return --*static_cast<std::int64_t*>(more) < 0 ? 1 : 0; }, &looks);
  const std::unique_ptr<sqlite3, void (*)(sqlite3*)> quiet(
      database_.get(), [](sqlite3* database) { sqlite3_progress_handler(database, 0, nullptr, nullptr); });
  Row row(statement.get(), file_ + ": table " + table, columns);
  while (Step(statement)) {
    if (--left < 0) Fail(SQLITE_INTERRUPT);
    row.NextRow();
    take(row);
  }
}

}  // namespace tandem::nsys
