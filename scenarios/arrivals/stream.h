// A stream: requests for one model and the rule by which they arrive.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "profiles/base/ids.h"
#include "profiles/base/json_reader.h"
#include "profiles/base/time.h"

namespace tandem {

struct OfflineArrival {};  // all at 0

// Queries of `per_query` requests: `in_flight` queries at 0, the next when all requests of one have ended.
struct ClosedArrival {
  std::int64_t in_flight = 1;
  std::int64_t per_query = 1;
};

// The k-th at phase + round(k * period_ns / divisor), plus uniform [0, jitter].
struct PeriodicArrival {
  std::int64_t period_ns = 0, divisor = 1;
  Nanos phase{0}, jitter{0};
};

struct PoissonArrival {
  double rate_per_s = 0;
};

struct TraceArrival {
  std::string file;
  std::shared_ptr<const std::vector<Nanos>> times;  // ascending
};

// Request k, a multiple of `every`, is released when request k of the parent completes, with that
// probability; else there is none. With `joins` it waits until request k of these has ended, too, where there
// is one.
struct DependentArrival {
  StreamId parent;
  double probability = 1;
  std::int64_t every = 1;
  // Others of which request k is to have ended, each behind those on which it hangs, but for what the parent
  // hangs on; what comes by itself is among them.
  std::vector<StreamId> joins = {};
  bool data = false;  // what a request reads was made by the one of the parent that it follows
  // As the file has it, until there is a stream for each: how likely 0, 1, 2, ... requests follow one of the
  // parent.
  std::vector<double> times = {};
  std::string drawn_as = {};  // streams of one name are drawn together; empty: its own

  // Those of which a request has to have ended: all that it joins, then the parent.
  std::vector<StreamId> WaitsFor() const {
    std::vector<StreamId> all = joins;
    all.push_back(parent);
    return all;
  }
  double Share() const { return probability / static_cast<double>(every); }  // of the parent's requests
};

using Arrival = std::variant<OfflineArrival, ClosedArrival, PeriodicArrival, PoissonArrival, TraceArrival,
                             DependentArrival>;

// How long a stream goes on: the query of this index, due at that date, is admitted while either limit still
// admits it. A plain count has no duration and the other way round; LoadGen's rules have both.
struct Until {
  std::int64_t count = 0;
  Nanos duration{0};

  bool Admits(std::int64_t index, Nanos date) const { return index < count || date < duration; }
};

enum class LoadgenScenario : std::uint8_t { kSingleStream, kMultiStream, kServer, kOffline };
inline constexpr std::array<Named<LoadgenScenario>, 4> kLoadgenScenarioNames = {
    {{"single_stream", LoadgenScenario::kSingleStream},
     {"multi_stream", LoadgenScenario::kMultiStream},
     {"server", LoadgenScenario::kServer},
     {"offline", LoadgenScenario::kOffline}}};

// What LoadGen judges a run by; the arrivals that it asks for are in Stream::arrival and Stream::until.
struct Loadgen {
  LoadgenScenario scenario = LoadgenScenario::kSingleStream;
  std::int64_t min_query_count = 0;
  Nanos min_duration{0};
  std::int64_t percentile = 0;  // in hundredths of a percent: 9900 is the 99th
  std::optional<Nanos> target_latency;
  std::optional<double> target_qps;    // server: the rate; offline: the rate that sizes the one query
  std::int64_t samples_per_query = 8;  // multi_stream
};

// Requests that wait are begun together, by whoever takes the first of them.
struct Batching {
  std::int64_t most = 2;
  Nanos wait{0};                             // so long one waits for company, where there is not enough
  std::vector<std::int64_t> preferred = {};  // the largest of these that is full, where one is; ascending
  bool across = false;                       // also with those of other streams of the model that say so

  friend bool operator==(const Batching&, const Batching&) = default;
};

struct Stream {
  std::string name;
  ModelId model;
  Arrival arrival;
  Until until;
  std::optional<Nanos> deadline;  // after the request's own release
  std::int64_t priority = 0;      // larger is more urgent
  std::int64_t batch = 1;         // inferences of one request
  bool drop_late = false;
  bool critical = false;  // no unit takes another stream's task while one of its waits that it could run
  std::optional<std::int64_t> keep_latest;  // so many that no unit has begun; for a newer one the oldest goes
  std::optional<Batching> batching;
  std::optional<Loadgen> loadgen;
  // After the release of the request on which it hangs in the end; only where it hangs on one.
  std::optional<Nanos> end_to_end_deadline = {};
  bool age = false;  // reports say how old its newest result becomes, though it leaves nothing out
  std::string note = {};
  std::optional<std::size_t> copy_of =
      {};  // position of the file's stream that it is one of; nothing: the file has it

  // Is what its requests make last left where it is made? All that wait for them read it there.
  bool stays = false;

  // Whose requests have made what its own read; invalid: that comes from the first memory.
  StreamId ReadsFrom() const {
    const auto* follows = std::get_if<DependentArrival>(&arrival);
    return follows && follows->data ? follows->parent : StreamId();
  }
  bool HasDeadline() const { return deadline || end_to_end_deadline; }
  // Of a request that hangs on one that was released at `root`: the earlier of its deadlines.
  std::optional<Nanos> Due(Nanos release, Nanos root) const {
    std::optional<Nanos> due;
    if (deadline) due = release + *deadline;
    if (end_to_end_deadline) due = std::min(due.value_or(Nanos::max()), root + *end_to_end_deadline);
    return due;
  }
  bool Drops() const { return drop_late || keep_latest; }
};

}  // namespace tandem
