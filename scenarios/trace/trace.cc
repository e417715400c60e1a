#include "scenarios/trace/trace.h"

#include <charconv>

#include "profiles/base/json_write.h"

namespace tandem {
namespace {

void AppendNumber(std::string& text, std::int64_t value) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// Microseconds with three decimals.
void AppendMicros(std::string& text, Nanos time) {
  AppendNumber(text, time.count() / 1000);
  const auto rest = static_cast<int>(time.count() % 1000);
  text += '.';
  text += static_cast<char>('0' + rest / 100);
  text += static_cast<char>('0' + rest / 10 % 10);
  text += static_cast<char>('0' + rest % 10);
}

void AppendMember(std::string& text, std::string_view key, std::int64_t value) {
  text += ", \"";
  text += key;
  text += "\": ";
  AppendNumber(text, value);
}

void AppendMember(std::string& text, std::string_view key, std::string_view value) {
  text += ", \"";
  text += key;
  text += "\": ";
  text += JsonString(value);
}

std::string EdgesJson(const std::vector<TraceEdge>& edges) {
  std::string list;
  for (const TraceEdge& edge : edges) {
    JsonObject json;
    json.AddString("model", edge.model).Add("batch", std::to_string(edge.batch));
    json.AddString("from", edge.from);
    if (!edge.to.empty()) json.AddString("to", edge.to);
    json.AddString("transfer", NameOf(kTransferModeNames, edge.mode));
    list += (list.empty() ? "" : ", ") + json.Text();
  }
  return "[" + list + "]";
}

std::string ResidentsJson(const Platform& platform, const std::vector<std::vector<std::string>>& residents) {
  JsonObject units;
  for (std::size_t u = 0; u < residents.size(); ++u) {
    units.Add(platform.units[u].name, JsonStrings(residents[u]));
  }
  return units.Text();
}

}  // namespace

std::string NameOf(const TraceSegment& segment) {
  if (segment.layers.empty()) return {};
  const std::string name = segment.model + " " + segment.layers.front();
  const std::string all = segment.layers.size() == 1 ? name : name + ".." + segment.layers.back();
  return segment.part ? all + " " + segment.part->Text() : all;
}

TraceWriter::TraceWriter(const std::filesystem::path& path, const Scenario& scenario)
    : scenario_(&scenario), file_(path) {
  WriteHeader();
}

TraceWriter::TraceWriter(std::string* into, const Scenario& scenario) : scenario_(&scenario), file_(into) {
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
  file_.Append("{\"tandem\": \"trace/1\", \"displayTimeUnit\": \"ns\",\n \"otherData\": " + about.Text() +
               ",\n \"traceEvents\": [");
  file_.Flush();
}

SpanSink& TraceWriter::BeginRun(int process, TraceRun run) {
  run_ = std::move(run);
  process_ = process;
  first_event_ = process == 1;
  segment_names_.clear();
  segment_args_.clear();
  for (const TraceSegment& segment : run_.segments) {
    segment_names_.push_back(NameOf(segment));
    std::string args = ", \"model\": " + JsonString(segment.model) + ", \"layers\": ";
    args += segment.layers.empty() ? "\"*\"" : JsonStrings(segment.layers);
    if (segment.part) {
      args += ", \"axis\": " + JsonString(NameOf(kSplitAxisNames, segment.part->axis));
      args += ", \"first\": " + std::to_string(segment.part->first);
      args += ", \"end\": " + std::to_string(segment.part->end);
    }
    segment_args_.push_back(std::move(args));
  }
  Metadata("process_name", 0, JsonObject().AddString("name", run_.name).Text());
  JsonObject about;
  about.AddString("policy", run_.policy)
      .AddString("granularity", NameOf(kGranularityNames, run_.granularity))
      .AddString("engine", run_.engine)
      .Add("measured", run_.measured ? "true" : "false")
      .Add("sampled", run_.sampled ? "true" : "false")
      .Add("seed", std::to_string(run_.seed))
      .Add("residents", ResidentsJson(*scenario_->platform, run_.residents));
  if (!run_.edges.empty()) about.Add("edges", EdgesJson(run_.edges));
  Metadata("tandem_run", 0, about.Text());
  WriteTracks();
  return *this;
}

void TraceWriter::WriteTracks() {
  const Platform& platform = *scenario_->platform;
  for (std::size_t u = 0; u < platform.units.size(); ++u) {
    const Unit& unit = platform.units[u];
    for (std::int64_t slot = 0; slot < unit.slots; ++slot) {
      JsonObject args;
      args.AddString("name", unit.slots == 1 ? unit.name : unit.name + " slot " + std::to_string(slot + 1))
          .AddString("unit", unit.name)
          .Add("slot", std::to_string(slot));
      Metadata("thread_name", first_track_[u] + static_cast<std::size_t>(slot), args.Text());
    }
  }
  std::size_t engine = platform.units.size();
  for (const Link& link : platform.links) {
    if (!link.engine) continue;
    const std::string& from = platform.memories[link.from.index()].name;
    const std::string& to = platform.memories[link.to.index()].name;
    JsonObject args;
    args.AddString("name", from + "-" + to + " copy").AddString("from", from).AddString("to", to);
    Metadata("thread_name", first_track_[engine++], args.Text());
  }
}

void TraceWriter::EndRun(Nanos end, bool complete) {
  JsonObject args;
  args.Add("end_ns", std::to_string(end.count())).Add("complete", complete ? "true" : "false");
  Metadata("tandem_end", 0, args.Text());
  file_.Flush();
}

void TraceWriter::Close() {
  file_.Append("\n]}\n");
  file_.Commit();
}

void TraceWriter::Metadata(std::string_view name, std::size_t track, const std::string& args) {
  OpenEvent("M", track, Nanos{0});
  AppendMember(event_, "name", name);
  event_ += ", \"args\": " + args + "}";
  CloseEvent();
}

void TraceWriter::OpenEvent(std::string_view phase, std::size_t track, Nanos at) {
  event_ = first_event_ ? "\n{\"ph\": \"" : ",\n{\"ph\": \"";
  first_event_ = false;
  event_ += phase;
  event_ += '"';
  AppendMember(event_, "pid", process_);
  AppendMember(event_, "tid", static_cast<std::int64_t>(track));
  event_ += ", \"ts\": ";
  AppendMicros(event_, at);
}

void TraceWriter::CloseEvent() { file_.Append(event_); }

const std::string& TraceWriter::TensorOf(const Span& span) const {
  return run_.tensors.at(span.stream.index()).at(static_cast<std::size_t>(span.tensor));
}

void TraceWriter::NameSpan(const Span& span) {
  const TraceSegment& segment = run_.segments[static_cast<std::size_t>(span.segment)];
  const std::string& stream = scenario_->streams[span.stream.index()].name;
  const std::string& own = segment_names_[static_cast<std::size_t>(span.segment)];
  std::string name = own.empty() ? stream + " #" + std::to_string(span.index) : own;
  if (span.kind == SpanKind::kLoad) name = "load " + segment.model;
  if (span.kind == SpanKind::kTransfer) name = "copy " + TensorOf(span) + " for " + name;
  AppendMember(event_, "name", name);
  AppendMember(event_, "cat", NameOf(kSpanKindNames, span.kind));
}

void TraceWriter::AddRequest(StreamId stream, std::int32_t index) {
  const std::string& name = scenario_->streams[stream.index()].name;
  event_ += ", \"args\": {\"request\": " + JsonString(name + " #" + std::to_string(index));
  AppendMember(event_, "stream", name);
  AppendMember(event_, "index", index);
}

void TraceWriter::AddArgs(const Span& span) {
  AddRequest(span.stream, span.index);
  event_ += segment_args_[static_cast<std::size_t>(span.segment)];
  AppendMember(event_, "kind", NameOf(kSpanKindNames, span.kind));
  if (span.kind == SpanKind::kTransfer) {
    const auto& memories = scenario_->platform->memories;
    AppendMember(event_, "tensor", TensorOf(span));
    AppendMember(event_, "from", memories[static_cast<std::size_t>(span.from_memory)].name);
    AppendMember(event_, "to", memories[static_cast<std::size_t>(span.to_memory)].name);
  }
  AppendMember(event_, "release_ns", span.release.count());
  AppendMember(event_, "ready_ns", span.ready.count());
  AppendMember(event_, "start_ns", span.start.count());
  AppendMember(event_, "end_ns", span.end.count());
  event_ += "}}";
}

void TraceWriter::Add(const Span& span) {
  OpenEvent("X", first_track_[span.unit.index()] + static_cast<std::size_t>(span.slot), span.start);
  event_ += ", \"dur\": ";
  AppendMicros(event_, span.end - span.start);
  NameSpan(span);
  AddArgs(span);
  CloseEvent();
}

void TraceWriter::Ended(const RequestEnd& end) {
  if (!end.dropped) return;  // its spans tell
  const Stream& stream = scenario_->streams[end.stream.index()];
  OpenEvent("i", 0, end.at);
  AppendMember(event_, "name", stream.name + " #" + std::to_string(end.index) + " dropped");
  AppendMember(event_, "cat", std::string_view("dropped"));
  AppendMember(event_, "s", std::string_view("p"));
  AddRequest(end.stream, end.index);
  AppendMember(event_, "model", scenario_->model(stream.model).name);
  AppendMember(event_, "kind", std::string_view("dropped"));
  AppendMember(event_, "release_ns", end.release.count());
  AppendMember(event_, "at_ns", end.at.count());
  event_ += "}}";
  CloseEvent();
}

}  // namespace tandem
