#include <algorithm>

#include "scenarios/arrivals/arrivals.h"
#include "scenarios/scenario/parts.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostInFlight = 10'000'000;    // of all closed streams together
constexpr std::int64_t kBytesOfRequestInFlight = 48;  // about, in the dispatcher and a policy's queue

// Told of the stream that has the most; no other one has more than that on which it hangs.
void CheckRequestTotal(const JsonReader& streams, const Scenario& scenario) {
  const std::int64_t most = MostRequests();
  const std::vector<RequestCount> counts = CountRequests(scenario.streams, scenario.seed);
  std::int64_t total = 0, greatest = 0;
  std::size_t of = 0, position = 0;
  for (const RequestCount& requests : counts) {
    total += std::min(requests.count, most + 1);
    const bool hangs = std::holds_alternative<DependentArrival>(scenario.streams[position].arrival);
    if (!hangs && requests.count > greatest) {
      greatest = requests.count;
      of = position;
    }
    ++position;
  }
  if (total <= most) return;
  for (const JsonReader stream : streams.Elements()) {
    if (of-- > 0) continue;
    std::optional<JsonReader> end = stream.Find("count");
    if (!end) end = stream.FindTime("duration_ms");
    end.value_or(stream).Fail(MoreThanMostRequests("in all"));
  }
}

// Requests of a closed stream that are there at once from the start.
std::int64_t InFlight(const Stream& stream) {
  const auto* closed = std::get_if<ClosedArrival>(&stream.arrival);
  if (!closed) return 0;
  const std::int64_t queries =
      stream.until.count > 0 ? std::min(closed->in_flight, stream.until.count) : closed->in_flight;
  return queries > kMostInFlight ? queries : queries * closed->per_query;
}

void CheckInFlight(const JsonReader& streams, const Scenario& scenario) {
  std::int64_t total = 0;
  std::size_t position = 0;
  for (const JsonReader value : streams.Elements()) {
    total += InFlight(scenario.streams[position++]);
    if (total <= kMostInFlight) continue;
    value.Get("arrival").Fail(std::to_string(total) + " requests would be in flight at once and take about " +
                              std::to_string(total / 1'000'000 * kBytesOfRequestInFlight) + " MB; at most " +
                              std::to_string(kMostInFlight) + " are");
  }
}

}  // namespace

void CheckRequestsFit(const JsonReader& streams, const Scenario& scenario) {
  CheckInFlight(streams, scenario);  // the less of both
  CheckRequestTotal(streams, scenario);
}

}  // namespace tandem
