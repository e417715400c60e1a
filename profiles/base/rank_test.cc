#include "profiles/base/rank_test.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace tandem {
namespace {

constexpr std::size_t kMostExact = 20;

// Mid-ranks of both together: twice the sum of those of `a`, and how far ties reduce the variance.
struct Ranks {
  std::int64_t twice_sum = 0;
  double ties = 0;  // the sum of t^3 - t over groups of t equal values
};

Ranks RanksOf(std::span<const Nanos> a, std::span<const Nanos> b) {
  std::vector<std::pair<Nanos, bool>> all;
  for (const Nanos value : a) all.emplace_back(value, true);
  for (const Nanos value : b) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  Ranks ranks;
  for (std::size_t from = 0, to = 0; from < all.size(); from = to) {
    while (to < all.size() && all[to].first == all[from].first) ++to;
    const auto count = static_cast<double>(to - from);
    ranks.ties += count * count * count - count;
    for (std::size_t i = from; i < to; ++i) {
      if (all[i].second) ranks.twice_sum += static_cast<std::int64_t>(from + to + 1);
    }
  }
  return ranks;
}

// In how many orders of m and n values does U come out as each number from 0 to m * n? The product of
// (1 - x^(n + i)) / (1 - x^i) over i = 1..m, term by term.
std::vector<double> OrdersPerU(std::size_t m, std::size_t n) {
  std::vector<double> orders(m * n + 1, 0.0);
  orders[0] = 1;
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t u = orders.size(); u-- > n + i;) orders[u] -= orders[u - n - i];
    for (std::size_t u = i; u < orders.size(); ++u) orders[u] += orders[u - i];
  }
  return orders;
}

double ExactP(std::size_t m, std::size_t n, std::size_t u) {
  const std::vector<double> orders = OrdersPerU(m, n);
  const auto end = orders.begin() + static_cast<std::ptrdiff_t>(std::min(u, m * n - u)) + 1;
  const double all = std::accumulate(orders.begin(), orders.end(), 0.0);
  return std::min(1.0, 2 * std::accumulate(orders.begin(), end, 0.0) / all);
}

double ApproximateP(double m, double n, double u, double ties) {
  const double all = m + n;
  const double variance = m * n / 12 * (all + 1 - ties / (all * (all - 1)));
  if (variance <= 0) return 1;  // all are equal
  const double distance = std::max(0.0, std::abs(u - m * n / 2) - 0.5);
  return std::min(1.0, std::erfc(distance / std::sqrt(2 * variance)));
}

}  // namespace

double RankTest(std::span<const Nanos> a, std::span<const Nanos> b) {
  if (a.empty() || b.empty()) return 1;
  const Ranks ranks = RanksOf(a, b);
  const auto m = static_cast<double>(a.size());
  const double u = static_cast<double>(ranks.twice_sum) / 2 - m * (m + 1) / 2;
  if (ranks.ties == 0 && a.size() <= kMostExact && b.size() <= kMostExact) {
    return ExactP(a.size(), b.size(), static_cast<std::size_t>(u));
  }
  return ApproximateP(m, static_cast<double>(b.size()), u, ranks.ties);
}

std::vector<double> FalseDiscoveryRates(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
  std::vector<double> rates(p.size());
  double least = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto rank = static_cast<double>(order.size() - i);
    least = std::min(least, p[order[i]] * static_cast<double>(order.size()) / rank);
    rates[order[i]] = least;
  }
  return rates;
}

}  // namespace tandem
