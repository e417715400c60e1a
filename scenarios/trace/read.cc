#include "scenarios/trace/read.h"

#include <optional>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostTracks = 1'000'000;
constexpr std::int64_t kMostIndex = std::int64_t{1} << 31;

// Positions of names in the order in which they are first met.
class Positions {
 public:
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

Nanos Date(const JsonReader& value) { return Nanos{value.Integer(0, kLongestTime.count())}; }

TraceEdge ReadEdge(const JsonReader& value) {
  value.OnlyKeys({"model", "batch", "from", "to", "transfer"});
  TraceEdge edge;
  edge.model = value.Get("model").Name();
  edge.batch = value.Get("batch").Integer(1);
  edge.from = value.Get("from").Name();
  if (const auto to = value.Find("to")) edge.to = to->Name();
  edge.mode = value.Get("transfer").OneOf(kTransferModeNames, "transfer mode");
  return edge;
}

// Nothing where the task makes all of its layers' output.
std::optional<LayerPart> ReadPart(const JsonReader& args) {
  const auto axis = args.Find("axis");
  if (!axis) {
    for (const char* key : {"first", "end"}) {
      if (const auto alone = args.Find(key)) alone->Fail("\"axis\" has to stand beside it");
    }
    return std::nullopt;
  }
  LayerPart part;
  part.axis = axis->OneOf(kSplitAxisNames, "axis");
  part.first = args.Get("first").Integer(0, kMostIndex);
  part.end = args.Get("end").Integer(part.first + 1, kMostIndex);
  return part;
}

class RunReader {
 public:
  void ReadMetadata(const JsonReader& event);
  void ReadSpan(const JsonReader& event);
  void ReadDrop(const JsonReader& event);
  TracedRun Finish(const JsonReader& root, std::int64_t process);

 private:
  void ReadAbout(const JsonReader& args);
  void ReadTrack(const JsonReader& event, const JsonReader& args);
  std::int32_t Name(const JsonReader& value);
  std::int32_t Stream(const JsonReader& args);
  std::int32_t Segment(const JsonReader& args);

  TracedRun run_;
  std::map<std::int64_t, std::int32_t> tracks_;  // per thread
  Positions streams_, names_, segments_;
  std::string key_;
  bool about_known_ = false, end_known_ = false;
};

void RunReader::ReadMetadata(const JsonReader& event) {
  event.OnlyKeys({"ph", "pid", "tid", "ts", "name", "args"});
  const JsonReader name = event.Get("name"), args = event.Get("args");
  if (name.String() == "process_name") {
    args.OnlyKeys({"name"});
    run_.name = args.Get("name").String();
  } else if (name.String() == "thread_name") {
    ReadTrack(event, args);
  } else if (name.String() == "tandem_run") {
    ReadAbout(args);
  } else if (name.String() == "tandem_end") {
    args.OnlyKeys({"end_ns", "complete"});
    run_.end = Date(args.Get("end_ns"));
    run_.complete = args.Get("complete").Boolean();
    end_known_ = true;
  } else {
    const std::vector<std::string> known = {"process_name", "thread_name", "tandem_run", "tandem_end"};
    name.Fail("unknown metadata " + Quoted(name.String()) + Suggestion(name.String(), known));
  }
}

void RunReader::ReadAbout(const JsonReader& args) {
  args.OnlyKeys({"policy", "granularity", "engine", "measured", "sampled", "seed", "residents", "edges"});
  run_.policy = args.Get("policy").Name();
  run_.granularity = args.Get("granularity").OneOf(kGranularityNames, "granularity");
  run_.engine = args.Get("engine").Name();
  run_.measured = args.Get("measured").Boolean();
  run_.sampled = args.Get("sampled").Boolean();
  run_.seed = args.Get("seed").Unsigned();
  for (const JsonReader unit : args.Get("residents").Members()) {
    auto& models = run_.residents[std::string(unit.key())];
    for (const JsonReader model : unit.Elements()) models.push_back(model.Name());
  }
  if (const auto edges = args.Find("edges")) {
    for (const JsonReader edge : edges->Elements()) run_.edges.push_back(ReadEdge(edge));
  }
  about_known_ = true;
}

void RunReader::ReadTrack(const JsonReader& event, const JsonReader& args) {
  TracedTrack track;
  track.name = args.Get("name").String();
  if (args.Find("unit")) {
    args.OnlyKeys({"name", "unit", "slot"});
    track.unit = args.Get("unit").Name();
    track.slot = static_cast<std::int32_t>(args.Get("slot").Integer(0, kMostTracks));
  } else {
    args.OnlyKeys({"name", "from", "to"});
    track.from = args.Get("from").Name();
    track.to = args.Get("to").Name();
  }
  const JsonReader thread = event.Get("tid");
  if (!tracks_.emplace(thread.Integer(0), static_cast<std::int32_t>(run_.tracks.size())).second) {
    thread.Fail("the thread is named twice");
  }
  run_.tracks.push_back(std::move(track));
}

std::int32_t RunReader::Name(const JsonReader& value) {
  return names_.Of(value.String(), run_.names, [&] { return value.Name(); });
}

std::int32_t RunReader::Stream(const JsonReader& args) {
  const JsonReader value = args.Get("stream");
  return streams_.Of(value.String(), run_.streams, [&] { return value.Name(); });
}

// `layers`: "*" or a list; nothing counts as "*".
std::int32_t RunReader::Segment(const JsonReader& args) {
  const JsonReader model = args.Get("model");
  const auto layers = args.Find("layers");
  const auto part = ReadPart(args);
  key_ = model.String();
  const bool whole = !layers || layers->IsString();
  if (layers && whole && layers->String() != "*") layers->Fail("expected \"*\" or a list of layers");
  if (whole && part) args.Get("axis").Fail("a part is one of listed layers, not of a whole model");
  if (!whole) {
    for (const JsonReader layer : layers->Elements()) key_.append(1, '\n').append(layer.String());
    if (layers->size() == 0) layers->Fail("expected at least one layer");
  }
  if (part) key_.append(2, '\n').append(part->Text());
  return segments_.Of(key_, run_.segments, [&] {
    TraceSegment segment{model.Name(), {}, part};
    if (whole) return segment;
    for (const JsonReader layer : layers->Elements()) segment.layers.push_back(layer.Name());
    return segment;
  });
}

void RunReader::ReadSpan(const JsonReader& event) {
  event.OnlyKeys({"ph", "pid", "tid", "ts", "dur", "name", "cat", "args"});
  const JsonReader args = event.Get("args"), thread = event.Get("tid");
  args.OnlyKeys({"request", "stream", "index", "model", "layers", "axis", "first", "end", "kind", "tensor",
                 "from", "to", "release_ns", "ready_ns", "start_ns", "end_ns"});
  const auto track = tracks_.find(thread.Integer(0));
  if (track == tracks_.end()) thread.Fail("the thread has no name: its thread_name must come first");
  TracedSpan span;
  span.track = track->second;
  span.stream = Stream(args);
  span.index = args.Get("index").Integer(0, kMostIndex);
  args.Get("layers");
  span.segment = Segment(args);
  span.kind = args.Get("kind").OneOf(kSpanKindNames, "kind");
  if (span.kind == SpanKind::kTransfer) {
    span.tensor = Name(args.Get("tensor"));
    span.from = Name(args.Get("from"));
    span.to = Name(args.Get("to"));
  }
  span.release = Date(args.Get("release_ns"));
  span.ready = Date(args.Get("ready_ns"));
  span.start = Date(args.Get("start_ns"));
  span.end = Date(args.Get("end_ns"));
  args.Get("request").String();
  span.shown_start = event.Get("ts").Micros();
  span.shown_duration = event.Get("dur").Micros();
  run_.spans.push_back(span);
}

void RunReader::ReadDrop(const JsonReader& event) {
  event.OnlyKeys({"ph", "pid", "tid", "ts", "name", "cat", "s", "args"});
  const JsonReader args = event.Get("args"), kind = args.Get("kind");
  if (const auto scope = event.Find("s")) scope->String();
  args.OnlyKeys({"request", "stream", "index", "model", "kind", "release_ns", "at_ns"});
  if (kind.String() != "dropped") kind.Fail("expected \"dropped\", found " + Quoted(kind.String()));
  TracedDrop drop;
  drop.stream = Stream(args);
  args.Get("request").String();
  drop.segment = Segment(args);
  drop.index = args.Get("index").Integer(0, kMostIndex);
  drop.release = Date(args.Get("release_ns"));
  drop.at = Date(args.Get("at_ns"));
  run_.drops.push_back(drop);
}

TracedRun RunReader::Finish(const JsonReader& root, std::int64_t process) {
  const auto lacks = [&](const char* what) {
    root.Get("traceEvents").Fail("process " + std::to_string(process) + " lacks its " + what);
  };
  if (!about_known_) lacks("tandem_run");
  if (!end_known_) lacks("tandem_end");
  return std::move(run_);
}

void ReadEvent(const JsonReader& event, RunReader& run) {
  const JsonReader phase = event.Get("ph");
  event.Get("tid").Integer(0);
  event.Get("ts").Micros();
  event.Get("name").String();
  if (const auto category = event.Find("cat")) category->String();
  if (phase.String() == "M") {
    run.ReadMetadata(event);
  } else if (phase.String() == "X") {
    run.ReadSpan(event);
  } else if (phase.String() == "i") {
    run.ReadDrop(event);
  } else {
    phase.Fail("unknown phase " + Quoted(phase.String()) + "; known: M, X, i");
  }
}

}  // namespace

Trace ReadTrace(const JsonReader& root) {
  ExpectFileKind(root, "trace/1");
  root.OnlyKeys({"tandem", "displayTimeUnit", "otherData", "traceEvents"});
  if (const auto unit = root.Find("displayTimeUnit");
      unit && unit->String() != "ns" && unit->String() != "ms") {
    unit->Fail("expected \"ns\" or \"ms\", found " + Quoted(unit->String()));
  }
  const JsonReader about = root.Get("otherData");
  about.OnlyKeys({"scenario", "platform"});
  Trace trace{about.Get("scenario").Name(), about.Get("platform").Name(), {}};
  std::map<std::int64_t, RunReader> runs;
  for (const JsonReader event : root.Get("traceEvents").Elements()) {
    ReadEvent(event, runs[event.Get("pid").Integer(0, kMostTracks)]);
  }
  for (auto& [process, run] : runs) trace.runs.push_back(run.Finish(root, process));
  return trace;
}

Trace ReadTraceFile(const std::filesystem::path& path) {
  const JsonDocument document = JsonDocument::ReadFile(path);
  return ReadTrace(document.root());
}

}  // namespace tandem
