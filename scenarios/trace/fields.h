// What the events of a trace say, as the file has it: names, not positions. Writer, reader and schema share
// it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/fields.h"
#include "scenarios/trace/counters.h"
#include "scenarios/trace/outcome.h"
#include "scenarios/trace/read.h"
#include "scenarios/trace/trace.h"

namespace tandem {

struct EventHead {
  std::string_view phase;
  std::int64_t process = 0, thread = 0;
  Nanos at{0};
};

// What is known of a run and its tracks: TracedTrack, TraceProcess, TraceAbout and TraceEnd.
template <class Args>
struct MetadataEvent {
  EventHead head;
  std::string_view name;
  Args args;
};
struct TraceProcess {
  std::string name;
};
struct TraceAbout {
  TraceRunFacts facts;
  std::vector<UnitResidents> residents;
};
struct TraceEnd {
  Nanos end{0};
  bool complete = true;
};

struct RequestArgs {
  std::string_view request, stream;
  std::int64_t index = 0;
};
// Layers may be many: written from text that is there, read by who knows whether they are new.
struct RawLayers {
  std::optional<JsonReader> read;
  std::string_view written;
};
struct SegmentArgs {
  std::string_view model;
  RawLayers layers;
  std::optional<SplitAxis> axis;
  std::optional<std::int64_t> first, end;
};
struct SpanArgs {
  RequestArgs request;
  SegmentArgs segment;
  SpanKind kind = SpanKind::kCompute;
  std::string_view tensor, from, to;
  Nanos release{0}, ready{0}, start{0}, end{0};
  std::optional<Nanos> taken;
};
struct SpanEvent {
  EventHead head;
  Nanos duration{0};
  std::string_view name, category;
  SpanArgs args;
};
struct DropArgs {
  RequestArgs request;
  std::string_view model, kind;
  Nanos release{0}, at{0};
};
struct JoinArgs {
  RequestArgs request;
  std::string_view model, kind;
  std::int64_t with = 0;
  std::string_view with_stream;  // empty: its own
  Nanos release{0}, at{0};
};
struct JoinEvent {
  EventHead head;
  std::string_view name, category, scope;
  JoinArgs args;
};
struct DropEvent {
  EventHead head;
  std::string_view name, category, scope;
  DropArgs args;
};

// An arrow begins and ends at the starts of two spans, on their threads.
struct ArrowEvent {
  EventHead head;
  std::int64_t id = 0;
  std::string_view name, category, binding;
};
struct CounterArgs {
  std::optional<double> tasks, bytes, watts;  // one of them
};
struct CounterEvent {
  EventHead head;
  std::string_view name;
  CounterArgs args;
};

const Fields<MetadataEvent<TraceProcess>>& ProcessFields();
const Fields<MetadataEvent<TracedTrack>>& SlotFields();
const Fields<MetadataEvent<TracedTrack>>& EngineFields();  // of copies
const Fields<MetadataEvent<TraceAbout>>& AboutFields();
const Fields<MetadataEvent<TraceEnd>>& EndFields();
const Fields<SpanEvent>& SpanFields();
const Fields<DropEvent>& DropFields();
const Fields<JoinEvent>& JoinFields();
const Fields<ArrowEvent>& ArrowBeginFields();
const Fields<ArrowEvent>& ArrowEndFields();
const Fields<CounterEvent>& CounterFields();
std::optional<double> CounterArgs::*ValueOf(CounterKind kind);
const Fields<TraceWinner>& WinnerOfRunsFields();
const Fields<TraceDraws>& DrawsOfRunsFields();

// "*" for a whole model, which has no list.
CodecOf<std::vector<std::string>> LayersOrAll(CodecOf<std::string> name = as::Name());
// An object with a list per unit, units as they come.
CodecOf<std::vector<UnitResidents>> ResidentsPerUnit();

}  // namespace tandem
