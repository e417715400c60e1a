#include <charconv>
#include <numeric>

#include "profiles/base/decimal.h"
#include "profiles/base/files.h"
#include "profiles/base/key_units.h"
#include "scenarios/scenario/arrival_file.h"
#include "scenarios/scenario/parts.h"

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

void NotBoth(const JsonReader& object, std::string_view first, std::string_view second) {
  const auto a = object.Find(first), b = object.Find(second);
  if (a && b) b->Fail(Quoted(first) + " and " + Quoted(second) + " say the same thing twice");
}

void Either(const JsonReader& object, std::string_view first, std::string_view second) {
  NotBoth(object, first, second);
  if (object.Find(first) || object.Find(second)) return;
  object.Fail("one of the keys " + Quoted(first) + " and " + Quoted(second) + " is missing");
}

// With the key that tells the kinds apart, which has been read.
template <class Kind>
Fields<Kind> FieldsOfType(std::string_view type, std::string_view help = {}) {
  return Fields<Kind>()
      .Reads(
          "type", as::WordOf({type}), [](Kind&, std::string) {}, help)
      .MustBeThere();
}

const Fields<OfflineArrival>& OfflineFields() {
  static const auto fields = FieldsOfType<OfflineArrival>("offline", "All at time 0.");
  return fields;
}

const Fields<ClosedArrival>& ClosedFields() {
  static const auto fields =
      FieldsOfType<ClosedArrival>("closed", "The next one when one completes.")
          .Optional("in_flight", &ClosedArrival::in_flight, as::Integer(1, kMostRequests));
  return fields;
}

void SetFps(PeriodicArrival& periodic, std::int64_t micro_fps) {
  const std::int64_t common = std::gcd(micro_fps, kNanosPerSecond * kMicroHertz);
  periodic.period_ns = kNanosPerSecond * kMicroHertz / common;
  periodic.divisor = micro_fps / common;
}

void SetPeriod(PeriodicArrival& periodic, Nanos period) {
  periodic.period_ns = period.count();
  periodic.divisor = 1;
}

void JitterIsShort(const JsonReader& arrival, const PeriodicArrival& periodic, Context) {
  if (periodic.jitter.count() / kMostJitterPeriods <= periodic.period_ns / periodic.divisor) return;
  arrival.FindTime("jitter_us").value_or(arrival).Fail("the jitter is at most 1000 periods");
}

// As it is written, in the shortest text that says the same double.
std::string Shortest(double value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

// Scripts write 29.97002997002997: more decimals are rounded.
CodecOf<std::int64_t> FramesPerSecond() {
  return as::ReadOnly<std::int64_t>(
      [](SchemaDefs& defs) { return as::Number(kLowestRate, kHighestRate)->Schema(defs); },
      [](const JsonReader& value, std::int64_t& into, Context) {
        into = *RoundedDecimal(Shortest(value.Number(kLowestRate, kHighestRate)), kFpsDecimals);
      });
}

const Fields<PeriodicArrival>& PeriodicFields() {
  using P = PeriodicArrival;
  constexpr Nanos kLongestJitter = kLongestTime - Nanos{1};
  constexpr auto set_phase = [](P& periodic, Nanos phase) { periodic.phase = phase; };
  constexpr auto set_jitter = [](P& periodic, Nanos jitter) { periodic.jitter = jitter; };
  static const auto fields =
      FieldsOfType<P>("periodic")
          .Rule(
              [](const JsonReader& arrival, const P&, Context) {
                const auto period = arrival.FindTime("period_us");
                Either(arrival, "fps", period ? period->key() : "period_us");
              },
              R"({"oneOf": [{"required": ["fps"]}, )" + TimeGivenSchema("period_us") + "]}")
          .Reads("fps", FramesPerSecond(), SetFps)
          .Reads("period_us", as::Micros(Nanos{1}), SetPeriod)
          .Reads("phase_us", as::Micros(), set_phase, "When the first comes.")
          .Reads("jitter_us", as::Micros(Nanos{0}, kLongestJitter), set_jitter,
                 "Each comes up to so much later.")
          .Rule(JitterIsShort);
  return fields;
}

const Fields<PoissonArrival>& PoissonFields() {
  using P = PoissonArrival;
  constexpr auto set_rate = [](P& poisson, double rate) { poisson.rate_per_s = rate; };
  static const auto fields =
      FieldsOfType<P>("poisson")
          .Rule([](const JsonReader& arrival, const P&, Context) { Either(arrival, "rate_per_s", "qps"); },
                R"({"oneOf": [{"required": ["rate_per_s"]}, {"required": ["qps"]}]})")
          .Reads("rate_per_s", as::Number(kLowestRate, kHighestRate), set_rate)
          .Reads("qps", as::Number(kLowestRate, kHighestRate), set_rate, "The same.");
  return fields;
}

struct TimesFile {
  std::string file;
  bool intervals = false;
};

const Fields<TimesFile>& TimesFields() {
  static const auto fields =
      FieldsOfType<TimesFile>("trace")
          .Needed("file", &TimesFile::file, as::Name(),
                  "Text with one time in microseconds a line, or a fixed schedule: JSON with timestamps in "
                  "milliseconds.")
          .Optional("intervals", &TimesFile::intervals, as::Boolean(),
                    "The lines are gaps, not times: as perf_analyzer's request intervals.");
  return fields;
}

TraceArrival ReadTimes(const JsonReader& arrival) {
  const TimesFile times = TimesFields().Read(arrival);
  return Within(arrival.Get("file"), [&] {
    const auto path = FileToRead(times.file, arrival.file());
    return TraceArrival{path.string(),
                        std::make_shared<const std::vector<Nanos>>(ReadTraceFile(path, times.intervals))};
  });
}

Arrival ReadPlain(const JsonReader& arrival, Kind kind) {
  switch (kind) {
    case Kind::kOffline:
      return OfflineFields().Read(arrival);
    case Kind::kClosed:
      return ClosedFields().Read(arrival);
    case Kind::kPeriodic:
      return PeriodicFields().Read(arrival);
    case Kind::kPoisson:
      return PoissonFields().Read(arrival);
    default:
      return ReadTimes(arrival);
  }
}

void ReadArrival(const JsonReader& value, StreamArrival& into, Context context) {
  const Kind kind = value.Get("type").OneOf(kKindNames, "arrival type");
  const auto& scenario = context.As<Scenario>();
  if (!IsLoadgen(value, kind, scenario.rules)) {
    into = {ReadPlain(value, kind), std::nullopt};
    return;
  }
  const LoadgenScenario loadgen = LoadgenOf(kind);
  Loadgen rules = LoadgenDefaults(loadgen, scenario.model(context.As<Stream>().model).name);
  LoadgenFields(loadgen).Read(value, rules);
  into = {LoadgenArrival(rules), rules};
}

SchemaNode ArrivalSchema(SchemaDefs& defs) {
  return defs.Ref("arrival", [&] {
    std::vector<SchemaNode> kinds;
    const std::initializer_list<const AnyFields*> plain = {
        &OfflineFields(), &ClosedFields(), &PeriodicFields(), &PoissonFields(), &TimesFields()};
    for (const AnyFields* fields : plain) kinds.push_back(fields->Schema(defs));
    for (const auto& named : kLoadgenScenarioNames) kinds.push_back(LoadgenFields(named.value).Schema(defs));
    return as::AnyOfSchema(kinds).AddString("type", "object");
  });
}

Until ReadUntil(const JsonReader& value, const Stream& stream) {
  const auto count = value.Find("count"), duration = value.FindTime("duration_ms");
  const auto* trace = std::get_if<TraceArrival>(&stream.arrival);
  const std::int64_t lines = trace ? static_cast<std::int64_t>(trace->times->size()) : kMostRequests;
  if (count && duration) {
    duration->Fail("\"count\" and " + Quoted(duration->key()) + " are given; one of them ends the stream");
  }
  if (count) {
    if (stream.until.count > lines) count->Fail("the trace holds " + std::to_string(lines) + " times only");
    return stream.until;
  }
  if (duration) {
    if (std::holds_alternative<OfflineArrival>(stream.arrival)) {
      duration->Fail("offline requests are all there at time 0: \"count\" says how many");
    }
    const auto* periodic = std::get_if<PeriodicArrival>(&stream.arrival);
    if (periodic && periodic->phase >= stream.until.duration) {
      duration->Fail("the stream ends before its phase begins it");
    }
    return stream.until;
  }
  if (trace) return {lines, Nanos{0}};
  value.Fail("the stream never ends: one of the keys \"count\" and \"duration_ms\" is missing");
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

CodecOf<std::int64_t> Scaled(int decimals, double least, double most) {
  return as::ReadOnly<std::int64_t>(
      [=](SchemaDefs& defs) { return as::Number(least, most)->Schema(defs); },
      [=](const JsonReader& value, std::int64_t& into, Context) {
        const std::string shortest = Shortest(value.Number(least, most));
        const auto scaled = ScaledDecimal(shortest, decimals);
        if (!scaled) value.Fail(shortest + " has more than " + std::to_string(decimals) + " decimals");
        into = *scaled;
      });
}

CodecOf<StreamArrival> ArrivalOfStream() { return as::ReadOnly<StreamArrival>(ArrivalSchema, ReadArrival); }

void EndStream(const JsonReader& value, Stream& stream) {
  if (stream.loadgen) {
    for (const std::string_view key : {"count", "duration_ms"}) {
      if (const auto limit = value.FindTime(key)) {
        limit->Fail(
            "LoadGen's rules end the stream: \"min_query_count\" and \"min_duration_ms\" of its arrival");
      }
    }
    EndLoadgen(stream);
  } else {
    stream.until = ReadUntil(value, stream);
  }
  CheckLastRelease(value, stream);
}

}  // namespace tandem
