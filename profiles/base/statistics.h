// The middle of a list of values and others by their rank: always one of the values, never a mean of two. And
// the mean, with how sure it is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tandem {

// The one at `rank`, counted from 0, were they in ascending order.
template <class Value>
Value ValueAtRank(std::vector<Value> values, std::size_t rank) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Of two in the middle the smaller; at least one value.
template <class Value>
Value LowerMedian(std::vector<Value> values) {
  const std::size_t middle = (values.size() - 1) / 2;
  return ValueAtRank(std::move(values), middle);
}

// The nearest-rank percentile of `count` values is the one of this rank, counted from 1: the 99th percentile
// of 100 values is the 99th. `percentile` in hundredths of a percent.
constexpr std::int64_t NearestRank(std::int64_t count, std::int64_t percentile) {
  constexpr std::int64_t kWhole = 10000;
  return std::max<std::int64_t>((count * percentile + kWhole - 1) / kWhole, 1);
}

// That value, of at least one.
template <class Value>
Value Percentile(std::vector<Value> values, std::int64_t percentile) {
  const std::int64_t rank = NearestRank(static_cast<std::int64_t>(values.size()), percentile);
  return ValueAtRank(std::move(values), static_cast<std::size_t>(rank - 1));
}

// Of at least one value.
inline double Mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// The standard error of the mean of these values, of at least two.
inline double StandardErrorOfMean(std::span<const double> values) {
  const double mean = Mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto n = static_cast<double>(values.size());
  return std::sqrt(squares / (n - 1) / n);  // a root is rounded alike everywhere
}

}  // namespace tandem
