#include "scenarios/trace/trace.h"

#include "profiles/base/json_write.h"
#include "scenarios/trace/arrows.h"
#include "scenarios/trace/counters.h"
#include "scenarios/trace/fields.h"

namespace tandem {
namespace {

constexpr std::string_view kHead = R"({"tandem": "trace/1", "displayTimeUnit": "ns",
 "otherData": )";

}  // namespace

std::string NameOf(const TraceSegment& segment) {
  if (segment.layers.empty()) return {};
  const std::string name = segment.model + " " + segment.layers.front();
  const std::string all = segment.layers.size() == 1 ? name : name + ".." + segment.layers.back();
  return segment.part ? all + " " + segment.part->Text() : all;
}

std::vector<TracedTrack> TracksOf(const Platform& platform) {
  std::vector<TracedTrack> tracks;
  for (const Unit& unit : platform.units) {
    for (std::int64_t slot = 0; slot < unit.slots; ++slot) {
      const std::string name = unit.slots == 1 ? unit.name : unit.name + " slot " + std::to_string(slot + 1);
      tracks.push_back({name, unit.name, slot, {}, {}});
    }
  }
  for (const Link& link : platform.links) {
    if (!link.engine) continue;
    const std::string& from = platform.memories[link.from.index()].name;
    const std::string& to = platform.memories[link.to.index()].name;
    tracks.push_back({from + "-" + to + " copy", {}, 0, from, to});
  }
  return tracks;
}

TraceWriter::TraceWriter(const std::filesystem::path& path, const Scenario& scenario)
    : scenario_(&scenario), file_(path) {
  WriteHeader();
}

TraceWriter::TraceWriter(std::string* into, const Scenario& scenario, int first_process)
    : scenario_(&scenario), file_(into), first_process_(first_process) {
  WriteHeader();
}

void TraceWriter::WriteHeader() {
  const Scenario& scenario = *scenario_;
  std::size_t track = 1;  // 0 is the process's own
  for (const Unit& unit : scenario.platform->units) {
    first_track_.push_back(track);
    track += static_cast<std::size_t>(unit.slots);
  }
  for (const Link& link : scenario.platform->links) {
    if (link.engine) first_track_.push_back(track++);
  }
  JsonObject about;
  about.AddString("scenario", scenario.name).AddString("platform", scenario.platform->name);
  file_.Append(std::string(kHead) + about.Text() + ",\n \"traceEvents\": [");
  file_.Flush();
}

SpanSink& TraceWriter::BeginRun(int process, TraceRun run) {
  run_ = std::move(run);
  process_ = process;
  first_event_ = process == first_process_;
  spans_.clear();
  drops_.clear();
  segment_names_.clear();
  layers_.clear();
  for (const TraceSegment& segment : run_.segments) {
    segment_names_.push_back(NameOf(segment));
    LayersOrAll()->Write(segment.layers, layers_.emplace_back(), {});
  }
  WriteMetadata(ProcessFields(), "process_name", 0, TraceProcess{run_.name});
  TraceAbout about{run_, {}};
  for (std::size_t u = 0; u < run_.residents.size(); ++u) {
    about.residents.push_back({scenario_->platform->units[u].name, run_.residents[u]});
  }
  WriteMetadata(AboutFields(), "tandem_run", 0, std::move(about));
  WriteTracks();
  return *this;
}

void TraceWriter::WriteTracks() {
  std::size_t thread = 0;
  for (const TracedTrack& track : TracksOf(*scenario_->platform)) {
    WriteMetadata(track.unit.empty() ? EngineFields() : SlotFields(), "thread_name", ++thread, track);
  }
}

void TraceWriter::Keep(const Span& span) {
  if (!run_.tables) return;
  if (spans_.size() < kMostSpansWithArrows) {
    spans_.push_back(span);
  } else {
    run_.tables.reset();
  }
}

void TraceWriter::WriteArrows() {
  // Numbers are those of the whole file, also where others write its other runs.
  std::int64_t id = std::int64_t{process_} << 32;
  for (const Arrow& arrow : ArrowsOf(run_, *scenario_, spans_)) {
    const std::string_view name = tandem::NameOf(kArrowKindNames, arrow.kind);
    ++id;
    const auto head = [&](std::string_view phase, const Span& span) {
      return Head(phase, first_track_[span.unit.index()] + static_cast<std::size_t>(span.slot), span.start);
    };
    const ArrowEvent begin{head("s", spans_[arrow.from]), id, name, "arrow", {}};
    WriteEvent(ArrowBeginFields(), &begin);
    const ArrowEvent end{head("f", spans_[arrow.to]), id, name, "arrow", "e"};
    WriteEvent(ArrowEndFields(), &end);
  }
}

void TraceWriter::WriteCounters() {
  for (const Counter& counter : CountersOf(run_, *scenario_, spans_, drops_)) {
    for (const auto& [at, value] : counter.values) {
      CounterEvent event{Head("C", 0, at), counter.name, {}};
      event.args.*ValueOf(counter.kind) = value;
      WriteEvent(CounterFields(), &event);
    }
  }
}

void TraceWriter::EndRun(Nanos end, bool complete) {
  if (run_.tables) {
    WriteArrows();
    WriteCounters();
  }
  WriteMetadata(EndFields(), "tandem_end", 0, TraceEnd{end, complete});
  file_.Flush();
}

const Fields<TraceWinner>& WinnerOfRunsFields() {
  using W = TraceWinner;
  static const auto fields =
      Fields<W>("trace_winner", "Who was named the winner, by the draws where there were some.")
          .Needed("policy", &W::policy, as::Name(), "Its label.")
          .Needed("objective", &W::objective, as::OneOf(kObjectiveNames, "objective"));
  return fields;
}

void TraceWriter::SetWinner(TraceWinner winner) { winner_ = std::move(winner); }

void TraceWriter::SetDraws(TraceDraws draws) { draws_ = std::move(draws); }

void TraceWriter::Close() {
  file_.Append("\n]");
  if (winner_) file_.Append(",\n \"winner\": " + WinnerOfRunsFields().Text(*winner_));
  if (!draws_.policies.empty()) file_.Append(",\n \"draws\": " + DrawsOfRunsFields().Text(draws_));
  file_.Append("}\n");
  file_.Commit();
}

EventHead TraceWriter::Head(std::string_view phase, std::size_t track, Nanos at) const {
  return {phase, process_, static_cast<std::int64_t>(track), at};
}

template <class Args>
void TraceWriter::WriteMetadata(const Fields<MetadataEvent<Args>>& fields, std::string_view name,
                                std::size_t track, Args args) {
  const MetadataEvent<Args> event{Head("M", track, Nanos{0}), name, std::move(args)};
  WriteEvent(fields, &event);
}

void TraceWriter::WriteEvent(const AnyFields& fields, const void* event) {
  event_ = first_event_ ? "\n" : ",\n";
  first_event_ = false;
  fields.WriteAny(event, event_, {});
  file_.Append(event_);
}

const std::string& TraceWriter::TensorOf(const Span& span) const {
  return run_.tensors.at(span.stream.index()).at(static_cast<std::size_t>(span.tensor));
}

std::string TraceWriter::NameOfSpan(const Span& span, const std::string& request) const {
  const TraceSegment& segment = run_.segments[static_cast<std::size_t>(span.segment)];
  if (span.kind == SpanKind::kLoad) return "load " + segment.model;
  const std::string& own = segment_names_[static_cast<std::size_t>(span.segment)];
  const std::string& name = own.empty() ? request : own;
  if (span.kind == SpanKind::kLost) return "lost: " + name;
  return span.kind == SpanKind::kTransfer ? "copy " + TensorOf(span) + " for " + name : name;
}

void TraceWriter::Add(const Span& span) {
  Keep(span);
  const auto position = static_cast<std::size_t>(span.segment);
  const TraceSegment& segment = run_.segments[position];
  const std::string& stream = scenario_->streams[span.stream.index()].name;
  const std::string request = stream + " #" + std::to_string(span.index);
  const std::string name = NameOfSpan(span, request);
  const std::size_t track = first_track_[span.unit.index()] + static_cast<std::size_t>(span.slot);
  SpanEvent event{Head("X", track, span.start),
                  span.end - span.start,
                  name,
                  tandem::NameOf(kSpanKindNames, span.kind),
                  {}};
  SpanArgs& args = event.args;
  args.request = {request, stream, span.index};
  args.segment = {segment.model, {{}, layers_[position]}, {}, {}, {}};
  if (segment.part) {
    args.segment.axis = segment.part->axis;
    args.segment.first = segment.part->first;
    args.segment.end = segment.part->end;
  }
  args.kind = span.kind;
  if (span.tensor >= 0) {
    const auto& memories = scenario_->platform->memories;
    args.tensor = TensorOf(span);
    args.from = memories[static_cast<std::size_t>(span.from_memory)].name;
    args.to = memories[static_cast<std::size_t>(span.to_memory)].name;
  }
  args.release = span.release;
  args.ready = span.ready;
  args.taken = span.taken;
  args.start = span.start;
  args.end = span.end;
  WriteEvent(SpanFields(), &event);
}

void TraceWriter::Ended(const RequestEnd& end) {
  if (!end.dropped && end.with < 0) return;  // its spans tell
  const Stream& stream = scenario_->streams[end.stream.index()];
  const std::string request = stream.name + " #" + std::to_string(end.index);
  if (end.with >= 0) {
    const bool across = end.with_stream != end.stream;
    const std::string_view first =
        across ? std::string_view(scenario_->streams[end.with_stream.index()].name) : std::string_view();
    const std::string joined =
        request + " went along with " + std::string(first) + (across ? " #" : "#") + std::to_string(end.with);
    const JoinEvent event{Head("i", 0, end.at),
                          joined,
                          "joined",
                          "p",
                          {{request, stream.name, end.index},
                           scenario_->model(stream.model).name,
                           "joined",
                           end.with,
                           first,
                           end.release,
                           end.at}};
    return WriteEvent(JoinFields(), &event);
  }
  if (run_.tables) drops_.push_back(end);
  const std::string name = request + " dropped";
  const DropEvent event{Head("i", 0, end.at),
                        name,
                        "dropped",
                        "p",
                        {{request, stream.name, end.index},
                         scenario_->model(stream.model).name,
                         "dropped",
                         end.release,
                         end.at}};
  WriteEvent(DropFields(), &event);
}

}  // namespace tandem
