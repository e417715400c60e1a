// A trace read back: file kind "trace/1". Names are kept once; everything else speaks of their positions.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiles/base/json_reader.h"
#include "scenarios/trace/trace.h"

namespace tandem {

// A thread of the file: a slot of a unit, or a copy engine between two memories.
struct TracedTrack {
  std::string name;
  std::string unit;  // empty: a copy engine
  std::int64_t slot = 0;
  std::string from, to;
};

struct TracedSpan {
  std::int32_t track = 0, stream = 0, segment = 0;  // positions in the run's lists
  SpanKind kind = SpanKind::kCompute;
  std::int64_t index = 0;
  std::int32_t tensor = -1, from = -1, to = -1;  // transfers: positions among its names
  Nanos release{0}, ready{0}, start{0}, end{0};
  std::optional<Nanos> taken;               // when it was given its slot; older traces do not tell
  Nanos shown_start{0}, shown_duration{0};  // what viewers read: ts and dur
};

struct TracedDrop {
  std::int32_t stream = 0, segment = 0;
  std::int64_t index = 0;
  Nanos release{0}, at{0};
};

// A request that ran at once with another one, whose spans tell of it.
struct TracedJoin {
  std::int32_t stream = 0, segment = 0;
  std::int64_t index = 0, with = 0;
  std::int32_t with_stream = 0;  // that one's
  Nanos release{0}, at{0};
};

struct TracedRun : TraceRunFacts {
  std::string name;
  std::map<std::string, std::vector<std::string>> residents;  // per unit
  std::vector<TracedTrack> tracks;
  std::vector<std::string> streams, names;  // names: of tensors and memories
  std::vector<TraceSegment> segments;
  std::vector<TracedSpan> spans;  // in the file's order
  std::vector<TracedDrop> drops;
  std::vector<TracedJoin> joins;
  std::size_t arrows = 0, counter_values = 0;  // for viewers alone: they follow from the spans
  Nanos end{0};
  bool complete = true;
};

struct Trace {
  std::string scenario, platform;
  std::vector<TracedRun> runs;
  std::optional<TraceWinner> winner = {};  // of simulated runs; older traces do not name it
  std::optional<TraceDraws> draws = {};    // of them, where something could be drawn; older traces have none
};

// Judges the form alone: whether what happened obeys the rules is for CheckTrace. Throws InputError.
Trace ReadTrace(const JsonReader& root);
Trace ReadTraceFile(const std::filesystem::path& path);

}  // namespace tandem
