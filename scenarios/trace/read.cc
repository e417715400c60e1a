#include "scenarios/trace/read.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>

#include "profiles/base/file_kinds.h"
#include "profiles/base/input_error.h"
#include "scenarios/trace/fields.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostRuns = 1'000'000;

struct TimeUnitShown {};

// Positions of names in the order in which they are first met.
class Positions {
 public:
  std::int32_t Of(std::string_view name, std::vector<std::string>& list) {
    return Of(name, list, [&] { return std::string(name); });
  }
  template <class List, class Item>
  std::int32_t Of(std::string_view key, List& list, const Item& item) {
    if (const auto place = places_.find(key); place != places_.end()) return place->second;
    const auto position = static_cast<std::int32_t>(list.size());
    list.push_back(item());
    places_.emplace(key, position);
    return position;
  }

 private:
  std::map<std::string, std::int32_t, std::less<>> places_;
};

struct OpenArrow {
  std::string_view name;
  Nanos at{0};
};

class RunReader {
 public:
  void ReadMetadata(const JsonReader& event);
  void ReadSpan(const JsonReader& event);
  void ReadDrop(const JsonReader& event);
  void ReadJoin(const JsonReader& event);
  void BeginArrow(const JsonReader& event);
  void EndArrow(const JsonReader& event);
  void ReadCounter(const JsonReader& event);
  TracedRun Finish(const JsonReader& events, std::int64_t process);

 private:
  void ReadTrack(const JsonReader& event);
  void CheckSpanBegins(const JsonReader& event, const EventHead& head);
  std::int32_t TrackOf(const JsonReader& event, const EventHead& head) const;
  bool HasUnit(std::string_view name) const;
  std::int32_t Segment(const SegmentArgs& segment);

  TracedRun run_;
  std::map<std::int64_t, std::int32_t> tracks_;  // per thread
  Positions streams_, names_, segments_;
  std::string key_;
  bool about_known_ = false, end_known_ = false;
  std::unordered_set<std::uint64_t> begins_;            // track and date of the first spans, for arrows
  std::size_t in_begins_ = 0;                           // so many
  std::map<std::int64_t, OpenArrow> arrows_;            // that have no end yet
  std::map<std::string, Nanos, std::less<>> counters_;  // the date of the last value of each
};

void RunReader::ReadMetadata(const JsonReader& event) {
  const JsonReader name = event.Get("name");
  if (name.String() == "process_name") {
    run_.name = ProcessFields().Read(event).args.name;
  } else if (name.String() == "thread_name") {
    ReadTrack(event);
  } else if (name.String() == "tandem_run") {
    const TraceAbout about = AboutFields().Read(event).args;
    static_cast<TraceRunFacts&>(run_) = about.facts;
    for (const UnitResidents& unit : about.residents) run_.residents[unit.unit] = unit.models;
    about_known_ = true;
  } else if (name.String() == "tandem_end") {
    const TraceEnd end = EndFields().Read(event).args;
    run_.end = end.end;
    run_.complete = end.complete;
    end_known_ = true;
  } else {
    const std::vector<std::string> known = {"process_name", "thread_name", "tandem_run", "tandem_end"};
    name.Fail("unknown metadata " + Quoted(name.String()) + Suggestion(name.String(), known));
  }
}

void RunReader::ReadTrack(const JsonReader& event) {
  const auto& fields = event.Get("args").Find("unit") ? SlotFields() : EngineFields();
  auto [head, name, track] = fields.Read(event);
  if (!tracks_.emplace(head.thread, static_cast<std::int32_t>(run_.tracks.size())).second) {
    event.Get("tid").Fail("the thread is named twice");
  }
  run_.tracks.push_back(std::move(track));
}

std::int32_t RunReader::Segment(const SegmentArgs& segment) {
  key_ = segment.model;
  const auto& layers = segment.layers.read;
  if (layers && layers->IsString()) {
    key_.append(1, '\t').append(layers->String());
  } else if (layers) {
    for (const JsonReader layer : layers->Elements()) key_.append(1, '\n').append(layer.String());
  }
  std::optional<LayerPart> part;
  if (segment.axis) part = {*segment.axis, *segment.first, *segment.end};
  if (part) key_.append(2, '\n').append(part->Text());
  return segments_.Of(key_, run_.segments, [&] {
    TraceSegment read{std::string(segment.model), {}, part};
    if (layers) LayersOrAll()->Read(*layers, read.layers, {});
    return read;
  });
}

std::int32_t RunReader::TrackOf(const JsonReader& event, const EventHead& head) const {
  const auto track = tracks_.find(head.thread);
  if (track == tracks_.end()) {
    event.Get("tid").Fail("the thread has no name: its thread_name must come first");
  }
  return track->second;
}

void RunReader::ReadSpan(const JsonReader& event) {
  const SpanEvent read = SpanFields().Read(event);
  const SpanArgs& args = read.args;
  TracedSpan span;
  span.track = TrackOf(event, read.head);
  span.stream = streams_.Of(args.request.stream, run_.streams);
  span.index = args.request.index;
  span.segment = Segment(args.segment);
  span.kind = args.kind;
  if (span.kind == SpanKind::kTransfer || (span.kind == SpanKind::kLost && !args.tensor.empty())) {
    span.tensor = names_.Of(args.tensor, run_.names);
    span.from = names_.Of(args.from, run_.names);
    span.to = names_.Of(args.to, run_.names);
  }
  span.release = args.release;
  span.ready = args.ready;
  span.taken = args.taken;
  span.start = args.start;
  span.end = args.end;
  span.shown_start = read.head.at;
  span.shown_duration = read.duration;
  run_.spans.push_back(span);
}

void RunReader::ReadDrop(const JsonReader& event) {
  const DropArgs args = DropFields().Read(event).args;
  TracedDrop drop;
  drop.stream = streams_.Of(args.request.stream, run_.streams);
  SegmentArgs whole;
  whole.model = args.model;
  drop.segment = Segment(whole);
  drop.index = args.request.index;
  drop.release = args.release;
  drop.at = args.at;
  run_.drops.push_back(drop);
}

void RunReader::ReadJoin(const JsonReader& event) {
  const JoinArgs args = JoinFields().Read(event).args;
  SegmentArgs whole;
  whole.model = args.model;
  const std::int32_t stream = streams_.Of(args.request.stream, run_.streams);
  const std::int32_t with = args.with_stream.empty() ? stream : streams_.Of(args.with_stream, run_.streams);
  run_.joins.push_back({stream, Segment(whole), args.request.index, args.with, with, args.release, args.at});
}

// Viewers tie an arrow's end to the span that they find there.
void RunReader::CheckSpanBegins(const JsonReader& event, const EventHead& head) {
  constexpr std::uint64_t kFarApart = 0x9e3779b97f4a7c15U;
  const auto key = [](std::int32_t track, Nanos at) {
    return static_cast<std::uint64_t>(track + 1) * kFarApart + static_cast<std::uint64_t>(at.count());
  };
  for (; in_begins_ < run_.spans.size(); ++in_begins_) {
    begins_.insert(key(run_.spans[in_begins_].track, run_.spans[in_begins_].shown_start));
  }
  if (!begins_.contains(key(TrackOf(event, head), head.at))) {
    event.Get("ts").Fail("no span of the thread that stands before the arrow begins then");
  }
}

void RunReader::BeginArrow(const JsonReader& event) {
  const ArrowEvent arrow = ArrowBeginFields().Read(event);
  CheckSpanBegins(event, arrow.head);
  if (!arrows_.emplace(arrow.id, OpenArrow{arrow.name, arrow.head.at}).second) {
    event.Get("id").Fail("another arrow that has not ended has this id");
  }
}

void RunReader::EndArrow(const JsonReader& event) {
  const ArrowEvent arrow = ArrowEndFields().Read(event);
  CheckSpanBegins(event, arrow.head);
  const auto begin = arrows_.find(arrow.id);
  if (begin == arrows_.end()) event.Get("id").Fail("no arrow of the process has begun with this id");
  if (begin->second.name != arrow.name)
    event.Get("name").Fail("the arrow has begun as " + Quoted(begin->second.name));
  if (arrow.head.at < begin->second.at) event.Get("ts").Fail("the arrow ends before it begins");
  arrows_.erase(begin);
  ++run_.arrows;
}

bool RunReader::HasUnit(std::string_view name) const {
  return std::any_of(run_.tracks.begin(), run_.tracks.end(),
                     [&](const TracedTrack& track) { return !track.unit.empty() && track.unit == name; });
}

void RunReader::ReadCounter(const JsonReader& event) {
  const CounterEvent counter = CounterFields().Read(event);
  const JsonReader name = event.Get("name");
  for (const auto& kind : kCounterKindNames) {
    const std::string begin = std::string(kind.name) + ": ";
    if (!counter.name.starts_with(begin)) continue;
    const std::string_view of = counter.name.substr(begin.size());
    if (!(counter.args.*ValueOf(kind.value))) {
      event.Get("args").Fail("not what a counter of this name counts");
    }
    const bool in_vain = kind.value == CounterKind::kWaiting && of == kWaitingInVain;
    if (kind.value != CounterKind::kMemory && !in_vain && !HasUnit(of)) {
      name.Fail("no thread is one of unit " + Quoted(of));
    }
    const auto [last, is_new] = counters_.try_emplace(std::string(counter.name), counter.head.at);
    if (!is_new && counter.head.at <= last->second)
      event.Get("ts").Fail("the counter has a later value already");
    last->second = counter.head.at;
    ++run_.counter_values;
    return;
  }
  name.Fail("expected \"waiting: UNIT\", \"memory: MEMORY\" or \"power: UNIT\", found " +
            Quoted(counter.name));
}

TracedRun RunReader::Finish(const JsonReader& events, std::int64_t process) {
  const auto lacks = [&](const std::string& what) {
    events.Fail("process " + std::to_string(process) + " lacks its " + what);
  };
  if (!about_known_) lacks("tandem_run");
  if (!end_known_) lacks("tandem_end");
  if (!arrows_.empty()) lacks("end of arrow " + std::to_string(arrows_.begin()->first));
  return std::move(run_);
}

void ReadEvent(const JsonReader& event, RunReader& run) {
  const JsonReader phase = event.Get("ph");
  if (phase.String() == "M") {
    run.ReadMetadata(event);
  } else if (phase.String() == "X") {
    run.ReadSpan(event);
  } else if (phase.String() == "i") {
    const JsonReader kind = event.Get("args").Get("kind");
    if (kind.String() == "joined") {
      run.ReadJoin(event);
    } else {
      run.ReadDrop(event);
    }
  } else if (phase.String() == "s") {
    run.BeginArrow(event);
  } else if (phase.String() == "f") {
    run.EndArrow(event);
  } else if (phase.String() == "C") {
    run.ReadCounter(event);
  } else {
    phase.Fail("unknown phase " + Quoted(phase.String()) + "; known: M, X, i, s, f, C");
  }
}

void ReadEvents(const JsonReader& events, std::vector<TracedRun>& into, Context) {
  std::map<std::int64_t, RunReader> runs;
  for (const JsonReader event : events.Elements()) {
    ReadEvent(event, runs[event.Get("pid").Integer(0, kMostRuns)]);
  }
  for (auto& [process, run] : runs) into.push_back(run.Finish(events, process));
}

SchemaNode EventsSchema(SchemaDefs& defs) {
  std::string kinds;
  for (const AnyFields* kind : std::initializer_list<const AnyFields*>{
           &ProcessFields(), &AboutFields(), &SlotFields(), &EngineFields(), &SpanFields(), &DropFields(),
           &JoinFields(), &ArrowBeginFields(), &ArrowEndFields(), &CounterFields(), &EndFields()}) {
    kinds += (kinds.empty() ? "" : ", ") + kind->Schema(defs).Text();
  }
  return SchemaNode(R"("type": "array")").Add("items", R"({"anyOf": [)" + kinds + "]}");
}

CodecOf<TimeUnitShown> ShownUnit() {
  return as::Custom<TimeUnitShown>(
      R"("enum": ["ms", "ns"])",
      [](const JsonReader& value, TimeUnitShown&, Context) {
        if (value.String() != "ns" && value.String() != "ms") {
          value.Fail("expected \"ns\" or \"ms\", found " + Quoted(value.String()));
        }
      },
      [](TimeUnitShown, std::string&, Context) {});
}

// `of` has the runs.
struct TraceFile {
  Trace of;
  TimeUnitShown unit;
  std::vector<TracedRun> runs;
  std::optional<TraceWinner> winner;
  std::optional<TraceDraws> draws;
};

const Fields<TraceFile>& TraceFields() {
  static const auto about = Fields<Trace>()
                                .Needed("scenario", &Trace::scenario, as::Name())
                                .Needed("platform", &Trace::platform, as::Name());
  static const auto fields =
      Fields<TraceFile>("trace", "what happened in runs, as Chrome trace events")
          .Kind("trace/1")
          .Optional("displayTimeUnit", &TraceFile::unit, ShownUnit())
          .Needed("otherData", &TraceFile::of, as::ObjectOf(about))
          .Needed("traceEvents", &TraceFile::runs,
                  as::Custom<std::vector<TracedRun>>(
                      EventsSchema, ReadEvents, [](const std::vector<TracedRun>&, std::string&, Context) {}),
                  "Per process the tracks first, then what happened on them, then the end.")
          .Optional("winner", &TraceFile::winner, as::ObjectOf(WinnerOfRunsFields()))
          .Optional("draws", &TraceFile::draws, as::ObjectOf(DrawsOfRunsFields()));
  return fields;
}

std::string JudgeTrace(const JsonReader& root) {
  const Trace trace = ReadTrace(root);
  std::size_t spans = 0, drops = 0;
  for (const TracedRun& run : trace.runs) {
    spans += run.spans.size();
    drops += run.drops.size();
  }
  const auto counted = [](std::size_t count, const char* what) {
    return Counted(static_cast<std::int64_t>(count), what);
  };
  return counted(trace.runs.size(), "run") + ", " + counted(spans, "span") +
         (drops > 0 ? ", " + counted(drops, "request") + " dropped" : "");
}

const FileKindRegistration kTraceKind{
    {"trace/1", AsAnyFields<TraceFile, TraceFields>, JudgeTrace, std::size_t{512} << 20}};

}  // namespace

Trace ReadTrace(const JsonReader& root) {
  TraceFile file = TraceFields().Read(root);
  file.of.runs = std::move(file.runs);
  file.of.winner = std::move(file.winner);
  file.of.draws = std::move(file.draws);
  return std::move(file.of);
}

Trace ReadTraceFile(const std::filesystem::path& path) {
  const JsonDocument document = JsonDocument::ReadFile(path);
  return ReadTrace(document.root());
}

}  // namespace tandem
