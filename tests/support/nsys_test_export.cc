#include "tests/support/nsys_test_export.h"

#include <sqlite3.h>

#include <memory>
#include <stdexcept>

namespace tandem {
namespace {

// As `nsys export` of 2024 and 2025 writes them, less the columns that nothing here reads.
constexpr const char* kTables = R"(
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE TARGET_INFO_GPU (id INTEGER NOT NULL, name TEXT);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER NOT NULL, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
  text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, copyKind INTEGER NOT NULL,
  graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, graphId INTEGER NOT NULL);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA A100'), (1, 'NVIDIA H200');
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 77), (0, 1, 77);
)";

std::string SqlText(const std::string& text) {
  std::string quoted = "'";
  for (const char byte : text) quoted += byte == '\'' ? "''" : std::string(1, byte);
  return quoted + "'";
}

std::string Value(std::int64_t value) { return std::to_string(value); }
std::string Value(std::optional<std::int64_t> value) { return value ? std::to_string(*value) : "NULL"; }
std::string Value(const std::string& value) { return value; }

template <class... Values>
std::string Insert(const std::string& table, const Values&... values) {
  std::string list;
  ((list += (list.empty() ? "" : ", ") + Value(values)), ...);
  return "INSERT INTO " + table + " VALUES (" + list + ");";
}

std::int64_t ProcessOfThread(std::int64_t thread) { return thread >> 24 << 24; }

}  // namespace

std::int64_t NsysTestExport::Text(const std::string& text) {
  const auto [found, is_new] = texts_.try_emplace(text, static_cast<std::int64_t>(texts_.size()) + 1);
  if (is_new) inserts_.push_back(Insert("StringIds", found->second, SqlText(text)));
  return found->second;
}

NsysTestExport& NsysTestExport::Range(const std::string& name, std::int64_t start,
                                      std::optional<std::int64_t> end, Line line, std::int64_t type) {
  const std::string none = "NULL";
  inserts_.push_back(
      Insert("NVTX_EVENTS", start, end, type, none, SqlText(name), line.thread, none, none, std::int64_t{0}));
  return *this;
}

std::int64_t NsysTestExport::Launch(std::int64_t launch, const Line& line) {
  const std::int64_t correlation = ++launches_;
  inserts_.push_back(Insert("CUPTI_ACTIVITY_KIND_RUNTIME", launch, launch + 2, line.thread, correlation,
                            Text("cudaLaunchKernel"), std::int64_t{0}));
  return correlation;
}

NsysTestExport& NsysTestExport::Kernel(const std::string& name, std::int64_t launch, std::int64_t start,
                                       std::int64_t end, Line line) {
  const std::int64_t correlation = Launch(launch, line), text = Text(name);
  inserts_.push_back(Insert("CUPTI_ACTIVITY_KIND_KERNEL", start, end, line.device, std::int64_t{1},
                            std::int64_t{7}, correlation, ProcessOfThread(line.thread), text, text,
                            line.graph_node));
  return *this;
}

NsysTestExport& NsysTestExport::Copy(std::int64_t launch, std::int64_t start, std::int64_t end, Line line) {
  const std::int64_t correlation = Launch(launch, line);
  inserts_.push_back(Insert("CUPTI_ACTIVITY_KIND_MEMCPY", start, end, line.device, std::int64_t{7},
                            correlation, ProcessOfThread(line.thread), line.copy_kind, line.graph_node));
  return *this;
}

NsysTestExport& NsysTestExport::Set(std::int64_t launch, std::int64_t start, std::int64_t end) {
  const std::int64_t correlation = Launch(launch, Line());
  inserts_.push_back(Insert("CUPTI_ACTIVITY_KIND_MEMSET", start, end, std::int64_t{0}, std::int64_t{7},
                            correlation, kProcess, std::string("NULL")));
  return *this;
}

NsysTestExport& NsysTestExport::Graph(std::int64_t launch, std::int64_t start, std::int64_t end) {
  const std::int64_t correlation = Launch(launch, Line());
  inserts_.push_back(Insert("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", start, end, std::int64_t{0}, correlation,
                            kProcess, std::int64_t{1}));
  return *this;
}

NsysTestExport& NsysTestExport::Sql(const std::string& sql) {
  after_.push_back(sql);
  return *this;
}

NsysTestExport& NsysTestExport::Schema(const std::string& version) {
  schema_ = version;
  return *this;
}

NsysTestExport& NsysTestExport::Without(const std::string& table) { return Sql("DROP TABLE " + table + ";"); }

std::string NsysTestExport::Bytes() const {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open(":memory:", &opened);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(opened, sqlite3_close);
  if (code != SQLITE_OK) throw std::runtime_error("SQLite cannot be started");
  std::string sql = "PRAGMA page_size=512;" + std::string(kTables) +
                    Insert("META_DATA_EXPORT", std::string("'EXPORT_SCHEMA_VERSION'"), SqlText(schema_));
  for (const auto* more : {&inserts_, &after_}) {
    for (const std::string& one : *more) sql += one;
  }
  if (sqlite3_exec(opened, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw std::runtime_error(sqlite3_errmsg(opened));
  }
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> bytes(sqlite3_serialize(opened, "main", &size, 0),
                                                              sqlite3_free);
  return {reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size)};
}

NsysTestExport ThreeInferences(const std::string& around) {
  NsysTestExport nsys;
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::int64_t at = 1000 * i;
    if (!around.empty()) nsys.Range(around, at, at + 90);
    nsys.Range("conv", at + 10, at + 40).Range("fc", at + 50, at + 80);
    // The program is far ahead of the card.
    nsys.Kernel("im2col", at + 12, at + 500, at + 540).Kernel("gemm", at + 20, at + 550, at + 610 + 10 * i);
    nsys.Kernel("gemm", at + 60, at + 620 + 10 * i, at + 670 + 10 * i);
  }
  return nsys;
}

}  // namespace tandem
