#include "device/host/core_list.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostCores = 1 << 16;  // no list is longer, whatever a file says

std::optional<std::int64_t> CoreOf(std::string_view text) {
  std::int64_t core = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), core);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && core >= 0 && core < kMostCores ? std::optional(core) : std::nullopt;
}

struct CoreRange {
  std::int64_t first, last, step;
};

std::optional<CoreRange> RangeOf(std::string_view text) {
  const auto colon = text.find(':');
  const std::string_view range = text.substr(0, colon);
  const auto dash = range.find('-');
  const bool several = dash != std::string_view::npos;
  if (colon != std::string_view::npos && !several) return std::nullopt;
  const auto first = CoreOf(range.substr(0, dash));
  const auto last = several ? CoreOf(range.substr(dash + 1)) : first;
  const auto step =
      colon == std::string_view::npos ? std::optional<std::int64_t>(1) : CoreOf(text.substr(colon + 1));
  if (!first || !last || !step || *last < *first || *step == 0) return std::nullopt;
  return CoreRange{*first, *last, *step};
}

}  // namespace

std::vector<std::int64_t> ReadCoreList(std::string_view text) {
  std::vector<std::int64_t> cores;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), range.size() + 1));
    const auto dash = range.find('-');
    const auto first = CoreOf(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : CoreOf(range.substr(dash + 1));
    if (!first || !last) continue;
    for (std::int64_t core = *first; core <= *last; ++core) cores.push_back(core);
  }
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  return cores;
}

std::vector<std::int64_t> ReadCoreMask(std::string_view text) {
  constexpr std::int64_t kBits = 32;
  std::vector<std::int64_t> cores;
  for (std::int64_t first = 0; first < kMostCores; first += kBits) {
    const auto comma = text.rfind(',');
    const std::string_view word = text.substr(comma == std::string_view::npos ? 0 : comma + 1);
    std::uint32_t bits = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), bits, 16);
    if (error != std::errc{} || end != word.data() + word.size()) return {};
    for (std::int64_t bit = 0; bit < kBits; ++bit) {
      if ((bits >> bit & 1U) != 0) cores.push_back(first + bit);
    }
    if (comma == std::string_view::npos) return cores;
    text = text.substr(0, comma);
  }
  return {};
}

std::vector<std::int64_t> AskedCores(const std::vector<std::string>& words, const std::string& option) {
  std::vector<std::int64_t> cores;
  for (const std::string& word : words) {
    const auto range = RangeOf(word);
    if (!range) {
      throw InputError(option + ": expected cores such as 0,1 or 0-3, from 0 to " +
                       std::to_string(kMostCores - 1) + ", found " + Quoted(word));
    }
    for (std::int64_t core = range->first; core <= range->last; core += range->step) cores.push_back(core);
  }
  std::vector<std::int64_t> sorted = cores;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return cores;
  throw InputError(option + ": core " + std::to_string(*twice) + " is named twice");
}

std::string CoreListText(std::span<const std::int64_t> cores) {
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < cores.size(); begin = end) {
    for (end = begin + 1; end < cores.size() && cores[end] == cores[end - 1] + 1;) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(cores[begin]);
    if (end - begin > 1) text += '-' + std::to_string(cores[end - 1]);
  }
  return text;
}

}  // namespace tandem
