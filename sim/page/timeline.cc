#include "sim/page/timeline.h"

#include <functional>

#include "profiles/base/joined.h"
#include "profiles/base/json_write.h"

namespace tandem {
namespace {

std::string List(const std::vector<std::string>& pieces) { return "[" + Joined(pieces, ",") + "]"; }

std::string RowJson(const TracedTrack& track) {
  JsonObject json;
  json.AddString("name", track.name).AddString("unit", track.unit.empty() ? track.name : track.unit);
  return json.Text();
}

std::string SegmentJson(const TraceSegment& segment) {
  std::string layers = "*";
  if (!segment.layers.empty()) {
    layers = segment.layers.front();
    if (segment.layers.size() > 1) layers += ".." + segment.layers.back();
  }
  return List({JsonString(segment.model), JsonString(layers)});
}

std::string Column(const TracedRun& run, const std::function<std::int64_t(const TracedSpan&)>& of) {
  std::string list;
  for (const TracedSpan& span : run.spans) {
    if (!list.empty()) list += ',';
    list += std::to_string(of(span));
  }
  return "[" + list + "]";
}

std::string SpansJson(const TracedRun& run) {
  const auto column = [&](const auto& of) { return Column(run, of); };
  JsonObject json;
  json.Add("row", column([](const TracedSpan& span) { return span.track; }));
  json.Add("stream", column([](const TracedSpan& span) { return span.stream; }));
  json.Add("index", column([](const TracedSpan& span) { return span.index; }));
  json.Add("segment", column([](const TracedSpan& span) { return span.segment; }));
  json.Add("kind", column([](const TracedSpan& span) { return static_cast<std::int64_t>(span.kind); }));
  json.Add("release_ns", column([](const TracedSpan& span) { return span.release.count(); }));
  json.Add("ready_ns", column([](const TracedSpan& span) { return span.ready.count(); }));
  json.Add("start_ns", column([](const TracedSpan& span) { return span.start.count(); }));
  json.Add("duration_ns", column([](const TracedSpan& span) { return (span.end - span.start).count(); }));
  return json.Text();
}

std::string RunJson(const TracedRun& run) {
  std::vector<std::string> rows, segments, kinds;
  for (const TracedTrack& track : run.tracks) rows.push_back(RowJson(track));
  for (const TraceSegment& segment : run.segments) segments.push_back(SegmentJson(segment));
  for (const auto& kind : kSpanKindNames) kinds.push_back(JsonString(kind.name));
  JsonObject json;
  json.AddString("name", run.name)
      .AddString("policy", run.policy)
      .Add("measured", run.measured ? "true" : "false")
      .Add("rows", List(rows))
      .Add("streams", JsonStrings(run.streams))
      .Add("segments", List(segments))
      .Add("kinds", List(kinds))
      .Add("spans", SpansJson(run));
  return json.Text();
}

}  // namespace

std::string TimelinesJson(const Trace& trace) {
  std::vector<std::string> runs;
  for (const TracedRun& run : trace.runs) runs.push_back(RunJson(run));
  return List(runs);
}

}  // namespace tandem
