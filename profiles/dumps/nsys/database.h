// Room profiles/dumps/nsys: Nsight Systems' SQLite exports to rows. The only room that knows SQLite.
//
// An SQLite database from anybody, in memory and read alone: nothing of it is obeyed but what its tables
// hold.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace tandem::nsys {

struct Column {
  const char* name;
  bool needed = true;  // else NULL where the table has none
};

// While it is taken; columns by their place among those that were asked for.
class Row {
 public:
  Row(sqlite3_stmt* statement, std::string place, const std::vector<Column>& columns)
      : statement_(statement), place_(std::move(place)), columns_(columns) {}

  // Nothing for NULL; throws InputError where it is something else.
  std::optional<std::int64_t> Integer(int column) const;
  std::optional<std::string_view> Text(int column) const;
  std::int64_t NeededInteger(int column) const;  // throws InputError for NULL, too

  void NextRow() { ++number_; }
  [[noreturn]] void Fail(const std::string& what) const;  // with the table and the row

 private:
  [[noreturn]] void FailColumn(int column, const char* expected) const;

  sqlite3_stmt* statement_;
  std::string place_;
  const std::vector<Column>& columns_;
  std::int64_t number_ = 0;
};

class Database {
 public:
  // `file` is what messages call it. Throws InputError where it is no such database, or damaged.
  Database(std::string bytes, std::string file);

  bool Has(const std::string& table) const;
  // Every row of the table, as they stand in the file. Throws InputError.
  void ForEachRow(const std::string& table, const std::vector<Column>& columns,
                  const std::function<void(const Row&)>& take) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  void Harden();
  void ReadTableNames();
  Statement Prepare(const std::string& sql) const;
  bool Step(const Statement& statement) const;  // false after the last row
  std::vector<std::string> ColumnsOf(const std::string& table) const;
  [[noreturn]] void Fail(int code) const;

  std::string bytes_;  // as long as the database is open
  std::string file_;
  std::unique_ptr<sqlite3, Close> database_;
  std::map<std::string, bool> tables_;  // by name in capitals, as case does not count: an ordinary one?
};

}  // namespace tandem::nsys
