#include "sim/sweep/factors.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <system_error>

#include "sim/sweep/json_values.h"

namespace tandem {
namespace {

constexpr std::size_t kMostDistinct = 12;  // distinct numbers; more of them are put together
constexpr std::size_t kRangesOfMany = 5;

using TextOfRow = std::function<std::string(const SweepRow&)>;
using ByText = std::map<std::string, std::vector<std::size_t>>;

std::optional<double> NumberOf(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<FactorLevel> LevelsByText(const ByText& by_text) {
  std::vector<FactorLevel> levels;
  for (const auto& [text, rows] : by_text) levels.push_back({PlainValue(text), NumberOf(text), rows});
  const bool numbers = std::all_of(levels.begin(), levels.end(), [](const auto& level) { return level.at; });
  if (numbers) {
    std::stable_sort(levels.begin(), levels.end(),
                     [](const FactorLevel& a, const FactorLevel& b) { return *a.at < *b.at; });
  } else {
    for (FactorLevel& level : levels) level.at.reset();
  }
  return levels;
}

// Neighbours put together, about as many values in each.
std::vector<FactorLevel> Ranges(const std::vector<FactorLevel>& levels) {
  std::vector<FactorLevel> ranges;
  for (std::size_t r = 0; r < kRangesOfMany; ++r) {
    const std::size_t begin = r * levels.size() / kRangesOfMany,
                      end = (r + 1) * levels.size() / kRangesOfMany;
    FactorLevel range{levels[begin].label + " to " + levels[end - 1].label, 0.0, {}};
    for (std::size_t level = begin; level < end; ++level) {
      *range.at += *levels[level].at / static_cast<double>(end - begin);
      range.rows.insert(range.rows.end(), levels[level].rows.begin(), levels[level].rows.end());
    }
    ranges.push_back(std::move(range));
  }
  return ranges;
}

Factor FactorBy(std::string name, const TextOfRow& text, const std::vector<SweepRow>& rows,
                const std::vector<std::size_t>& positions) {
  ByText by_text;
  for (const std::size_t row : positions) by_text[text(rows[row])].push_back(row);
  Factor factor{std::move(name), LevelsByText(by_text), false};
  const bool many = factor.levels.size() > kMostDistinct && factor.levels.front().at;
  if (many) factor.levels = Ranges(factor.levels);
  return factor;
}

}  // namespace

std::vector<Factor> FactorsOf(const Sweep& sweep, const std::vector<SweepRow>& rows,
                              const std::vector<std::size_t>& positions) {
  std::vector<Factor> factors;
  for (const SweepAxis& axis : sweep.axes) {
    const auto value = [&](const SweepRow& row) {
      const auto found = row.point.find(axis.name);
      return found == row.point.end() ? std::string() : found->second;
    };
    factors.push_back(FactorBy(axis.name, value, rows, positions));
    factors.back().is_seed = axis.Is("/seed");
  }
  factors.push_back(FactorBy(
      "policy", [](const SweepRow& row) { return row.policy; }, rows, positions));
  std::erase_if(factors, [](const Factor& factor) { return factor.levels.size() < 2; });
  return factors;
}

}  // namespace tandem
