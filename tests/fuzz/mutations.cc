#include "tests/fuzz/mutations.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/base/joined.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBytes = 1 << 16;

std::size_t Below(std::size_t end, std::mt19937_64& chance) { return end == 0 ? 0 : chance() % end; }

void ChangeBytesOnce(std::string& bytes, std::mt19937_64& chance) {
  static constexpr std::array<std::string_view, 8> kPieces = {
      std::string_view("\0\0\0\0", 4), "\xff\xff\xff\xff", "\x7f", "-", "9999999999", "\"", "{[", "\n"};
  const std::size_t at = Below(bytes.size(), chance),
                    length = Below(std::min<std::size_t>(bytes.size() - at, 64), chance);
  switch (chance() % 6) {
    case 0:
      if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << (chance() % 8)));
      break;
    case 1:
      bytes.erase(at, length);
      break;
    case 2:
      bytes.insert(Below(bytes.size(), chance), bytes.substr(at, length));
      break;
    case 3:
      bytes.insert(at, kPieces[chance() % kPieces.size()]);
      break;
    case 4:
      if (!bytes.empty()) bytes[at] = static_cast<char>(chance());
      break;
    default:
      if (chance() % 4 == 0) bytes.resize(at);
  }
}

void Collect(Json& value, std::vector<Json*>& values) {
  values.push_back(&value);
  if (!value.is_structured()) return;
  for (Json& element : value) Collect(element, values);
}

Json Nested() {
  Json nested = 1;
  for (int depth = 0; depth < 300; ++depth) nested = Json::array({std::move(nested)});
  return nested;
}

Json Extreme(std::mt19937_64& chance) {
  switch (chance() % 13) {
    case 0:
      return 0;
    case 1:
      return -1;
    case 2:
      return std::int64_t{9'223'372'036'854'775'807};
    case 3:
      return 1e308;
    case 4:
      return 1e-308;
    case 5:
      return std::int64_t{1} << (chance() % 63);
    case 6:
      return "";
    case 7:
      return std::string(300, 'n');
    case 8:
      return nullptr;
    case 9:
      return Json::array();
    case 10:
      return Json::object();
    case 11:
      return Nested();
    default:
      return std::string("\x1b[2J");
  }
}

void RemoveOne(Json& value, std::mt19937_64& chance) {
  if (!value.is_structured() || value.empty()) return;
  auto member = value.begin();
  std::advance(member, static_cast<std::ptrdiff_t>(Below(value.size(), chance)));
  value.erase(member);
}

void RepeatOne(Json& value, std::mt19937_64& chance) {
  if (!value.is_array() || value.empty()) return;
  const Json one = value[Below(value.size(), chance)];
  for (std::size_t times = chance() % 40; times > 0; --times) value.push_back(one);
}

void Scale(Json& value, std::mt19937_64& chance) {
  static constexpr std::array<double, 5> kFactors = {-1, 0.5, 2, 1000, 1e9};
  if (value.is_number()) value = value.get<double>() * kFactors[chance() % kFactors.size()];
}

struct Stretch {
  std::size_t at = 0, length = 0;
};

// What stands between `first` and `last`, all of them; with both where `whole`.
std::vector<Stretch> Between(const std::string& text, std::string_view first, std::string_view last,
                             bool whole) {
  std::vector<Stretch> all;
  std::size_t begin = 0, end = 0;
  while ((begin = text.find(first, end)) != std::string::npos) {
    end = text.find(last, begin + first.size());
    if (end == std::string::npos) break;
    const std::size_t inside = begin + first.size();
    all.push_back(whole ? Stretch{begin, end + last.size() - begin} : Stretch{inside, end - inside});
    end += last.size();
  }
  return all;
}

std::string DrawnAttribute(const std::string& xml, const std::vector<Stretch>& values,
                           std::mt19937_64& chance) {
  static constexpr std::array<std::string_view, 14> kDrawn = {
      "",    "0",     "-1",    "1",           "3",    "2147483648", "99999999999999999999",
      "nan", "1e308", "0-300", "0-999999999", "50us", "1GBps",      "FATPIPE"};
  if (chance() % 2 == 0) return std::string(kDrawn[Below(kDrawn.size(), chance)]);
  const Stretch other = values[Below(values.size(), chance)];
  return xml.substr(other.at, other.length);
}

void ChangeMarkupOnce(std::string& xml, std::mt19937_64& chance) {
  if (chance() % 3 != 0) {
    const std::vector<Stretch> values = Between(xml, "=\"", "\"", false);
    if (values.empty()) return;
    const Stretch value = values[Below(values.size(), chance)];
    xml.replace(value.at, value.length, DrawnAttribute(xml, values, chance));
    return;
  }
  std::vector<Stretch> elements = Between(xml, "<", ">", true);
  std::erase_if(elements, [&](const Stretch& tag) { return xml[tag.at + tag.length - 2] != '/'; });
  if (elements.empty()) return;
  const Stretch element = elements[Below(elements.size(), chance)];
  const std::string one = xml.substr(element.at, element.length);
  xml.erase(element.at, element.length);
  std::size_t times = chance() % 2 == 0 ? 0 : chance() % 40;
  for (; times > 0 && xml.size() + one.size() <= kMostBytes; --times) xml.insert(element.at, one);
}

void ChangeValueOnce(Json& json, std::mt19937_64& chance) {
  std::vector<Json*> values;
  Collect(json, values);
  Json& value = *values[Below(values.size(), chance)];
  switch (chance() % 5) {
    case 0:
      return RemoveOne(value, chance);
    case 1:
      return RepeatOne(value, chance);
    case 2:
      return Scale(value, chance);
    case 3: {
      Json other = *values[Below(values.size(), chance)];
      value = std::move(other);
      return;
    }
    default:
      value = Extreme(chance);
  }
}

std::string OtherWord(const std::string& word, std::mt19937_64& chance) {
  static constexpr std::array<std::string_view, 12> kWords = {
      "0",  "1",     "-1", "2",      "999999999999999999", "9223372036854775808", "1e9", "",
      "ok", "error", "=",  "\x1b[2J"};
  if (chance() % 8 == 0) return std::string(5000, 'w');
  return chance() % 2 == 0 ? std::string(kWords[chance() % kWords.size()]) : WithBytesChanged(word, chance);
}

}  // namespace

std::string WithBytesChanged(std::string bytes, std::mt19937_64& chance) {
  for (std::size_t times = 1 + chance() % 4; times > 0; --times) ChangeBytesOnce(bytes, chance);
  return bytes;
}

std::string WithValuesChanged(const std::string& json, std::mt19937_64& chance) {
  Json changed = Json::parse(json, nullptr, false);
  if (changed.is_discarded()) return WithBytesChanged(json, chance);
  for (std::size_t times = 1 + chance() % 3; times > 0; --times) ChangeValueOnce(changed, chance);
  std::string text = changed.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= kMostBytes ? text : WithBytesChanged(json, chance);
}

std::string WithPartsChanged(
    const std::string& text, char between,
    const std::function<std::string(const std::string& part, std::mt19937_64& chance)>& change,
    std::mt19937_64& chance) {
  std::vector<std::string> parts;
  for (std::size_t from = 0, end = 0; end < text.size(); from = end + 1) {
    end = std::min(text.find(between, from), text.size());
    parts.push_back(text.substr(from, end - from));
  }
  if (parts.empty()) return WithBytesChanged(text, chance);
  const auto one = parts.begin() + static_cast<std::ptrdiff_t>(Below(parts.size(), chance));
  const auto other = parts.begin() + static_cast<std::ptrdiff_t>(Below(parts.size(), chance));
  switch (chance() % 8) {
    case 0:
      parts.erase(one);
      break;
    case 1:
      parts.insert(other, std::string(*one));
      break;
    case 2:
      std::swap(*one, *other);
      break;
    default:
      *one = change(*one, chance);
  }
  std::string changed = Joined(parts, std::string_view(&between, 1));
  return changed.size() <= kMostBytes ? changed : WithBytesChanged(text, chance);
}

std::string WithWordsChanged(const std::string& lines, std::mt19937_64& chance) {
  const auto change = [](const std::string& line, std::mt19937_64& drawn) {
    return WithPartsChanged(line, ' ', OtherWord, drawn);
  };
  return WithPartsChanged(lines, '\n', change, chance);
}

std::string WithMarkupChanged(const std::string& xml, std::mt19937_64& chance) {
  std::string changed = xml;
  for (std::size_t times = 1 + chance() % 3; times > 0; --times) ChangeMarkupOnce(changed, chance);
  return changed;
}

}  // namespace tandem
