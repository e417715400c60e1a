// Room scenarios/arrivals: streams of requests, when they come, and the random numbers for it.
//
// When the requests of a stream are released. Open arrivals (offline, periodic, Poisson, trace) are fixed
// before time zero: they depend on the stream and the scenario's seed alone, never on how fast anything runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "scenarios/arrivals/random.h"
#include "scenarios/arrivals/stream.h"

namespace tandem {

// The releases of an open stream one by one, never earlier than the one before: the k-th that Next() returns
// is request k's. In memory: nothing that grows with their number.
class ReleaseTimes {
 public:
  // `stream` outlives it and is not closed or dependent.
  ReleaseTimes(const Stream& stream, std::uint64_t scenario_seed);

  std::optional<Nanos> Next() {  // nothing: there are no more
    if (at_zero_ == 0) return NextByTheClock();
    --at_zero_;
    return Nanos{0};
  }

 private:
  std::optional<Nanos> NextByTheClock();
  std::optional<Nanos> NextOf(const PeriodicArrival& arrival);
  std::optional<Nanos> NextOf(const PoissonArrival& arrival);
  std::optional<Nanos> NextOf(const TraceArrival& arrival);
  template <class Other>
  std::optional<Nanos> NextOf(const Other& arrival);
  void AdvancePeriod(const PeriodicArrival& arrival);

  const Stream* stream_;
  StreamRandom random_;
  std::int64_t at_zero_ = 0;  // offline: so many are still to come
  std::int64_t index_ = 0;
  Nanos date_{0};               // periodic: the nominal date of the index; Poisson: the last release
  std::int64_t remainder_ = 0;  // periodic: what the date lacks, in 1 / divisor ns
  // Periodic with jitter: releases that a later frame may still precede.
  std::priority_queue<Nanos, std::vector<Nanos>, std::greater<>> waiting_;
};

// Which requests of a dependent stream exist: drawn by index, whatever the order in which they are asked for.
class DependencyDraws {
 public:
  DependencyDraws(const Stream& stream, std::uint64_t scenario_seed);

  bool Exists(std::int64_t index);
  // Is that of no request with such an index, since it follows every n-th alone?
  bool PassesOver(std::int64_t index) const { return index % link_.every != 0; }

 private:
  DependentArrival link_;
  StreamRandom random_;
  std::vector<bool> drawn_;
};

bool IsOpen(const Stream& stream);  // are all its releases fixed before time zero?
// Do its requests come by the clock, while others run? Offline they are all there at 0.
bool ComesByTheClock(const Stream& stream);

// Does chance, and so the scenario's seed, have a part in it: when requests come, or whether they do?
bool HasRandomArrivals(const std::vector<Stream>& streams);

// at_least: the stream's end depends on how fast things run. about: counting one by one would take long.
enum class Certainty : std::uint8_t { kExact, kAbout, kAtLeast };

// How many requests there will be.
struct RequestCount {
  std::int64_t count = 0;
  Certainty certainty = Certainty::kExact;
};
std::vector<RequestCount> CountRequests(const std::vector<Stream>& streams, std::uint64_t scenario_seed);

// So many requests a run has at most in all, each of which takes 8 to 40 bytes: 2^28, or what the environment
// says in TANDEM_MOST_REQUESTS, which throws EnvironmentError where that is no number of requests.
std::int64_t MostRequests();
// "more than 268,435,456 requests ..., which take 4 GiB and more; ..."
std::string MoreThanMostRequests(const std::string& which);

}  // namespace tandem
