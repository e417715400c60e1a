#include "scenarios/scenario/arrival_file.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/base/decimal.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_reader.h"

namespace tandem {
namespace {

constexpr int kDecimals = 3;  // of a microsecond: nanoseconds
constexpr std::string_view kBlanks = " \t\r";

std::string_view Trimmed(std::string_view line) {
  line = line.substr(0, line.find('#'));
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  return line.substr(0, line.find_last_not_of(kBlanks) + 1);
}

bool IsDecimal(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  return !whole.empty() && std::all_of(whole.begin(), whole.end(), is_digit) &&
         std::all_of(fraction.begin(), fraction.end(), is_digit) &&
         (point == text.size() || !fraction.empty());
}

// A scenario may name any file, whoever wrote it: messages repeat nothing of what stands there.
class TraceReader {
 public:
  TraceReader(std::string file, bool intervals) : file_(std::move(file)), intervals_(intervals) {}

  // A fixed schedule: {"data": [...]}, or an object a line.
  void Json(std::string_view text) {
    if (intervals_)
      throw InputError(file_ + ": is JSON, whose timestamps are times: leave \"intervals\" out");
    if (const auto whole = TryWhole(text)) {
      for (const JsonReader entry : whole->root().Get("data").Elements()) Timestamp(entry);
      return;
    }
    EachLine(text, [&](std::string_view line) {
      ++line_;
      if (line.find_first_not_of(kBlanks) == std::string_view::npos) return;
      const std::string place = file_ + ":" + std::to_string(line_);
      const JsonDocument document = Parsed(line, place);
      Timestamp(document.root());
    });
  }

  void Line(std::string_view line) {
    ++line_;
    const std::string_view text = Trimmed(line);
    if (text.empty()) return;
    if (!IsDecimal(text)) Fail("expected a time in microseconds, such as 1500 or 0.25");
    const std::optional<std::int64_t> nanos = RoundedDecimal(text, kDecimals);
    if (!nanos || *nanos > (kLongestTime - base()).count()) {
      Fail("the time is out of range: dates stay below 2^53 ns");
    }
    const Nanos date = base() + Nanos{*nanos};
    if (!times_.empty() && date < times_.back()) Fail("the times must ascend; this one is before the last");
    times_.push_back(date);
  }

  std::vector<Nanos> Take() {
    if (times_.empty()) throw InputError(file_ + ": holds no times");
    return std::move(times_);
  }

  template <class Each>
  static void EachLine(std::string_view rest, Each each) {
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      each(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

 private:
  static JsonDocument Parsed(std::string_view line, const std::string& place) {
    try {
      return JsonDocument::Parse(line, place);
    } catch (const InputError&) {
      throw InputError(place + ": expected {\"timestamp\": ...}, in milliseconds, on a line of its own");
    }
  }

  // One object that has "data"; nothing: lines.
  std::optional<JsonDocument> TryWhole(std::string_view text) const {
    const std::string_view first = text.substr(0, text.find('\n'));
    const std::size_t key = text.find("\"data\"");
    if (key == std::string_view::npos || first.find("\"timestamp\"") < key) return std::nullopt;
    return JsonDocument::Parse(std::string(text), file_);
  }

  // 33, [33] or {"content": [33]}.
  void Timestamp(const JsonReader& entry) {
    JsonReader value = entry.Get("timestamp");
    if (value.IsObject()) value = value.Get("content");
    if (value.IsArray()) {
      if (value.size() != 1) value.Fail("a request has one timestamp");
      value = *value.Elements().begin();
    }
    const Nanos date = DateOf(value);
    if (!times_.empty() && date < times_.back())
      value.Fail("the times must ascend; this one is before the last");
    times_.push_back(date);
  }

  static Nanos DateOf(const JsonReader& value) {
    try {
      return value.Duration(kMilliseconds);
    } catch (const InputError&) {
      value.Fail("expected a time in milliseconds, such as 33 or 0.25, below 2^53 ns");
    }
  }

  Nanos base() const { return intervals_ && !times_.empty() ? times_.back() : Nanos{0}; }
  [[noreturn]] void Fail(const std::string& what) const {
    throw InputError(file_ + ":" + std::to_string(line_) + ": " + what);
  }

  std::string file_;
  bool intervals_;
  std::size_t line_ = 0;
  std::vector<Nanos> times_;
};

}  // namespace

std::vector<Nanos> ReadTraceFile(const std::filesystem::path& path, bool intervals) {
  const std::string text = ReadTextFile(path);
  TraceReader reader(path.string(), intervals);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') {
    reader.Json(text);
  } else {
    TraceReader::EachLine(text, [&](std::string_view line) { reader.Line(line); });
  }
  return reader.Take();
}

std::string IntervalsText(std::span<const Nanos> times) {
  std::string text;
  std::int64_t before = 0;
  for (const Nanos time : times) {
    const std::int64_t date = (time.count() + 500) / 1000;
    text += std::to_string(date - before) + "\n";
    before = date;
  }
  return text;
}

std::string FixedScheduleText(std::span<const Nanos> times) {
  std::string text;
  for (const Nanos time : times) {
    text += "{\"timestamp\": " + std::to_string((time.count() + 500'000) / 1'000'000) + "}\n";
  }
  return text;
}

}  // namespace tandem
