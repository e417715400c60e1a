#include <algorithm>
#include <functional>
#include <map>
#include <span>

#include "profiles/base/input_error.h"
#include "profiles/model/model_source.h"
#include "scenarios/arrivals/arrivals.h"
#include "scenarios/scenario/arrival_reader.h"
#include "scenarios/scenario/parts.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostUrgent = 1000000000;
constexpr std::int64_t kLargestBatch = 1 << 20;
constexpr std::size_t kMostStreams = 100000;
constexpr std::size_t kLongestChain = 33;  // streams that hang on each other, and the first

ModelId AddModel(const JsonReader& value, Scenario& scenario) {
  const std::string name = value.Name();
  std::string key = Within(value, [&] { return ModelKey(name, scenario.file); });
  for (std::size_t i = 0; i < scenario.models.size(); ++i) {
    if (scenario.models[i].key == key) return ModelId(i);
  }
  ImportOptions options;
  options.want_weights = false;
  ImportedModel imported = Within(value, [&] { return LoadModel(name, scenario.file, options); });
  scenario.models.push_back({name, std::move(key), std::make_shared<const Model>(std::move(imported.model))});
  return ModelId(scenario.models.size() - 1);
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

DependentArrival ReadDependency(const JsonReader& stream, const StreamNames& names) {
  for (const std::string_view key : {"arrival", "count", "duration_ms"}) {
    if (const auto own = stream.Find(key)) {
      own->Fail("a stream that depends on another has none of its own: its requests follow the other's");
    }
  }
  const JsonReader value = stream.Get("depends_on");
  value.OnlyKeys({"stream", "probability"});
  DependentArrival dependent;
  dependent.parent = FindStream(value.Get("stream"), names);
  if (const auto probability = value.Find("probability")) dependent.probability = probability->Number(0, 1);
  return dependent;
}

void ReadOrder(const JsonReader& value, Stream& stream) {
  if (const auto deadline = value.Find("deadline_us")) stream.deadline = deadline->Micros(Nanos{1});
  if (const auto priority = value.Find("priority")) {
    stream.priority = priority->Integer(-kMostUrgent, kMostUrgent);
  }
  if (const auto batch = value.Find("batch")) stream.batch = batch->Integer(1, kLargestBatch);
  if (const auto drop = value.Find("drop_late")) stream.drop_late = drop->Boolean();
}

Stream ReadStream(const JsonReader& value, const StreamNames& names, Scenario& scenario) {
  value.OnlyKeys({"name", "model", "count", "duration_ms", "arrival", "depends_on", "deadline_us", "priority",
                  "batch", "drop_late"});
  Stream stream;
  stream.name = value.Get("name").Name();
  stream.model = AddModel(value.Get("model"), scenario);
  if (value.Find("depends_on")) {
    stream.arrival = ReadDependency(value, names);
  } else {
    ReadArrival(value, scenario.rules, scenario.model(stream.model).name, stream);
  }
  ReadOrder(value, stream);
  return stream;
}

StreamNames ReadNames(const JsonReader& streams) {
  StreamNames names;
  for (const JsonReader stream : streams.Elements()) {
    const JsonReader name = stream.Get("name");
    if (names.size() >= kMostStreams) streams.Fail("more than 100000 streams");
    if (names.try_emplace(name.Name(), StreamId(names.size())).second) continue;
    name.Fail("a stream before it is called " + Quoted(name.String()) + " too");
  }
  if (names.empty()) streams.Fail("a scenario has at least one stream");
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

void CheckRequestTotal(const JsonReader& streams, const Scenario& scenario) {
  std::int64_t total = 0;
  for (const RequestCount& requests : CountRequests(scenario.streams, scenario.seed)) {
    total += std::min(requests.count, kMostRequests + 1);
    if (total <= kMostRequests) continue;
    streams.Fail("more than " + std::to_string(kMostRequests) + " requests in all");
  }
}

}  // namespace

void ReadStreams(const JsonReader& root, Scenario& scenario) {
  const JsonReader streams = root.Get("streams");
  const StreamNames names = ReadNames(streams);
  for (const JsonReader value : streams.Elements()) {
    scenario.streams.push_back(ReadStream(value, names, scenario));
  }
  std::size_t position = 0;
  for (const JsonReader value : streams.Elements()) {
    Stream& stream = scenario.streams[position];
    const Stream& hangs_on = scenario.streams[Root(position++, scenario.streams, value)];
    if (scenario.rules == Rules::kXrbench) XrbenchDeadline(hangs_on, value, stream);
    if (stream.drop_late && !stream.deadline) {
      value.Get("drop_late").Fail("only a stream with a deadline can drop what is late");
    }
  }
  CheckRequestTotal(streams, scenario);
}

}  // namespace tandem
