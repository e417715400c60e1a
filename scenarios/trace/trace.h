// Room scenarios/trace: what happened: spans, outcomes, and the trace file written and read back.
//
// The trace of runs, file kind "trace/1": Chrome trace events, which Perfetto and chrome://tracing open. One
// process per run, one thread per slot and per copy engine; arrows from what makes a tensor to what reads it,
// and counters of what waits, what memories hold and what units draw.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/fields.h"
#include "profiles/base/files.h"
#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/span.h"

namespace tandem {

inline constexpr std::array<Named<SpanKind>, 4> kSpanKindNames = {{{"compute", SpanKind::kCompute},
                                                                   {"transfer", SpanKind::kTransfer},
                                                                   {"load", SpanKind::kLoad},
                                                                   {"lost", SpanKind::kLost}}};

// What Span::segment stands for.
struct TraceSegment {
  std::string model;                // as the scenario calls it
  std::vector<std::string> layers;  // empty: the whole model
  std::optional<LayerPart> part;    // of what they make
};

std::string NameOf(
    const TraceSegment& segment);  // "alexnet conv1..relu1 channels 0-31"; whole models have none

// How a tensor comes to the tasks that have that layer, where a plan chooses it.
struct TraceEdge {
  std::string model;
  std::int64_t batch = 1;
  std::string from, to;  // empty `to`: back, as an output of the model
  TransferMode mode = TransferMode::kCopy;
};

struct TraceRunFacts {
  std::string policy;  // its label
  std::string engine;  // "virtual", "simgrid", "device"
  bool measured = false;
  bool sampled = false;  // times are drawn from samples, not the medians
  std::uint64_t seed = 1;
  Granularity granularity = Granularity::kModel;
  std::vector<TraceEdge> edges;
  std::optional<std::string> rule;  // the policy that a search took; nothing: none, or a schedule of its own
  bool disturbed = false;           // measured while others had the machine or heat held it back
};

// What arrows and counters are made from.
struct TraceTensor {
  std::int32_t maker = -1;  // segment; -1: an input of the model
  std::int64_t elements = 0;
  std::optional<std::int64_t> element_bytes = {};  // where the model says it
};
struct TraceTables {
  std::vector<std::vector<std::int32_t>> reads;    // per segment: tensors of its request
  std::vector<std::vector<TraceTensor>> tensors;   // per stream, as Span::tensor counts them
  std::vector<std::int64_t> element_bytes;         // per unit
  std::vector<std::vector<std::int64_t>> weights;  // per unit and model of the scenario: bytes
  // Per segment and unit: of its work, above idle; nothing where only the unit's watts may be known.
  std::vector<std::vector<std::optional<double>>> joules;
};

// Who was named the winner of the runs, and by what.
struct TraceWinner {
  std::string policy;  // its label
  Objective objective = Objective::kMakespan;
};

// What draws of the times made of the runs, in which every task takes its median and which so may be shorter
// than what is to be expected.
struct TraceFigure {
  double low = 0, median = 0, high = 0;
};
struct TraceLatencies {  // over all requests
  TraceFigure mean, p50, p90, p95, p99;
};
struct TraceDrawn {
  std::string policy;                    // its label
  TraceFigure makespan;                  // as the latencies, in nanoseconds
  std::optional<TraceFigure> objective;  // nothing: not every draw has it
  std::optional<TraceLatencies> latency = {};
  std::optional<double> win_probability = {};
};
struct TraceDraws {
  Objective objective = Objective::kMakespan;
  double probability = 0;            // that a figure lies between its low and its high one
  std::vector<TraceDrawn> policies;  // of those of which something could be drawn
};

// What a trace says of one run beside its spans.
struct TraceRun : TraceRunFacts {
  std::string name;                                 // of the process: "predicted: fcfs"
  std::vector<std::vector<std::string>> residents;  // per unit, the models that it held at the start
  std::vector<TraceSegment> segments;
  std::vector<std::vector<std::string>> tensors;  // per stream: the layer that makes Span::tensor
  std::optional<TraceTables> tables;              // nothing: no arrows and no counters
};

struct TracedTrack;
// The threads of each process in their order: slots of units, then copy engines.
std::vector<TracedTrack> TracksOf(const Platform& platform);

// A run of more spans has neither arrows nor counters: they need all of them in memory.
inline constexpr std::size_t kMostSpansWithArrows = 1'000'000;

struct EventHead;
template <class Args>
struct MetadataEvent;

// Writes to a temporary file that Close() renames; without it nothing is left. In memory: a buffer. Runs come
// one after the other. A run may be written by a forked child, BeginRun to EndRun, while the parent waits.
// Throws EnvironmentError.
class TraceWriter final : private SpanSink {
 public:
  // `scenario` has a platform and outlives the writer.
  TraceWriter(const std::filesystem::path& path, const Scenario& scenario);
  // Appends to the text instead of writing a file.
  TraceWriter(std::string* into, const Scenario& scenario, int first_process = 1);

  // `process` numbers the runs of the file, from 1 unless said otherwise; a forked child may write each. The
  // sink is good until EndRun.
  SpanSink& BeginRun(int process, TraceRun run);
  // `complete`: else the run was cut short at `end`, and what waited or ran then is not in the trace.
  void EndRun(Nanos end, bool complete = true);
  void SetWinner(TraceWinner winner);
  void SetDraws(TraceDraws draws);  // of no policy they are left out
  void Close();

 private:
  void Add(const Span& span) override;
  void Ended(const RequestEnd& end) override;

  void WriteHeader();
  void WriteTracks();
  EventHead Head(std::string_view phase, std::size_t track, Nanos at) const;
  template <class Args>
  void WriteMetadata(const Fields<MetadataEvent<Args>>& fields, std::string_view name, std::size_t track,
                     Args args);
  void WriteEvent(const AnyFields& fields, const void* event);
  void Keep(const Span& span);
  void WriteArrows();
  void WriteCounters();
  std::string NameOfSpan(const Span& span, const std::string& request) const;
  const std::string& TensorOf(const Span& span) const;

  const Scenario* scenario_;
  FileWriter file_;
  TraceRun run_;
  std::optional<TraceWinner> winner_;
  TraceDraws draws_;
  int first_process_ = 1, process_ = 0;
  bool first_event_ = true;
  std::vector<std::size_t> first_track_;    // per unit, then per copy engine
  std::vector<std::string> segment_names_;  // per segment; empty: the request's own
  std::vector<std::string> layers_;         // the same, as JSON
  std::string event_;                       // the one being written
  std::vector<Span> spans_;                 // of a run with arrows
  std::vector<RequestEnd> drops_;           // the same
};

}  // namespace tandem
