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

constexpr std::size_t kLeastForVariance = 4;

// Of the logarithms: times spread by a share of themselves.
struct LogMoments {
  double mean = 0, variance_of_mean = 0;
  double degrees = 0;
};

LogMoments MomentsOf(std::span<const Nanos> values) {
  const auto log_of = [](Nanos value) { return std::log(std::max(1.0, static_cast<double>(value.count()))); };
  const auto count = static_cast<double>(values.size());
  LogMoments moments;
  for (const Nanos value : values) moments.mean += log_of(value) / count;
  double squares = 0;
  for (const Nanos value : values) {
    const double off = log_of(value) - moments.mean;
    squares += off * off;
  }
  moments.degrees = count - 1;
  moments.variance_of_mean = squares / moments.degrees / count;
  return moments;
}

double WelchP(std::span<const Nanos> a, std::span<const Nanos> b) {
  const LogMoments x = MomentsOf(a), y = MomentsOf(b);
  const double variance = x.variance_of_mean + y.variance_of_mean;
  if (variance <= 0) return 0;  // no noise at all, and another time
  const double degrees = variance * variance /
                         (x.variance_of_mean * x.variance_of_mean / x.degrees +
                          y.variance_of_mean * y.variance_of_mean / y.degrees);
  return StudentP((x.mean - y.mean) / std::sqrt(variance), degrees);
}

// The continued fraction of the incomplete beta function (Lentz's way), which converges fast for
// x < (a + 1) / (a + b + 2).
double BetaFraction(double a, double b, double x) {
  constexpr int kMostTerms = 300;
  constexpr double kNear = 1e-15, kTiny = 1e-300;
  const auto away = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / away(1 - (a + b) * x / (a + 1)), h = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double factor = 1;
    for (const double term : {even, odd}) {
      d = 1 / away(1 + term * d);
      c = away(1 + term / c);
      factor = c * d;
      h *= factor;
    }
    if (std::abs(factor - 1) < kNear) break;
  }
  return h;
}

// Regularized: from 0 at x = 0 to 1 at x = 1.
double IncompleteBeta(double a, double b, double x) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

bool AreApart(std::span<const Nanos> a, std::span<const Nanos> b) {
  const auto [least_a, most_a] = std::minmax_element(a.begin(), a.end());
  const auto [least_b, most_b] = std::minmax_element(b.begin(), b.end());
  return *most_a < *least_b || *most_b < *least_a;
}

}  // namespace

double StudentP(double t, double degrees) {
  return IncompleteBeta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double ShiftTest(std::span<const Nanos> a, std::span<const Nanos> b) {
  const double p = RankTest(a, b);
  if (std::min(a.size(), b.size()) < kLeastForVariance || !AreApart(a, b)) return p;
  return std::min(p, WelchP(a, b));
}

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
