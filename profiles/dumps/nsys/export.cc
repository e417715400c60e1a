#include "profiles/dumps/nsys/export.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <unordered_map>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/base/time.h"

namespace tandem::nsys {
namespace {

// The schema is NVIDIA's, who count it up: by its first number where most questions to it change, by its
// second where few do. What is read here is the same in all of these.
constexpr std::int64_t kMajor = 3, kFirstMinor = 1, kLastMinor = 24;

// Of NVTX_EVENTS.
constexpr std::int64_t kPushPop = 59, kStartEnd = 60;

// CUPTI's kinds of copies that stay on one card. Others come from the host, go there, or cross to another
// card.
bool StaysOnCard(std::int64_t copy_kind) { return copy_kind >= 5 && copy_kind <= 8; }

std::int64_t TimeIn(const Row& row, std::int64_t time) {
  if (time > kLongestTime.count() || time < -kLongestTime.count()) {
    row.Fail("the time " + std::to_string(time) + " ns is beyond all reason");
  }
  return time;
}

Span SpanIn(const Row& row, int start, int end) {
  const Span span{TimeIn(row, row.NeededInteger(start)), TimeIn(row, row.NeededInteger(end))};
  if (span.end < span.start) row.Fail("ends before it starts");
  return span;
}

std::uint64_t GlobalIn(const Row& row, int column) {
  return static_cast<std::uint64_t>(row.NeededInteger(column));
}

class Reader {
 public:
  Reader(const Database& database, const std::string& file) : database_(database), file_(file) {}

  Export Read() {
    export_.schema = Schema();
    ReadStrings();
    ReadRanges();
    ReadCalls();
    ReadKernels();
    ReadCopies();
    ReadSets();
    ReadGraphs();
    return std::move(export_);
  }

 private:
  std::string Schema() const {
    std::string schema;
    for (const char* const table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
      if (schema.empty() && database_.Has(table)) schema = SchemaIn(table);
    }
    if (schema.empty()) {
      throw InputError(file_ +
                       ": does not say the version of its schema; is it what `nsys export --type=sqlite` of "
                       "Nsight Systems 2023.2 or newer wrote?");
    }
    CheckSchema(schema);
    return schema;
  }

  std::string SchemaIn(const char* table) const {
    std::map<std::string, std::string> values;
    database_.ForEachRow(table, {{"name"}, {"value"}}, [&](const Row& row) {
      const auto name = row.Text(0), value = row.Text(1);
      if (name && value && name->starts_with("EXPORT_SCHEMA_VERSION")) values.emplace(*name, *value);
    });
    const auto part = [&](const char* name) { return values["EXPORT_SCHEMA_VERSION" + std::string(name)]; };
    if (!part("").empty()) return part("");
    return part("_MAJOR").empty() ? "" : part("_MAJOR") + "." + part("_MINOR") + "." + part("_MICRO");
  }

  void CheckSchema(const std::string& schema) const {
    std::int64_t major = 0, minor = 0;
    const char* const end = schema.data() + schema.size();
    const auto after_major = std::from_chars(schema.data(), end, major);
    bool known = after_major.ec == std::errc() && after_major.ptr != end && *after_major.ptr == '.';
    if (known) {
      const auto after_minor = std::from_chars(after_major.ptr + 1, end, minor);
      known = after_minor.ec == std::errc() && (after_minor.ptr == end || *after_minor.ptr == '.');
    }
    if (known && major == kMajor && minor >= kFirstMinor && minor <= kLastMinor) return;
    throw InputError(file_ + ": its schema is of version " + Quoted(schema) + "; tandem knows " +
                     std::to_string(kMajor) + "." + std::to_string(kFirstMinor) + " to " +
                     std::to_string(kMajor) + "." + std::to_string(kLastMinor) +
                     ", of Nsight Systems 2023.2 to 2026.1: export the report with one of these");
  }

  Name NameOf(std::string_view text) {
    const auto [found, is_new] = index_.try_emplace(std::string(text), export_.names.size());
    if (is_new) export_.names.emplace_back(text);
    return found->second;
  }

  void ReadStrings() {
    if (!database_.Has("StringIds")) return;
    database_.ForEachRow("StringIds", {{"id"}, {"value"}}, [&](const Row& row) {
      const Name name = NameOf(row.Text(1).value_or(""));
      const auto [found, is_new] = strings_.try_emplace(row.NeededInteger(0), name);
      if (!is_new && found->second != name) row.Fail("its id stands for another text, too");
    });
  }

  Name StringIn(const Row& row, std::int64_t id) const {
    const auto found = strings_.find(id);
    if (found == strings_.end()) row.Fail("StringIds has no " + std::to_string(id));
    return found->second;
  }

  void ReadRanges() {
    if (!database_.Has("NVTX_EVENTS")) return;
    const std::vector<Column> columns = {{"start"},     {"end"},           {"eventType"},          {"text"},
                                         {"globalTid"}, {"textId", false}, {"endGlobalTid", false}};
    database_.ForEachRow("NVTX_EVENTS", columns, [&](const Row& row) {
      const std::int64_t type = row.NeededInteger(2);
      if (type == kPushPop || type == kStartEnd) AddRange(row);
    });
  }

  void AddRange(const Row& row) {
    const auto text = row.Text(3);
    const auto id = row.Integer(5);
    if (!text && !id) return;  // a range without a name
    const Name name = text ? NameOf(*text) : StringIn(row, *id);
    const std::uint64_t thread = GlobalIn(row, 4);
    const auto end_thread = row.Integer(6);
    const bool elsewhere = end_thread && static_cast<std::uint64_t>(*end_thread) != thread;
    if (!row.Integer(1) || elsewhere) {
      export_.broken.push_back({thread, name});
    } else {
      export_.ranges.push_back({SpanIn(row, 0, 1), thread, name});
    }
  }

  void ReadCalls() {
    if (!database_.Has("CUPTI_ACTIVITY_KIND_RUNTIME")) return;
    database_.ForEachRow(
        "CUPTI_ACTIVITY_KIND_RUNTIME", {{"start"}, {"end"}, {"globalTid"}, {"correlationId"}},
        [&](const Row& row) {
          const auto correlation = row.Integer(3);
          if (!correlation) return;
          const std::uint64_t thread = GlobalIn(row, 2);
          export_.calls.push_back({{ProcessOf(thread), *correlation}, SpanIn(row, 0, 1), thread});
        });
    std::stable_sort(export_.calls.begin(), export_.calls.end(),
                     [](const Call& a, const Call& b) { return a.launch < b.launch; });
  }

  // The columns that all work has, before those of one kind.
  static std::vector<Column> WorkColumns(std::initializer_list<Column> more) {
    std::vector<Column> columns = {{"start"}, {"end"}, {"deviceId"}, {"globalPid"}, {"correlationId"}};
    columns.insert(columns.end(), more.begin(), more.end());
    return columns;
  }
  static constexpr int kFirstOwn = 5;

  Work& AddWork(const Row& row, WorkKind kind, Name name) {
    Work work{kind, SpanIn(row, 0, 1), row.NeededInteger(2), {}, name};
    if (work.span.start == 0 && work.span.end == 0) {
      row.Fail("has no times: the profiler could not record them; profile again");
    }
    work.launch = {ProcessOf(GlobalIn(row, 3)), row.NeededInteger(4)};
    export_.works.push_back(work);
    return export_.works.back();
  }

  void ReadKernels() {
    constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_KERNEL";
    if (!database_.Has(kTable)) return;
    database_.ForEachRow(kTable, WorkColumns({{"shortName"}, {"graphNodeId", false}}), [&](const Row& row) {
      Work& work = AddWork(row, WorkKind::kKernel, StringIn(row, row.NeededInteger(kFirstOwn)));
      work.in_graph = row.Integer(kFirstOwn + 1).value_or(0) != 0;
    });
  }

  void ReadCopies() {
    constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_MEMCPY";
    if (!database_.Has(kTable)) return;
    const Name on_card = NameOf("[copy on the card]"), others = NameOf("[copy to or from the card]");
    database_.ForEachRow(kTable, WorkColumns({{"copyKind"}, {"graphNodeId", false}}), [&](const Row& row) {
      const bool stays = StaysOnCard(row.NeededInteger(kFirstOwn));
      // The driver moves unified memory by itself: no call has a part in it.
      if (!stays && !row.Integer(4)) return;
      Work& work =
          AddWork(row, stays ? WorkKind::kCopyOnCard : WorkKind::kHostCopy, stays ? on_card : others);
      work.in_graph = row.Integer(kFirstOwn + 1).value_or(0) != 0;
    });
  }

  void ReadSets() {
    constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_MEMSET";
    if (!database_.Has(kTable)) return;
    const Name set = NameOf("[memset]");
    database_.ForEachRow(kTable, WorkColumns({{"graphNodeId", false}}), [&](const Row& row) {
      AddWork(row, WorkKind::kSet, set).in_graph = row.Integer(kFirstOwn).value_or(0) != 0;
    });
  }

  void ReadGraphs() {
    constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
    if (!database_.Has(kTable)) return;
    const Name graph = NameOf("[CUDA graph]");
    database_.ForEachRow(kTable, WorkColumns({}),
                         [&](const Row& row) { AddWork(row, WorkKind::kGraph, graph); });
  }

  const Database& database_;
  const std::string& file_;
  Export export_;
  std::unordered_map<std::string, Name> index_;
  std::map<std::int64_t, Name> strings_;
};

// By what the process called its cards: one that is shown only some of them counts these from 0.
std::set<std::int64_t> CardsCalled(const Database& database, Process process, std::int64_t device) {
  constexpr const char* kTable = "TARGET_INFO_CUDA_DEVICE";
  const auto pid = static_cast<std::int64_t>(static_cast<std::uint64_t>(process) & 0xffffff);
  std::set<std::int64_t> cards;
  if (!database.Has(kTable)) return cards;
  database.ForEachRow(kTable, {{"gpuId"}, {"cudaId"}, {"pid", false}}, [&](const Row& row) {
    if (row.Integer(1) == device && row.Integer(2).value_or(pid) == pid && row.Integer(0)) {
      cards.insert(*row.Integer(0));
    }
  });
  return cards;
}

}  // namespace

Export ReadExport(const Database& database, const std::string& file) {
  Export read = Reader(database, file).Read();
  const auto lacks = [&](const char* what) {
    throw InputError(file + ": has no " + what +
                     "; profile the program with `nsys profile --trace=cuda,nvtx`, and export it again");
  };
  const bool kernels = std::any_of(read.works.begin(), read.works.end(), [](const Work& work) {
    return work.kind == WorkKind::kKernel || work.kind == WorkKind::kGraph;
  });
  if (!kernels) lacks("CUDA kernels (table CUPTI_ACTIVITY_KIND_KERNEL)");
  if (read.calls.empty()) lacks("calls that launch kernels (table CUPTI_ACTIVITY_KIND_RUNTIME)");
  if (read.ranges.empty() && read.broken.empty()) lacks("NVTX ranges (table NVTX_EVENTS)");
  return read;
}

std::optional<Name> Export::Find(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Name>(found - names.begin());
}

std::string CardName(const Database& database, Process process, std::int64_t device) {
  if (!database.Has("TARGET_INFO_GPU")) return {};
  const std::set<std::int64_t> called = CardsCalled(database, process, device);
  std::set<std::string> names;
  database.ForEachRow("TARGET_INFO_GPU", {{"id"}, {"name"}}, [&](const Row& row) {
    const auto id = row.Integer(0);
    if (row.Text(1) && (called.empty() || (id && called.contains(*id)))) names.emplace(*row.Text(1));
  });
  return names.size() == 1 ? *names.begin() : std::string();
}

}  // namespace tandem::nsys
