#include "scenarios/scenario/arrival_reader.h"

#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "profiles/base/decimal.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "scenarios/scenario/arrival_file.h"
#include "scenarios/scenario/loadgen_rules.h"

namespace tandem {
namespace {

enum class Kind : std::uint8_t { kOffline, kClosed, kPeriodic, kPoisson, kTrace, kSingle, kMulti, kServer };
constexpr std::array<Named<Kind>, 8> kKindNames = {{{"offline", Kind::kOffline},
                                                    {"closed", Kind::kClosed},
                                                    {"periodic", Kind::kPeriodic},
                                                    {"poisson", Kind::kPoisson},
                                                    {"trace", Kind::kTrace},
                                                    {"single_stream", Kind::kSingle},
                                                    {"multi_stream", Kind::kMulti},
                                                    {"server", Kind::kServer}}};

constexpr int kFpsDecimals = 6;
constexpr std::int64_t kMicroHertz = 1000000;
constexpr std::int64_t kNanosPerSecond = 1000000000;
constexpr double kHighestRate = 1e9;  // one request per nanosecond
constexpr double kLowestRate = 1e-6;
constexpr std::int64_t kMostJitterPeriods = 1000;  // so many frames may have to be put in order

bool IsLoadgen(const JsonReader& arrival, Kind kind, Rules rules) {
  if (kind != Kind::kOffline && kind < Kind::kSingle) return false;
  if (const auto own = arrival.Find("rules")) {
    rules = own->OneOf(kRulesNames, "rules");
    if (rules != Rules::kLoadgen) own->Fail("an arrival's own rules can be \"loadgen\" alone");
  }
  if (rules == Rules::kLoadgen) return true;
  if (kind == Kind::kOffline) return false;
  const JsonReader type = arrival.Get("type");
  type.Fail(Quoted(type.String()) + " is one of LoadGen's scenarios: it needs \"rules\": \"loadgen\"");
}

LoadgenScenario LoadgenOf(Kind kind) {
  switch (kind) {
    case Kind::kSingle:
      return LoadgenScenario::kSingleStream;
    case Kind::kMulti:
      return LoadgenScenario::kMultiStream;
    case Kind::kServer:
      return LoadgenScenario::kServer;
    default:
      return LoadgenScenario::kOffline;
  }
}

// The one of two keys that is there; both or neither is an error.
JsonReader Either(const JsonReader& object, std::string_view first, std::string_view second) {
  const auto a = object.Find(first), b = object.Find(second);
  if (a && b) b->Fail(Quoted(first) + " and " + Quoted(second) + " say the same thing twice");
  if (!a && !b) object.Fail("one of the keys " + Quoted(first) + " and " + Quoted(second) + " is missing");
  return a ? *a : *b;
}

// The time under `micros_key` or `millis_key`, whichever is there; nothing where neither is.
std::optional<Nanos> ReadTime(const JsonReader& arrival, std::string_view micros_key,
                              std::string_view millis_key, Nanos least, Nanos most = kLongestTime) {
  if (!arrival.Find(micros_key) && !arrival.Find(millis_key)) return std::nullopt;
  const JsonReader time = Either(arrival, micros_key, millis_key);
  return time.key() == micros_key ? time.Micros(least, most) : time.Millis(least, most);
}

void ReadPace(const JsonReader& arrival, PeriodicArrival& periodic) {
  const auto period = ReadTime(arrival, "period_us", "period_ms", Nanos{1});
  if (period && !arrival.Find("fps")) {
    periodic.period_ns = period->count();
    return;
  }
  const JsonReader fps = Either(arrival, "fps", arrival.Find("period_ms") ? "period_ms" : "period_us");
  const std::int64_t micro_fps = ReadScaled(fps, kFpsDecimals, kLowestRate, kHighestRate);
  const std::int64_t common = std::gcd(micro_fps, kNanosPerSecond * kMicroHertz);
  periodic.period_ns = kNanosPerSecond * kMicroHertz / common;
  periodic.divisor = micro_fps / common;
}

PeriodicArrival ReadPeriodic(const JsonReader& arrival) {
  arrival.OnlyKeys(
      {"type", "fps", "period_us", "period_ms", "phase_us", "phase_ms", "jitter_us", "jitter_ms"});
  PeriodicArrival periodic;
  ReadPace(arrival, periodic);
  periodic.phase = ReadTime(arrival, "phase_us", "phase_ms", Nanos{0}).value_or(Nanos{0});
  const auto jitter = ReadTime(arrival, "jitter_us", "jitter_ms", Nanos{0}, kLongestTime - Nanos{1});
  periodic.jitter = jitter.value_or(Nanos{0});
  if (periodic.jitter.count() / kMostJitterPeriods > periodic.period_ns / periodic.divisor) {
    Either(arrival, "jitter_us", "jitter_ms").Fail("the jitter is at most 1000 periods");
  }
  return periodic;
}

TraceArrival ReadTrace(const JsonReader& arrival) {
  arrival.OnlyKeys({"type", "file", "intervals"});
  const JsonReader file = arrival.Get("file");
  const auto value = arrival.Find("intervals");
  const bool intervals = value && value->Boolean();
  const auto path = ResolvePath(file.Name(), arrival.file());
  try {
    auto times = ReadTraceFile(path, intervals);
    return {path.string(), std::make_shared<const std::vector<Nanos>>(std::move(times))};
  } catch (const InputError& error) {
    file.Fail(error.what());
  }
}

Arrival ReadPlain(const JsonReader& arrival, Kind kind) {
  switch (kind) {
    case Kind::kOffline:
      arrival.OnlyKeys({"type"});
      return OfflineArrival{};
    case Kind::kClosed: {
      arrival.OnlyKeys({"type", "in_flight"});
      const auto in_flight = arrival.Find("in_flight");
      return ClosedArrival{in_flight ? in_flight->Integer(1, kMostRequests) : 1, 1};
    }
    case Kind::kPeriodic:
      return ReadPeriodic(arrival);
    case Kind::kPoisson: {
      arrival.OnlyKeys({"type", "rate_per_s", "qps"});
      return PoissonArrival{Either(arrival, "rate_per_s", "qps").Number(kLowestRate, kHighestRate)};
    }
    default:
      return ReadTrace(arrival);
  }
}

Until ReadUntil(const JsonReader& stream, const Arrival& arrival) {
  const auto count = stream.Find("count"), duration = stream.Find("duration_ms");
  const auto* trace = std::get_if<TraceArrival>(&arrival);
  if (count && duration)
    duration->Fail("\"count\" and \"duration_ms\" are given; one of them ends the stream");
  if (count) {
    const std::int64_t lines = trace ? static_cast<std::int64_t>(trace->times->size()) : kMostRequests;
    const std::int64_t value = count->Integer(1, kMostRequests);
    if (value > lines) count->Fail("the trace holds " + std::to_string(lines) + " times only");
    return {value, Nanos{0}};
  }
  if (duration) {
    if (std::holds_alternative<OfflineArrival>(arrival)) {
      duration->Fail("offline requests are all there at time 0: \"count\" says how many");
    }
    const auto* periodic = std::get_if<PeriodicArrival>(&arrival);
    const Nanos value = duration->Millis(Nanos{1});
    if (periodic && periodic->phase >= value) duration->Fail("the stream ends before its phase begins it");
    return {0, value};
  }
  if (trace) return {static_cast<std::int64_t>(trace->times->size()), Nanos{0}};
  stream.Fail("the stream never ends: one of the keys \"count\" and \"duration_ms\" is missing");
}

// Dates must stay where nanoseconds are exact.
void CheckLastRelease(const JsonReader& stream_value, const Stream& stream) {
  double last = 0;
  if (const auto* periodic = std::get_if<PeriodicArrival>(&stream.arrival)) {
    last = static_cast<double>(stream.until.count) * static_cast<double>(periodic->period_ns) /
               static_cast<double>(periodic->divisor) +
           static_cast<double>((periodic->phase + periodic->jitter).count());
  }
  if (const auto* poisson = std::get_if<PoissonArrival>(&stream.arrival)) {
    last = static_cast<double>(stream.until.count) / poisson->rate_per_s * 1e9;
  }
  if (last < static_cast<double>(kLongestTime.count())) return;
  stream_value.Get("arrival").Fail(
      "the last requests would be released after 104 days: dates stay below 2^53 ns");
}

}  // namespace

std::int64_t ReadScaled(const JsonReader& value, int decimals, double least, double most) {
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value.Number(least, most));
  const std::string_view shortest(text, static_cast<std::size_t>(end - text));
  if (const auto scaled = ScaledDecimal(shortest, decimals)) return *scaled;
  value.Fail(std::string(shortest) + " has more than " + std::to_string(decimals) + " decimals");
}

void ReadArrival(const JsonReader& stream_value, Rules rules, const std::string& model, Stream& stream) {
  const JsonReader arrival = stream_value.Get("arrival");
  const Kind kind = arrival.Get("type").OneOf(kKindNames, "arrival type");
  if (IsLoadgen(arrival, kind, rules)) {
    for (const std::string_view key : {"count", "duration_ms"}) {
      if (const auto limit = stream_value.Find(key)) {
        limit->Fail(
            "LoadGen's rules end the stream: \"min_query_count\" and \"min_duration_ms\" of its arrival");
      }
    }
    ReadLoadgen(arrival, LoadgenOf(kind), model, stream);
  } else {
    stream.arrival = ReadPlain(arrival, kind);
    stream.until = ReadUntil(stream_value, stream.arrival);
  }
  CheckLastRelease(stream_value, stream);
}

}  // namespace tandem
