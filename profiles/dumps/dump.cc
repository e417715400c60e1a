#include "profiles/dumps/dump.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

std::vector<DumpFormat>& Formats() {
  static std::vector<DumpFormat> formats;
  return formats;
}

const DumpFormat& FindFormat(std::string_view name, std::string_view text, const std::string& file) {
  for (const DumpFormat& format : Formats()) {
    if (name.empty() ? format.recognises(text) : format.name == name) return format;
  }
  if (!name.empty()) {
    throw InputError("unknown format " + Quoted(name) + Suggestion(name, DumpFormatNames()));
  }
  throw InputError(file + ": is no timing dump of a known format (" + Joined(DumpFormatNames()) +
                   "); if it is one of these, say which with --format");
}

ProfileDump ReadAs(const DumpFormat& format, std::string text, const std::string& file,
                   const DumpQuestion& asked) {
  if (format.read_asked != nullptr) return format.read_asked(std::move(text), file, asked);
  const char* const useless = !asked.range.empty() ? "--range" : asked.device ? "--device" : nullptr;
  if (useless != nullptr) {
    throw InputError(std::string(useless) + ": a dump of format " + format.name + " is of one model alone");
  }
  return format.read(std::move(text), file);
}

}  // namespace

Nanos TotalOf(const Timing& timing) {
  if (timing.samples.empty()) return timing.median;
  return std::accumulate(timing.samples.begin(), timing.samples.end(), Nanos{0});
}

DumpFormatRegistration::DumpFormatRegistration(DumpFormat format) {
  auto& formats = Formats();
  const auto before = [](const DumpFormat& a, const DumpFormat& b) { return a.name < b.name; };
  formats.insert(std::upper_bound(formats.begin(), formats.end(), format, before), format);
}

std::vector<std::string> DumpFormatNames() {
  std::vector<std::string> names;
  for (const DumpFormat& format : Formats()) names.push_back(format.name);
  return names;
}

ProfileDump ReadProfileDump(const std::filesystem::path& file, std::string_view format,
                            const DumpQuestion& asked) {
  return ParseProfileDump(ReadTextFile(file), NameOfInput(file), format, asked);
}

ProfileDump ParseProfileDump(std::string text, const std::string& name, std::string_view format,
                             const DumpQuestion& asked) {
  if (Trimmed(text).empty()) throw InputError(name + ": is empty");
  const DumpFormat& found = FindFormat(format, text, name);
  ProfileDump dump = ReadAs(found, std::move(text), name, asked);
  if (dump.rows.empty() && dump.whole.empty()) {
    throw InputError(name + ": has no row with the time of a layer");
  }
  return dump;
}

Nanos DumpNanos(double nanoseconds, const std::string& place) {
  if (!(nanoseconds >= 0)) throw InputError(place + ": a time below zero, or none at all");
  if (nanoseconds > static_cast<double>(kLongestTime.count())) {
    throw InputError(place + ": a time of more than " +
                     std::to_string(kLongestTime.count() / 86'400'000'000'000) + " days");
  }
  return Nanos(std::llround(nanoseconds));
}

Nanos DumpMillis(std::string_view text, const std::string& place) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    throw InputError(place + ": the number " + Quoted(text) + " is out of range");
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    throw InputError(place + ": expected milliseconds, found " + Quoted(text));
  }
  return DumpNanos(value * 1e6, place);
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

RowNames NamesOf(const std::vector<DumpRow>& rows) {
  RowNames names;
  for (const DumpRow& row : rows) names.insert(row.name);
  return names;
}

std::string_view NameAtEnd(std::string_view text, const RowNames& names) {
  for (auto at = text.find('_', 1); at != std::string_view::npos; at = text.find('_', at + 1)) {
    const auto found = names.find(text.substr(at + 1));
    if (found != names.end()) return *found;
  }
  return {};
}

}  // namespace tandem
