// Pieces of JSON text for the project's own writers, which lay their files out line by line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem {

std::string JsonString(
    std::string_view text);            // quoted and escaped, printable; bytes that are no UTF-8 become U+FFFD
std::string JsonNumber(double value);  // the shortest text that reads back as the same finite double
std::string JsonStrings(const std::vector<std::string>& texts);  // ["a", "b"]
template <class Integer>
std::string JsonIntegers(const std::vector<Integer>& values) {  // [1, 2]
  std::string list;
  for (const Integer value : values) list += (list.empty() ? "" : ", ") + std::to_string(value);
  return "[" + list + "]";
}

// A value of the library's on one line. Paths need not be UTF-8, and dump() alone would throw at them.
template <class Json>
std::string JsonLine(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The members of an object in the order in which they are added: {"a": 1, "b": "x"}.
class JsonObject {
 public:
  JsonObject& Add(std::string_view key, std::string_view json);
  JsonObject& AddString(std::string_view key, std::string_view text) { return Add(key, JsonString(text)); }
  std::string Text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

}  // namespace tandem
