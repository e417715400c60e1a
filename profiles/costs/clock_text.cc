#include "profiles/costs/clock_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <system_error>

namespace tandem {
namespace {

constexpr std::string_view kUnit = " MHz";

// "performance, 408 to 1479 MHz while held back".
struct ClockLimitsRead {
  std::string governor;
  std::optional<std::int64_t> least, most;  // MHz
  bool held_back = false;
};

std::optional<std::int64_t> Megahertz(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

ClockLimitsRead LimitsIn(std::string_view text) {
  constexpr std::string_view kBetween = " to ", kBefore = ", ";
  ClockLimitsRead limits;
  limits.held_back = text.ends_with(kWhileHeldBack);
  if (limits.held_back) text.remove_suffix(kWhileHeldBack.size());
  limits.governor = text;
  if (!text.ends_with(kUnit)) return limits;
  text.remove_suffix(kUnit.size());
  const auto comma = text.rfind(kBefore);
  std::string_view range = comma == std::string_view::npos ? text : text.substr(comma + kBefore.size());
  limits.governor = text.substr(0, comma == std::string_view::npos ? 0 : comma);
  if (const auto between = range.find(kBetween); between != std::string_view::npos) {
    limits.least = Megahertz(range.substr(0, between));
    range.remove_prefix(between + kBetween.size());
  }
  limits.most = Megahertz(range);
  return limits;
}

// Of a device that has no cores the name is empty.
std::map<std::string, std::string, std::less<>> SettingsByCore(std::string_view text) {
  const auto take = [](std::string_view& from, std::string_view between) {
    const std::string_view first = from.substr(0, from.find(between));
    from.remove_prefix(std::min(from.size(), first.size() + between.size()));
    return first;
  };
  std::map<std::string, std::string, std::less<>> settings;
  while (!text.empty()) {
    std::string_view setting = take(text, "; "), cores;
    if (setting.find(": ") != std::string_view::npos) cores = take(setting, ": ");
    do {
      settings.emplace(take(cores, ", "), setting);
    } while (!cores.empty());
  }
  return settings;
}

// The upper limit of the one that was held back may be lower, its own lower limit with it.
bool MayBeLowered(const ClockLimitsRead& held_back, const ClockLimitsRead& other) {
  if (!held_back.most || !other.most || *held_back.most > *other.most) return false;
  return held_back.least == other.least ||
         (held_back.least && other.least && held_back.least == held_back.most &&
          *held_back.least <= *other.least);
}

bool SameSetting(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const ClockLimitsRead one = LimitsIn(a), two = LimitsIn(b);
  if (one.governor != two.governor) return false;
  return (one.held_back && MayBeLowered(one, two)) || (two.held_back && MayBeLowered(two, one));
}

}  // namespace

std::string WhileHeldBack(std::string setting) {
  if (setting.ends_with(kUnit)) setting += kWhileHeldBack;
  return setting;
}

bool SameClockSettings(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto read_while = [](std::string_view text) {
    return text.find(kWhileHeldBack) != std::string_view::npos;
  };
  if (!read_while(a) && !read_while(b)) return false;
  const auto one = SettingsByCore(a), two = SettingsByCore(b);
  return std::equal(one.begin(), one.end(), two.begin(), two.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && SameSetting(x.second, y.second);
  });
}

}  // namespace tandem
