#include "profiles/base/json_reader.h"

#include <algorithm>
#include <charconv>

#include "profiles/base/decimal.h"
#include "profiles/base/input_error.h"
#include "profiles/base/key_units.h"

namespace tandem {
namespace {

constexpr std::size_t kLongestName = 200;
constexpr std::array<std::string_view, 8> kKindWords = {"null",       "a boolean", "a boolean", "an integer",
                                                        "a fraction", "a string",  "an array",  "an object"};

std::string ShortNumber(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end);
}

std::string Range(const std::string& least, const std::string& most, bool open) {
  return open ? "at least " + least : "from " + least + " to " + most;
}

}  // namespace

void JsonReader::Fail(const std::string& what) const { throw InputError(Where() + ": " + what); }

std::string JsonReader::Where() const {
  const std::string pointer = document_->Pointer(index_);
  return pointer.empty() ? document_->name() : document_->name() + ":" + pointer;
}

std::string JsonReader::Found() const {
  switch (kind()) {
    case JsonKind::kInteger:
      return std::to_string(node().integer);
    case JsonKind::kDecimal:
      return std::string(node().String().substr(0, 40));
    case JsonKind::kString:
      return "the string " + Quoted(node().String());
    default:
      return std::string(kKindWords[static_cast<std::size_t>(kind())]);
  }
}

void JsonReader::Expect(JsonKind expected, const char* what) const {
  if (kind() != expected) Fail(std::string("expected ") + what + ", found " + Found());
}

void JsonReader::OnlyKeys(std::span<const std::string_view> known,
                          std::span<const std::string_view> spellings) const {
  const auto has = [](std::span<const std::string_view> keys, std::string_view key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  for (const JsonReader member : Members()) {
    if (has(known, member.key()) || has(spellings, member.key())) continue;
    FailUnknown(member.key(), known, spellings);
  }
}

void JsonReader::FailUnknown(std::string_view key, std::span<const std::string_view> known,
                             std::span<const std::string_view> spellings) const {
  Fail("unknown key " + Quoted(key) + KeySuggestion(key, known, spellings));
}

std::optional<JsonReader> JsonReader::Find(std::string_view key) const {
  for (const JsonReader member : Members()) {
    if (member.key() == key) return member;
  }
  return std::nullopt;
}

std::optional<JsonReader> JsonReader::FindTime(std::string_view key) const {
  const TimeKey time(key);
  std::optional<JsonReader> found;
  for (const JsonReader member : Members()) {
    if (!time.IsSpelled(member.key())) continue;
    if (found) {
      member.Fail(Quoted(found->key()) + " and " + Quoted(member.key()) + " say the same thing twice");
    }
    found = member;
  }
  return found;
}

JsonReader JsonReader::Get(std::string_view key) const {
  if (const auto member = Find(key)) return *member;
  Fail("the key " + Quoted(key) + " is missing");
}

JsonReader::Children JsonReader::Elements() const {
  Expect(JsonKind::kArray, "an array");
  return {Iterator(document_, index_ + 1), Iterator(document_, node().end)};
}

JsonReader::Children JsonReader::Members() const {
  Expect(JsonKind::kObject, "an object");
  return {Iterator(document_, index_ + 1), Iterator(document_, node().end)};
}

std::size_t JsonReader::size() const {
  std::size_t count = 0;
  for (JsonIndex child = index_ + 1; child < node().end; child = document_->node(child).end) ++count;
  return count;
}

bool JsonReader::Boolean() const {
  if (kind() != JsonKind::kTrue) Expect(JsonKind::kFalse, "true or false");
  return kind() == JsonKind::kTrue;
}

std::string_view JsonReader::String() const {
  Expect(JsonKind::kString, "a string");
  return node().String();
}

std::string JsonReader::Name() const {
  const std::string_view name = String();
  if (name.empty()) Fail("a name must not be empty");
  if (name.size() > kLongestName) Fail("a name has at most " + std::to_string(kLongestName) + " bytes");
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::any_of(name.begin(), name.end(), control)) Fail("a name must not hold control characters");
  return std::string(name);
}

std::int64_t JsonReader::Integer(std::int64_t least, std::int64_t most) const {
  std::optional<std::int64_t> value;
  if (kind() == JsonKind::kInteger) value = node().integer;
  // 1.0 and 1e3 are fractions to JSON's grammar only; 7.9 is one to everybody.
  if (kind() == JsonKind::kDecimal) value = ScaledDecimal(node().String(), 0);
  if (kind() == JsonKind::kDecimal && !value) {
    const bool whole = node().String().find_first_of(".eE") == std::string_view::npos;
    Fail(whole ? Found() + " is out of range" : "expected an integer, found " + Found());
  }
  if (!value) Expect(JsonKind::kInteger, "an integer");
  if (*value < least || *value > most) {
    const bool open = most == std::numeric_limits<std::int64_t>::max();
    Fail(Found() + " is out of range: " + Range(std::to_string(least), std::to_string(most), open));
  }
  return *value;
}

std::uint64_t JsonReader::Unsigned() const {
  if (kind() == JsonKind::kDecimal) {
    const std::string_view text = node().String();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
  }
  return static_cast<std::uint64_t>(Integer(0));
}

double JsonReader::Number(double least, double most) const {
  double value = 0;
  if (kind() == JsonKind::kInteger) {
    value = static_cast<double>(node().integer);
  } else {
    Expect(JsonKind::kDecimal, "a number");
    const std::string_view text = node().String();
    std::from_chars(text.data(), text.data() + text.size(), value);
  }
  if (!(value >= least && value <= most)) {
    const bool open = most == std::numeric_limits<double>::max();
    Fail(Found() + " is out of range: " + Range(ShortNumber(least), ShortNumber(most), open));
  }
  return value;
}

double JsonReader::Positive() const {
  const double value = Number(0);
  if (value <= 0) Fail(Found() + " is out of range: above 0");
  return value;
}

Nanos JsonReader::Duration(const WrittenUnit& unit, Nanos least, Nanos most) const {
  if (kind() != JsonKind::kInteger) Expect(JsonKind::kDecimal, "a number");
  const std::string written =
      kind() == JsonKind::kInteger ? std::to_string(node().integer) : std::string(node().String());
  const auto nanos = RoundedDecimal(written, unit.decimals);
  const auto in_unit = [&](Nanos time) {
    return DecimalText(time.count(), unit.decimals) + " " + std::string(unit.name);
  };
  // What rounds to 0 may have been below it.
  const bool negative = nanos == 0 && least >= Nanos{0} && Number(std::numeric_limits<double>::lowest()) < 0;
  if (!nanos || negative || *nanos < least.count() || *nanos > most.count()) {
    Fail(Found() + " " + std::string(unit.name) + " is out of range: from " + in_unit(least) + " to " +
         in_unit(most));
  }
  return Nanos{*nanos};
}

std::string_view FileKind(const JsonReader& root) {
  if (!root.IsObject())
    root.Fail("expected an object with the key \"tandem\", which tells the kind of the file");
  const auto kind = root.Find("tandem");
  if (!kind)
    root.Fail("the key \"tandem\" is missing, which tells the kind of the file, such as \"scenario/1\"");
  return kind->String();
}

void ExpectFileKind(const JsonReader& root, std::string_view kind) {
  const std::string_view found = FileKind(root);
  if (found == kind) return;
  root.Get("tandem").Fail("expected " + Quoted(kind) + ", found " + Quoted(found));
}

}  // namespace tandem
