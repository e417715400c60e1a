#include "profiles/base/json_write.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "profiles/base/printable.h"

namespace tandem {

std::string JsonString(std::string_view text) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::all_of(text.begin(), text.end(), plain)) return '"' + std::string(text) + '"';
  return Printable(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string JsonNumber(double value) {
  // Bandwidths and capacities read better as 12800000000 than as 1.28e+10.
  if (std::abs(value) < 1e15 && value == std::trunc(value))
    return std::to_string(static_cast<long long>(value));
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

std::string JsonStrings(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + JsonString(text);
  return "[" + list + "]";
}

JsonObject& JsonObject::Add(std::string_view key, std::string_view json) {
  if (!members_.empty()) members_ += ", ";
  members_ += JsonString(key);
  members_ += ": ";
  members_ += json;
  return *this;
}

}  // namespace tandem
