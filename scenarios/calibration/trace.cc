#include "scenarios/calibration/trace.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "profiles/base/input_error.h"
#include "profiles/base/statistics.h"

namespace tandem {
namespace {

struct RequestDates {
  Nanos release{0}, end{0};
};

// Of the requests that were not dropped.
std::map<std::pair<std::int32_t, std::int64_t>, RequestDates> RequestsOf(const TracedRun& run) {
  std::map<std::pair<std::int32_t, std::int64_t>, RequestDates> requests;
  for (const TracedSpan& span : run.spans) {
    RequestDates& request = requests[{span.stream, span.index}];
    request.release = span.release;
    request.end = std::max(request.end, span.end);
  }
  return requests;
}

std::deque<Nanos> LatenciesOf(const TracedRun& run) {
  std::deque<Nanos> latencies;
  for (const auto& [request, dates] : RequestsOf(run)) latencies.push_back(dates.end - dates.release);
  std::sort(latencies.begin(), latencies.end());
  return latencies;
}

// What was kept of one kind of work.
struct Gathered {
  SpanCalibration about;
  std::vector<Nanos> predicted, measured;
};

class SpanGatherer {
 public:
  void Add(const TracedRun& run, bool measured) {
    for (const TracedSpan& span : run.spans) {
      if (span.kind == SpanKind::kLost) continue;
      Gathered& of = kinds_[PositionOf(run, span)];
      (measured ? of.measured : of.predicted).push_back(span.end - span.start);
    }
  }

  std::vector<SpanCalibration> Result() const {
    std::vector<SpanCalibration> result;
    for (const Gathered& of : kinds_) {
      if (of.predicted.empty() || of.measured.empty()) continue;
      SpanCalibration calibration = of.about;
      calibration.predicted_count = static_cast<std::int64_t>(of.predicted.size());
      calibration.measured_count = static_cast<std::int64_t>(of.measured.size());
      calibration.time = TimeError::Of(LowerMedian(of.predicted), of.measured);
      result.push_back(std::move(calibration));
    }
    return result;
  }

 private:
  using Key = std::tuple<SpanKind, std::string, std::vector<std::string>, std::optional<LayerPart>,
                         std::string, std::string, std::string, std::string>;

  std::size_t PositionOf(const TracedRun& run, const TracedSpan& span) {
    SpanCalibration about;
    about.kind = span.kind;
    about.segment = run.segments[static_cast<std::size_t>(span.segment)];
    about.unit = run.tracks[static_cast<std::size_t>(span.track)].unit;
    if (span.kind == SpanKind::kTransfer) {
      about.tensor = run.names[static_cast<std::size_t>(span.tensor)];
      about.from = run.names[static_cast<std::size_t>(span.from)];
      about.to = run.names[static_cast<std::size_t>(span.to)];
    }
    // Who asked for a copy or a load says nothing of how long it takes.
    if (span.kind != SpanKind::kCompute) about.segment = {about.segment.model, {}, {}};
    const Key key(about.kind, about.segment.model, about.segment.layers, about.segment.part, about.unit,
                  about.tensor, about.from, about.to);
    const auto [place, added] = positions_.try_emplace(key, kinds_.size());
    if (added) kinds_.push_back({std::move(about), {}, {}});
    return place->second;
  }

  std::map<Key, std::size_t> positions_;
  std::vector<Gathered> kinds_;
};

const TracedRun* Find(const Trace& trace, const std::string& label) {
  for (const TracedRun& run : trace.runs) {
    if (run.policy == label) return &run;
  }
  return nullptr;
}

}  // namespace

std::vector<MatchedRuns> MatchRuns(const Trace& predicted, const Trace& measured, const std::string& place) {
  std::vector<MatchedRuns> matched;
  bool any = false;
  for (const TracedRun& run : predicted.runs) {
    if (Find(predicted, run.policy) != &run) {
      throw InputError(place + ": policy " + Quoted(run.policy) + " is predicted twice");
    }
    if (!run.complete) throw InputError(place + ": the run of " + Quoted(run.policy) + " was cut short");
    MatchedRuns of{run.policy, &run, {}, 0};
    for (const TracedRun& other : measured.runs) {
      if (other.policy != run.policy) continue;
      if (other.complete && !other.spans.empty()) {
        of.rounds.push_back(static_cast<std::int64_t>(of.measured.size()) + of.cut_short);
        of.measured.push_back(&other);
      } else {
        ++of.cut_short;
      }
    }
    any = any || !of.measured.empty() || of.cut_short > 0;
    matched.push_back(std::move(of));
  }
  if (!any) throw InputError(place + ": none of its policies is in the other trace");
  return matched;
}

std::vector<SpanCalibration> CompareSpans(const std::vector<MatchedRuns>& runs) {
  SpanGatherer gatherer;
  for (const MatchedRuns& of : runs) {
    if (of.measured.empty()) continue;
    gatherer.Add(*of.predicted, false);
    for (const TracedRun* run : of.measured) gatherer.Add(*run, true);
  }
  return gatherer.Result();
}

std::vector<LatencyCalibration> CompareLatencies(const std::vector<MatchedRuns>& runs) {
  std::vector<LatencyCalibration> all;
  for (const MatchedRuns& of : runs) {
    const auto predicted = Summarize(LatenciesOf(*of.predicted));
    std::vector<LatencySummary> measured;
    for (const TracedRun* run : of.measured) {
      if (const auto summary = Summarize(LatenciesOf(*run))) measured.push_back(*summary);
    }
    if (!predicted || measured.empty()) continue;
    LatencyCalibration calibration{of.label, {}, {}};
    for (std::size_t f = 0; f < kLatencyFigures.size(); ++f) {
      const auto value = kLatencyFigures[f].value;
      std::vector<Nanos>& values = calibration.runs[f];
      for (const LatencySummary& summary : measured) values.push_back(summary.*value);
      calibration.figures[f] = TimeError::Of((*predicted).*value, values);
    }
    all.push_back(std::move(calibration));
  }
  return all;
}

std::optional<double> ObjectiveOf(const TracedRun& run, Objective objective) {
  if (objective == Objective::kMakespan) return static_cast<double>(MakespanOf(run).count());
  const std::deque<Nanos> latencies = LatenciesOf(run);
  const auto summary = Summarize(latencies);
  if (!summary) return std::nullopt;
  switch (objective) {
    case Objective::kMeanLatency:
      return static_cast<double>(summary->mean.count());
    case Objective::kP99Latency:
      return static_cast<double>(summary->p99.count());
    case Objective::kThroughput: {
      const auto makespan = static_cast<double>(MakespanOf(run).count());
      if (makespan <= 0) return std::nullopt;
      return static_cast<double>(latencies.size()) * 1e9 / makespan;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace tandem
