// The words by which command lines describe boards and streams: "8GB", "400MB/s", "30us", "2W", "0-3".
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

// Where such a word is wrong: `--unit "gpu:gpu:coers=1"`.
struct WordPlace {
  std::string option, word;

  [[noreturn]] void Fail(const std::string& what) const;
};

enum class Quantity : std::uint8_t {
  kText,
  kInteger,
  kBytes,
  kBytesPerSecond,
  kMicros,
  kWatts,
  kCores,
  kFlag
};

// What may stand behind a ':': "bandwidth=25GB/s" becomes "bandwidth_bytes_per_s".
struct WordKey {
  std::string_view word, key;
  Quantity quantity = Quantity::kText;
};

// "a:b=c" at each ':'.
std::vector<std::string> WordParts(std::string_view word);

// Puts "KEY=VALUE" into the object; throws InputError with "did you mean".
void PutKey(const std::string& part, const std::vector<WordKey>& keys, const WordPlace& place,
            nlohmann::ordered_json& object);
nlohmann::ordered_json QuantityOf(const std::string& text, Quantity quantity, const WordPlace& place);

// A number with one of the words for units behind it; nothing: it is none.
struct Measured {
  double value = 0;
  std::string unit;
};
std::optional<Measured> MeasuredOf(std::string_view text);
// "33.3ms" in microseconds; nothing: it is no time.
std::optional<double> MicrosOf(std::string_view text);

}  // namespace tandem
