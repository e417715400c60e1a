#include "sim/study/begin_words.h"

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

struct Factor {
  std::string_view unit;
  double factor;
};

constexpr std::array<Factor, 12> kBytesIn = {{{"", 1},
                                              {"B", 1},
                                              {"kB", 1e3},
                                              {"KB", 1e3},
                                              {"MB", 1e6},
                                              {"GB", 1e9},
                                              {"TB", 1e12},
                                              {"KiB", 1024},
                                              {"MiB", 1048576},
                                              {"GiB", 1073741824},
                                              {"G", 1e9},
                                              {"M", 1e6}}};
constexpr std::array<Factor, 5> kMicrosIn = {
    {{"ns", 1e-3}, {"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"\xC2\xB5s", 1}}};
constexpr std::array<Factor, 3> kWattsIn = {{{"", 1}, {"W", 1}, {"mW", 1e-3}}};

template <std::size_t N>
std::optional<double> Scaled(std::string_view text, const std::array<Factor, N>& factors) {
  const auto measured = MeasuredOf(text);
  if (!measured) return std::nullopt;
  for (const Factor& factor : factors) {
    if (factor.unit == measured->unit) return measured->value * factor.factor;
  }
  return std::nullopt;
}

// An integer where it is one, as files write it.
Json Number(double value) {
  if (value == std::floor(value) && std::abs(value) < 9e15) return static_cast<std::int64_t>(value);
  return value;
}

// "0-3,6" is [0, 1, 2, 3, 6].
Json Cores(const std::string& text, const WordPlace& place) {
  constexpr int kMostCores = 4096;
  Json cores = Json::array();
  const char *at = text.data(), *const end = at + text.size();
  while (true) {
    int first = 0, last = 0;
    auto [stopped, error] = std::from_chars(at, end, first);
    last = first;
    if (error == std::errc() && stopped < end && *stopped == '-') {
      const auto range = std::from_chars(stopped + 1, end, last);
      stopped = range.ptr;
      error = range.ec;
    }
    if (error != std::errc() || first < 0 || last < first || last > kMostCores ||
        (stopped < end && *stopped != ',')) {
      place.Fail(Quoted(text) + " is no list of cores, such as 0-3 or 0,2");
    }
    for (int core = first; core <= last; ++core) cores.push_back(core);
    if (stopped == end) return cores;
    at = stopped + 1;
  }
}

Json CommandWords(const std::string& text) {
  Json words = Json::array();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

void WordPlace::Fail(const std::string& what) const {
  throw InputError(option + " " + Quoted(word) + ": " + what);
}

std::optional<Measured> MeasuredOf(std::string_view text) {
  Measured measured;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), measured.value);
  if (error != std::errc() || !std::isfinite(measured.value) || measured.value < 0) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  measured.unit = unit;
  return measured;
}

std::optional<double> MicrosOf(std::string_view text) { return Scaled(text, kMicrosIn); }

std::vector<std::string> WordParts(std::string_view word) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t colon = word.find(':');
    parts.emplace_back(word.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    word.remove_prefix(colon + 1);
  }
}

Json QuantityOf(const std::string& text, Quantity quantity, const WordPlace& place) {
  std::optional<double> value;
  switch (quantity) {
    case Quantity::kText:
      return text;
    case Quantity::kFlag:
      return true;
    case Quantity::kCores:
      return Cores(text, place);
    case Quantity::kInteger: {
      const auto measured = MeasuredOf(text);
      if (!measured || !measured->unit.empty() || measured->value != std::floor(measured->value)) {
        place.Fail(Quoted(text) + " is no integer");
      }
      return Number(measured->value);
    }
    case Quantity::kBytes:
      value = Scaled(text, kBytesIn);
      if (!value) place.Fail(Quoted(text) + " is no size, such as 8GB or 512MiB");
      return Number(std::round(*value));
    case Quantity::kBytesPerSecond:
      value = Scaled(text.ends_with("/s") ? text.substr(0, text.size() - 2) : text, kBytesIn);
      if (!value) place.Fail(Quoted(text) + " is no bandwidth, such as 25.6GB/s");
      return Number(*value);
    case Quantity::kMicros:
      value = MicrosOf(text);
      if (!value) place.Fail(Quoted(text) + " is no time, such as 30us or 1.5ms");
      return Number(*value);
    case Quantity::kWatts:
      value = Scaled(text, kWattsIn);
      if (!value) place.Fail(Quoted(text) + " is no power, such as 2.5W");
      return Number(*value);
  }
  return nullptr;
}

void PutKey(const std::string& part, const std::vector<WordKey>& keys, const WordPlace& place, Json& object) {
  const std::size_t equals = std::min(part.find('='), part.size());
  const std::string word = part.substr(0, equals);
  std::vector<std::string> known;
  for (const WordKey& key : keys) {
    known.emplace_back(key.word);
    if (key.word != word && key.key != word) continue;
    if (key.quantity == Quantity::kFlag ? equals < part.size() : equals + 1 >= part.size()) {
      place.Fail("\"" + word + "\" stands " +
                 (key.quantity == Quantity::kFlag ? "by itself" : "with a value: " + word + "=..."));
    }
    if (object.contains(key.key)) place.Fail("\"" + word + "\" is given twice");
    const std::string value = equals < part.size() ? part.substr(equals + 1) : "";
    object[std::string(key.key)] =
        key.key == "command" ? CommandWords(value) : QuantityOf(value, key.quantity, place);
    return;
  }
  place.Fail("unknown key " + Quoted(word) + Suggestion(word, known));
}

}  // namespace tandem
