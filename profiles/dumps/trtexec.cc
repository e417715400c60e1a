// `trtexec --exportProfile`: an array whose first element counts the runs, then one object per layer of the
// engine; timeMs is the sum over all runs. Names join the layers that were fused: "conv1 + relu1" in
// sequence, "a || b" side by side, "PWN(a, b)" pointwise, "{ForeignNode[a...b]}" all from a to b.
#include <algorithm>
#include <cmath>

#include "profiles/base/input_error.h"
#include "profiles/base/json_reader.h"
#include "profiles/dumps/dump.h"

namespace tandem::trtexec {
namespace {

constexpr std::int64_t kMostRuns = 1'000'000'000;
constexpr double kLongestMillis = 1e13;

bool StripPrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Rows that only copy: "Reformatting CopyNode for Input Tensor 0 to conv1", "Reformatting CopyNode for
// Network Input data", "conv1 input reformatter 0", "conv1 copy". False for all others.
bool ReadServed(std::string_view name, DumpRow& row) {
  std::string_view rest = name;
  if (StripPrefix(rest, "Reformatting CopyNode for ")) {
    if (StripPrefix(rest, "Network Input ") || StripPrefix(rest, "Network Output ")) {
      row.serves_tensor = rest;
    } else {
      const auto to = rest.find(" to ");
      row.serves_row = to == std::string_view::npos ? rest : rest.substr(to + 4);
    }
    return true;
  }
  for (const std::string_view word : {" input reformatter ", " output reformatter "}) {
    const auto at = name.rfind(word);
    if (at == std::string_view::npos || !IsNumber(name.substr(at + word.size()))) continue;
    row.serves_row = name.substr(0, at);
    return true;
  }
  constexpr std::string_view kCopy = " copy";
  if (name.size() <= kCopy.size() || !name.ends_with(kCopy)) return false;
  row.serves_tensor = name.substr(0, name.size() - kCopy.size());
  return true;
}

int Depth(char byte) {
  return byte == '(' || byte == '[' || byte == '{' ? 1 : byte == ')' || byte == ']' || byte == '}' ? -1 : 0;
}

// The pieces of `name` between separators that stand outside all brackets.
std::vector<std::string_view> SplitOutside(std::string_view name,
                                           std::initializer_list<std::string_view> separators) {
  std::vector<std::string_view> pieces;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    depth += Depth(name[i]);
    if (depth > 0) continue;
    for (const std::string_view separator : separators) {
      if (!name.substr(i).starts_with(separator)) continue;
      pieces.push_back(Trimmed(name.substr(start, i - start)));
      start = i + separator.size();
      i = start - 1;
      break;
    }
  }
  pieces.push_back(Trimmed(name.substr(start)));
  return pieces;
}

// "PWN(" ... ")" to what stands between; false where `text` is not of this form.
bool StripAround(std::string_view& text, std::string_view before, std::string_view after) {
  if (!text.starts_with(before) || !text.ends_with(after) || text.size() < before.size() + after.size())
    return false;
  text = text.substr(before.size(), text.size() - before.size() - after.size());
  return true;
}

// Layers that the tool itself puts in stand for none of the model's.
bool IsOfTheTool(std::string_view part) { return part.starts_with("(Unnamed Layer*"); }

void AddParts(std::string_view name, int depth, std::vector<std::string>& parts) {
  constexpr int kDeepest = 32;
  // Commas separate inside PWN(...) alone; at the top they may be part of a name.
  const auto pieces =
      depth == 0 ? SplitOutside(name, {" + ", "||"}) : SplitOutside(name, {" + ", "||", ", "});
  for (std::string_view piece : pieces) {
    const bool joined = StripAround(piece, "PWN(", ")");
    if (joined && depth < kDeepest) {
      AddParts(piece, depth + 1, parts);
      continue;
    }
    StripAround(piece, "{ForeignNode[", "]}");
    if (!piece.empty() && !IsOfTheTool(piece)) parts.emplace_back(piece);
  }
}

struct Columns {
  std::int64_t runs = 1;
  bool medians = true;  // old versions have none
};

double Milliseconds(const JsonReader& row, std::string_view key) {
  return row.Get(key).Number(0, kLongestMillis);
}

Timing TimeOf(const JsonReader& row, const Columns& columns) {
  const double mean = Milliseconds(row, "timeMs") / static_cast<double>(columns.runs);
  if (row.Find("averageMs")) {
    const double average = Milliseconds(row, "averageMs");
    if (std::abs(average - mean) > 0.01 * std::max(average, mean) + 1e-4) {
      row.Get("averageMs").Fail("is not timeMs / count; was this file edited?");
    }
  }
  const double milliseconds = columns.medians ? Milliseconds(row, "medianMs") : mean;
  return {DumpNanos(milliseconds * 1e6, row.Where()), {}};
}

DumpRow RowOf(const JsonReader& row, const Columns& columns) {
  DumpRow result;
  result.name = Trimmed(row.Get("name").String());
  if (result.name.empty()) row.Get("name").Fail("is empty");
  result.place = row.Where();
  result.time = TimeOf(row, columns);
  if (!ReadServed(result.name, result)) AddParts(result.name, 0, result.parts);
  return result;
}

Columns ColumnsOf(const JsonReader& root) {
  Columns columns;
  bool first = true;
  for (const JsonReader row : root.Elements()) {
    if (first) {
      columns.runs = row.Get("count").Integer(1, kMostRuns);
    } else {
      columns.medians = columns.medians && row.Find("medianMs").has_value();
    }
    first = false;
  }
  return columns;
}

ProfileDump Read(std::string text, const std::string& file) {
  const JsonDocument document = JsonDocument::Parse(text, file);
  const JsonReader root = document.root();
  if (!root.IsArray() || root.size() == 0) {
    root.Fail(
        "expected an array whose first element is {\"count\": N}, as trtexec --exportProfile writes it");
  }
  const Columns columns = ColumnsOf(root);
  ProfileDump dump;
  dump.tool = "trtexec --exportProfile";
  dump.statistic = (columns.medians ? "medians of " : "means of ") + std::to_string(columns.runs) + " runs";
  bool first = true;
  for (const JsonReader row : root.Elements()) {
    if (!first) dump.rows.push_back(RowOf(row, columns));
    first = false;
  }
  return dump;
}

bool Recognises(std::string_view text) {
  const std::string_view head = Trimmed(text.substr(0, 4096));
  return head.starts_with('[') && head.substr(0, 200).find("\"count\"") != std::string_view::npos;
}

const DumpFormatRegistration kRegistration{{"trtexec", Recognises, Read}};

}  // namespace
}  // namespace tandem::trtexec
