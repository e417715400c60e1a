#include <algorithm>
#include <functional>
#include <map>
#include <span>

#include "profiles/base/key_units.h"
#include "profiles/base/mistakes.h"
#include "profiles/model/model_source.h"
#include "scenarios/scenario/named_codecs.h"
#include "scenarios/scenario/parts.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostUrgent = 1000000000;
constexpr std::int64_t kLargestBatch = 1 << 20;
constexpr double kMostShare = 1e9;
constexpr std::size_t kMostTimes = 65;     // of 0 to 64 requests
constexpr std::size_t kLongestChain = 33;  // streams that hang on each other, and the first

std::shared_ptr<const Model> ReadGraph(const std::string& name, const Scenario& scenario) {
  ImportOptions options;
  options.want_weights = false;
  return std::make_shared<const Model>(std::move(LoadModel(name, scenario.file, options).model));
}

void AddModel(const JsonReader& value, Scenario& scenario, KnownModels& read_before) {
  const std::string name = value.Name();
  std::string key = Within(value, [&] { return ModelKey(name, scenario.file); });
  for (const ScenarioModel& known : scenario.models) {
    if (known.key == key) return;
  }
  std::shared_ptr<const Model>& model = read_before[key];
  if (!model) model = Within(value, [&] { return ReadGraph(name, scenario); });
  scenario.models.push_back({name, std::move(key), model});
}

// The streams by name, known before the first is read: one may depend on a later one.
using StreamNames = std::map<std::string, StreamId, std::less<>>;

StreamId FindStream(const JsonReader& value, const StreamNames& names) {
  const auto found = names.find(value.String());
  if (found != names.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, id] : names) known.push_back(name);
  value.Fail("unknown stream " + Quoted(value.String()) + Suggestion(value.String(), known));
}

CodecOf<StreamId> StreamCalled() {
  return as::ReadOnly<StreamId>([](SchemaDefs& defs) { return as::Name()->Schema(defs); },
                                [](const JsonReader& value, StreamId& into, Context context) {
                                  into = FindStream(value, context.As<StreamNames>());
                                });
}

void TimesOrProbability(const JsonReader& value, const DependentArrival& read, Context) {
  const auto times = value.Find("times");
  if (!times) return;
  if (const auto probability = value.Find("probability"))
    probability->Fail("\"times\" say already how likely it is that none follows");
  if (std::all_of(read.times.begin(), read.times.end(), [](double share) { return share == 0; }))
    times->Fail("some number of requests has to be likely: all of these are 0");
}

const Fields<DependentArrival>& DependencyFields() {
  using D = DependentArrival;
  static const auto fields =
      Fields<D>("dependency", "Each request follows one of another stream when that completes.")
          .Needed("stream", &D::parent, StreamCalled())
          .Optional("probability", &D::probability, as::Number(0, 1), "Else there is none.")
          .Optional(
              "times", &D::times,
              as::ListOf(as::Number(0, kMostShare), {.least = 1,
                                                     .few = "how likely are 0, 1, 2, ... requests?",
                                                     .most = kMostTimes,
                                                     .many = "at most 64 requests follow one"}),
              "How likely it is, in any unit, that 0, 1, 2, ... requests follow each: objects in a frame.")
          .Rule(TimesOrProbability, R"({"not": {"required": ["times", "probability"]}})")
          .Optional("joins", &D::joins,
                    as::ListOf(StreamCalled(), {.least = 1, .few = "which streams does it wait for, too?"}),
                    "It waits for these, too: until request k of each, where there is one, and all that "
                    "follows it there, has ended.")
          .Optional("data", &D::data, as::Boolean(),
                    "What it reads was made by the request that it follows: it is brought from the memory "
                    "where that made it.")
          .Optional("every", &D::every, as::Integer(1, kMostRequests),
                    "Requests 0, n, 2n, ... of that stream alone.");
  return fields;
}

void EndsOrDepends(const JsonReader& value, Stream& stream, Context) {
  if (!std::holds_alternative<DependentArrival>(stream.arrival)) {
    (void)value.Get("arrival");
    return EndStream(value, stream);
  }
  for (const std::string_view key : {"arrival", "count", "duration_ms"}) {
    if (const auto own = value.FindTime(key)) {
      own->Fail("a stream that depends on another has none of its own: its requests follow the other's");
    }
  }
}

std::string EndsOrDependsSchema() {
  const std::string count = R"({"required": ["count"]})", duration = TimeGivenSchema("duration_ms");
  const std::string either = R"({"anyOf": [)" + count + ", " + duration + "]}";
  return R"({"if": {"required": ["depends_on"]},)"
         R"( "then": {"not": {"anyOf": [{"required": ["arrival"]}, )" +
         either + R"(]}}, "else": {"required": ["arrival"]}, "not": {"allOf": [)" + count + ", " + duration +
         R"(]}, "allOf": [)"
         R"({"if": {"properties": {"arrival": {"properties": {"type": {"enum": ["closed", "periodic", "poisson"]}},)"
         R"( "required": ["type"]}}, "required": ["arrival"]}, "then": )" +
         either +
         R"(}, {"if": {"properties": {"arrival": {"required": ["rules"]}}, "required": ["arrival"]},)"
         R"( "then": {"not": )" +
         either + "}}]}";
}

void CheckPreferred(const JsonReader& value, const Batching& batching, Context) {
  const auto preferred = value.Find("preferred");
  if (!preferred) return;
  std::int64_t before = 0;
  for (const JsonReader size : preferred->Elements()) {
    const std::int64_t now = size.Integer(1, kLargestBatch);
    if (now <= before) size.Fail("sizes stand in ascending order");
    if (now > batching.most) size.Fail("at most " + std::to_string(batching.most) + " go together");
    before = now;
  }
}

const Fields<Batching>& BatchingFields() {
  using B = Batching;
  static const auto fields =
      Fields<B>("batching")
          .Needed("most", &B::most, as::Integer(2, kLargestBatch), "So many requests at once.")
          .Optional("wait_us", &B::wait, as::Micros(), "So long one waits for others, where no size is full.")
          .Optional("preferred", &B::preferred, as::ListOf(as::Integer(2, kLargestBatch)),
                    "Of those that wait the largest of these sizes goes, as soon as one is full; ascending.")
          .Optional("across", &B::across, as::Boolean(),
                    "With requests of all streams of the model that say so, too.")
          .Rule(CheckPreferred);
  return fields;
}

void RunsTogetherOrNot(const JsonReader& value, const Stream& stream, Context) {
  if (!stream.batching) return;
  if (stream.batch != 1)
    value.Get("batching").Fail("requests that go together are one inference each: no \"batch\"");
}

const Fields<Stream>& StreamFields() {
  using S = Stream;
  static const auto fields =
      Fields<S>("stream")
          .IsContext()
          .Needed("name", &S::name, as::Name())
          .Needed("model", &S::model, as::ModelNamed(), "Shipped, or a file.")
          .Reads(
              "count", as::Integer(1, kMostRequests),
              [](S& stream, std::int64_t count) { stream.until.count = count; }, "So many requests, or")
          .Reads(
              "duration_ms", as::Millis(Nanos{1}),
              [](S& stream, Nanos duration) { stream.until.duration = duration; },
              "those that come before this date; one of the two, save under LoadGen's rules.")
          .Reads("arrival", ArrivalOfStream(),
                 [](S& stream, StreamArrival read) {
                   stream.arrival = std::move(read.arrival);
                   stream.loadgen = read.loadgen;
                 })
          .Reads("depends_on", as::ObjectOf(DependencyFields()),
                 [](S& stream, DependentArrival dependent) { stream.arrival = dependent; })
          .Then(EndsOrDepends, EndsOrDependsSchema())
          .Optional("deadline_us", &S::deadline, as::Micros(Nanos{1}), "After the request's own release.")
          .Optional("end_to_end_deadline_us", &S::end_to_end_deadline, as::Micros(Nanos{1}),
                    "After the release of the request that it follows in the end: a frame's, for what is "
                    "done with it.")
          .Optional("priority", &S::priority, as::Integer(-kMostUrgent, kMostUrgent),
                    "Larger is more urgent.")
          .Optional("batch", &S::batch, as::Integer(1, kLargestBatch), "Inferences of one request.")
          .Optional("critical", &S::critical, as::Boolean(),
                    "While a task of it waits, no unit that could run it takes one of a stream that is not.")
          .Optional("drop_late", &S::drop_late, as::Boolean(),
                    "What has not started at its deadline, the earlier of two, is dropped.")
          .Optional("keep_latest", &S::keep_latest, as::Integer(1, kMostRequests),
                    "Of the requests that no unit has begun the newest so many; an older one is dropped.")
          .Optional("batching", &S::batching, as::ObjectOf(BatchingFields()),
                    "Requests that wait are begun together.")
          .Optional("age", &S::age, as::Boolean(),
                    "Reports say how old its newest result becomes, though it leaves no request out.")
          .Rule(RunsTogetherOrNot)
          .Optional("note", &S::note, as::Text(), "For people; nothing comes of it.");
  return fields;
}

StreamNames ReadNames(const JsonReader& streams, Mistakes& mistakes) {
  const auto elements = streams.Elements();
  if (streams.size() > kMostStreams) streams.Fail("more than 100000 streams");
  if (streams.size() == 0) streams.Fail("a scenario has at least one stream");
  StreamNames names;
  for (const JsonReader stream : elements) {
    mistakes.Try([&] {
      const JsonReader name = stream.Get("name");
      if (names.try_emplace(name.Name(), StreamId(names.size())).second) return;
      name.Fail("a stream before it is called " + Quoted(name.String()) + " too");
    });
  }
  return names;
}

std::string Circle(std::span<const std::size_t> positions, const std::vector<Stream>& streams) {
  std::string circle;
  for (const std::size_t position : positions) circle += streams[position].name + " -> ";
  return circle + streams[positions.front()].name;
}

// The stream on which `position` hangs in the end, itself where it hangs on none.
std::size_t Root(std::size_t position, const std::vector<Stream>& streams, const JsonReader& value) {
  std::vector<std::size_t> path = {position};
  while (const auto* link = std::get_if<DependentArrival>(&streams[path.back()].arrival)) {
    const auto before = std::find(path.begin(), path.end(), link->parent.index());
    if (before != path.end()) {
      value.Get("depends_on")
          .Fail("the streams depend on each other in a circle: " +
                Circle(std::span(before, path.end()), streams));
    }
    if (path.size() == kLongestChain) {
      value.Get("depends_on").Fail("a chain of more than 32 streams that hang on each other ends here");
    }
    path.push_back(link->parent.index());
  }
  return path.back();
}

void XrbenchDeadline(const Stream& root, const JsonReader& value, Stream& stream) {
  const auto* periodic = std::get_if<PeriodicArrival>(&root.arrival);
  if (!periodic) {
    value.Fail("under XRBench's rules a stream is periodic or depends on a periodic one");
  }
  if (!stream.deadline) {
    stream.deadline = Nanos{(periodic->period_ns + periodic->divisor / 2) / periodic->divisor};
  }
}

// Who reads what those have made that it follows, and what therefore stays where it was made.
void HandOn(const JsonReader& streams, Scenario& scenario) {
  std::vector<char> brought_back(scenario.streams.size()), read(scenario.streams.size());
  std::size_t position = 0;
  for (const JsonReader value : streams.Elements()) {
    const Stream& stream = scenario.streams[position++];
    const auto* follows = std::get_if<DependentArrival>(&stream.arrival);
    if (!follows) continue;
    (follows->data ? read : brought_back)[follows->parent.index()] = 1;
    for (const StreamId joined : follows->joins) brought_back[joined.index()] = 1;
    const Stream& from = scenario.streams[follows->parent.index()];
    if (!follows->data || (!stream.batching && !from.batching)) continue;
    value.Get("depends_on")
        .Get("data")
        .Fail("requests of stream " + Quoted(stream.batching ? stream.name : from.name) +
              " are brought together in batches that form (\"batching\"), which read from the first memory; "
              "leave one of the two out");
  }
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    scenario.streams[s].stays = read[s] != 0 && brought_back[s] == 0;
  }
}

// Streams whose requests go together have one queue, which has one rule.
void CheckAcross(const JsonReader& streams, const Scenario& scenario) {
  std::map<ModelId, const Stream*> first_of;
  std::size_t position = 0;
  for (const JsonReader value : streams.Elements()) {
    const Stream& stream = scenario.streams[position++];
    if (!stream.batching || !stream.batching->across) continue;
    const Stream& first = *first_of.try_emplace(stream.model, &stream).first->second;
    const std::string others = "requests go together with those of stream " + Quoted(first.name) +
                               " (\"across\"), a stream of the same model: ";
    if (*stream.batching != *first.batching)
      value.Get("batching").Fail(others + "give both the same \"most\", \"wait\" and \"preferred\"");
    if (stream.critical != first.critical)
      value.Get("batching").Fail(others + "let both be \"critical\", or none of the two");
  }
}

}  // namespace

void AddModels(const JsonReader& root, Scenario& scenario, Context context) {
  KnownModels own;
  KnownModels* const shared = context.As<ScenarioOptions>().models;
  Mistakes mistakes;
  const auto streams = root.Find("streams");
  if (!streams) return;  // which is told where they are read
  for (const JsonReader stream : streams->Elements()) {
    mistakes.Try([&] {
      if (const auto model = stream.Find("model"))
        AddModel(*model, scenario, shared != nullptr ? *shared : own);
    });
  }
  mistakes.Tell();
}

CodecOf<std::vector<Stream>> StreamsOfScenario() {
  return as::ReadOnly<std::vector<Stream>>(
      [](SchemaDefs& defs) {
        return as::ListRule{.least = 1, .most = kMostStreams}.Schema(StreamFields().Schema(defs));
      },
      [](const JsonReader& value, std::vector<Stream>& into, Context context) {
        Mistakes mistakes, of_names;
        StreamNames names;
        of_names.Try([&] { names = ReadNames(value, of_names); });
        mistakes.Try([&] { of_names.Tell(); });
        const Context inside = Context::Of(names, &context).UnlessFailed(of_names.flag());
        for (const JsonReader stream : value.Elements()) {
          mistakes.Try([&] { StreamFields().Read(stream, into.emplace_back(), inside); });
        }
        mistakes.Tell();
      });
}

void JoinStreams(const JsonReader& root, Scenario& scenario, Context) {
  const JsonReader streams = root.Get("streams");
  std::size_t position = 0;
  for (const JsonReader value : streams.Elements()) {
    Stream& stream = scenario.streams[position];
    const Stream& hangs_on = scenario.streams[Root(position++, scenario.streams, value)];
    if (scenario.rules == Rules::kXrbench) XrbenchDeadline(hangs_on, value, stream);
    if (stream.end_to_end_deadline && !std::holds_alternative<DependentArrival>(stream.arrival)) {
      value.Fail("a deadline from end to end is of requests that follow others (\"depends_on\"): those of " +
                 Quoted(stream.name) + " come by themselves, and \"deadline\" is theirs");
    }
    if (stream.drop_late && !stream.HasDeadline()) {
      value.Get("drop_late").Fail("only a stream with a deadline can drop what is late");
    }
    if (stream.critical && !stream.HasDeadline()) {
      value.Get("critical")
          .Fail(
              "a stream is critical because it has a deadline to keep: say \"deadline\", "
              "or \"priority\" where there is none");
    }
    if (stream.keep_latest && (std::holds_alternative<OfflineArrival>(stream.arrival) ||
                               std::holds_alternative<ClosedArrival>(stream.arrival))) {
      value.Get("keep_latest")
          .Fail(
              "only where requests come one by one, whatever became of those before them, is one newer: "
              "periodic, "
              "poisson, a trace, or after another stream's");
    }
  }
  HandOn(streams, scenario);
  CheckAcross(streams, scenario);
  JoinAndFanOut(streams, scenario);
  CheckRequestsFit(streams, scenario);
}

}  // namespace tandem
