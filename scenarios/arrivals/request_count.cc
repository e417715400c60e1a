#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"
#include "scenarios/arrivals/arrivals.h"

namespace tandem {
namespace {

constexpr double kMostCounted = 1e7;  // of all streams together; beyond it counting one by one would be felt
constexpr double kMostInteger = 9e18;
constexpr std::int64_t kUsualMost = std::int64_t{1} << 28, kGreatestMost = std::int64_t{1} << 31;
constexpr std::int64_t kBytesOfRequest = 16;  // that waits, about
constexpr const char* kMostVariable = "TANDEM_MOST_REQUESTS";

RequestCount About(double count) {
  return {static_cast<std::int64_t>(std::min(count, kMostInteger)), Certainty::kAbout};
}

double RatePerSecond(const Stream& stream) {
  if (const auto* periodic = std::get_if<PeriodicArrival>(&stream.arrival)) {
    return 1e9 * static_cast<double>(periodic->divisor) / static_cast<double>(periodic->period_ns);
  }
  const auto* poisson = std::get_if<PoissonArrival>(&stream.arrival);
  return poisson ? poisson->rate_per_s : 0;
}

// `left` of the work of counting one by one is taken where it suffices.
bool Afford(double work, double& left) {
  if (work > left) return false;
  left -= work;
  return true;
}

RequestCount CountOpen(const Stream& stream, std::uint64_t seed, double& left) {
  if (stream.until.duration == Nanos{0}) return {stream.until.count, Certainty::kExact};
  const double expected = std::max(static_cast<double>(stream.until.count),
                                   InSeconds(stream.until.duration) * RatePerSecond(stream));
  if (!Afford(expected, left)) return About(expected);
  RequestCount result;
  ReleaseTimes times(stream, seed);
  while (times.Next()) ++result.count;
  return result;
}

RequestCount CountClosed(const Stream& stream) {
  const auto& closed = std::get<ClosedArrival>(stream.arrival);
  const bool timed = stream.until.duration > Nanos{0};
  const std::int64_t queries = std::max(stream.until.count, timed ? closed.in_flight : 0);
  return {queries * closed.per_query, timed ? Certainty::kAtLeast : Certainty::kExact};
}

// Request k needs every stream between it and the root to have its request k.
RequestCount CountDependent(std::size_t position, const std::vector<Stream>& streams,
                            const std::vector<RequestCount>& roots, std::uint64_t seed, double& left) {
  std::vector<DependencyDraws> chain;
  double share = 1;
  while (const auto* link = std::get_if<DependentArrival>(&streams[position].arrival)) {
    if (link->Share() < 1) chain.emplace_back(streams[position], seed);
    share *= link->Share();
    position = link->parent.index();
  }
  const RequestCount root = roots[position];
  if (chain.empty()) return root;
  const auto all = static_cast<double>(root.count);
  if (!Afford(all * static_cast<double>(chain.size()), left)) return About(all * share);
  RequestCount result{0, root.certainty};
  for (std::int64_t index = 0; index < root.count; ++index) {
    const auto exists = [&](DependencyDraws& draws) { return draws.Exists(index); };
    result.count += std::all_of(chain.begin(), chain.end(), exists) ? 1 : 0;
  }
  return result;
}

}  // namespace

std::vector<RequestCount> CountRequests(const std::vector<Stream>& streams, std::uint64_t scenario_seed) {
  std::vector<RequestCount> counts(streams.size());
  double left = kMostCounted;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (IsOpen(streams[i])) counts[i] = CountOpen(streams[i], scenario_seed, left);
    if (std::holds_alternative<ClosedArrival>(streams[i].arrival)) counts[i] = CountClosed(streams[i]);
  }
  std::vector<RequestCount> all = counts;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (!std::holds_alternative<DependentArrival>(streams[i].arrival)) continue;
    all[i] = CountDependent(i, streams, counts, scenario_seed, left);
  }
  return all;
}

std::int64_t MostRequests() {
  const char* const text = std::getenv(kMostVariable);
  if (text == nullptr || *text == '\0') return kUsualMost;
  const char* const end = text + std::strlen(text);
  std::int64_t most = 0;
  const auto [read, error] = std::from_chars(text, end, most);
  if (error == std::errc() && read == end && most >= 1 && most <= kGreatestMost) return most;
  throw EnvironmentError(std::string(kMostVariable) + ": " + Quoted(text) +
                         " is no number of requests that a run may have, from 1 to " +
                         std::to_string(kGreatestMost));
}

std::string MoreThanMostRequests(const std::string& which) {
  const std::int64_t most = MostRequests();
  return "more than " + Grouped(most) + " requests " + which + ", which take " +
         Grouped(most * kBytesOfRequest >> 20) +
         " MiB and more; let fewer come, or allow more where there is the memory: " + kMostVariable + "=" +
         std::to_string(kGreatestMost) + " is the most";
}

}  // namespace tandem
