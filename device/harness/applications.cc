#include "device/harness/applications.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "device/host/clock.h"
#include "device/host/taken_time.h"
#include "policies/engine/ages.h"
#include "policies/engine/exclusion.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "scenarios/trace/read.h"

namespace tandem {
namespace {

constexpr Nanos kLong{24L * 3600 * 1'000'000'000};  // loading a model, looking for its kernels
constexpr Nanos kBetweenQuestions{100'000'000};
constexpr Nanos kUntilAllKnow{20'000'000};  // when they are to begin

std::vector<std::int64_t> CoresOf(const Platform& platform) {
  std::set<std::int64_t> cores;
  for (const Unit& unit : platform.units) {
    if (unit.On(RunsOn::kHostCores)) cores.insert(unit.cores.begin(), unit.cores.end());
  }
  return {cores.begin(), cores.end()};
}

// Of each unit the streams that run there, ascending.
std::vector<std::vector<StreamId>> StreamsOn(const std::vector<Span>& spans, std::size_t units) {
  std::vector<std::set<StreamId>> on(units);
  for (const Span& span : spans) {
    if (span.unit.index() < units) on[span.unit.index()].insert(span.stream);
  }
  std::vector<std::vector<StreamId>> streams;
  for (const std::set<StreamId>& of : on) streams.emplace_back(of.begin(), of.end());
  return streams;
}

std::string WhyKeptApart(const Unit& unit, std::size_t streams) {
  const std::string name = "unit " + Quoted(unit.name);
  if (streams == 0) return {};
  if (unit.On(RunsOn::kNothing)) return name + " is emulated";
  if (streams == 1) return {};
  if (!unit.time_shared)
    return name + " does one task after the other; \"time_shared\": true says that it does not";
  if (unit.slots >= static_cast<std::int64_t>(streams)) return {};
  return name + " has " + std::to_string(unit.slots) + " slots, and " + std::to_string(streams) +
         " streams run there";
}

// What the application of one stream tells, as of the plan that it is part of.
class Told {
 public:
  Told(const Problem& problem, StreamId stream, const TracedRun& run)
      : problem_(&problem), stream_(stream), run_(&run) {}

  void AddTo(std::vector<Span>& spans, std::vector<RequestEnd>& ends) {
    for (const TracedSpan& span : run_->spans) {
      spans.push_back(AsSpan(span));
      Nanos& last = last_.try_emplace(span.index, Nanos{0}).first->second;
      last = std::max(last, span.end);
      release_[span.index] = span.release;
    }
    for (const auto& [index, at] : last_) ends.push_back(EndOf(index, release_[index], at));
    for (const TracedJoin& join : run_->joins) {
      ends.push_back(EndOf(join.index, join.release, join.at));
      ends.back().with = static_cast<std::int32_t>(join.with);
      ends.back().with_stream = stream_;
    }
    for (const TracedDrop& drop : run_->drops) {
      ends.push_back(EndOf(drop.index, drop.release, drop.at));
      ends.back().dropped = true;
    }
  }

 private:
  Span AsSpan(const TracedSpan& of) const {
    const TracedTrack& track = run_->tracks[static_cast<std::size_t>(of.track)];
    Span span;
    span.unit = problem_->platform().FindUnit(track.unit);
    span.kind = of.kind;
    span.stream = stream_;
    span.index = static_cast<std::int32_t>(of.index);
    span.segment = of.segment + static_cast<std::int32_t>(problem_->cut(stream_).first.index());
    span.tensor = of.tensor;
    span.from_memory = MemoryOf(of.from);
    span.to_memory = MemoryOf(of.to);
    span.release = of.release;
    span.ready = of.ready;
    span.taken = of.taken.value_or(of.start);
    span.start = of.start;
    span.end = of.end;
    return span;
  }
  std::int32_t MemoryOf(std::int32_t name) const {
    if (name < 0) return -1;
    return static_cast<std::int32_t>(
        problem_->platform().FindMemory(run_->names[static_cast<std::size_t>(name)]).index());
  }
  RequestEnd EndOf(std::int64_t index, Nanos release, Nanos at) const {
    RequestEnd end{stream_, static_cast<std::int32_t>(index), release, at};
    end.due = problem_->scenario().streams[stream_.index()].Due(release, release);
    return end;
  }

  const Problem* problem_;
  StreamId stream_;
  const TracedRun* run_;
  std::map<std::int64_t, Nanos> last_, release_;  // per request
};

// Slots are where nobody else is: every stream of a unit has its own.
void GiveSlots(const Problem& problem, std::vector<Span>& spans) {
  const auto streams = StreamsOn(spans, problem.units());
  for (Span& span : spans) {
    const std::vector<StreamId>& here = streams[span.unit.index()];
    span.slot =
        static_cast<std::int32_t>(std::lower_bound(here.begin(), here.end(), span.stream) - here.begin());
  }
}

void CountStream(const RequestEnd& end, StreamOutcome& stream) {
  stream.first_release = stream.released == 0 ? end.release : std::min(stream.first_release, end.release);
  stream.last_release = std::max(stream.last_release, end.release);
  ++stream.released;
  if (end.missed()) ++stream.missed;
  if (end.dropped) {
    ++stream.dropped;
    return;
  }
  stream.latencies.push_back(end.at - end.release);
  stream.last_completion = std::max(stream.last_completion, end.at);
}

// What each span has of its unit's time: where slots share that, an equal part of it with whoever works
// beside.
std::vector<Nanos> PartsOf(const Platform& platform, const std::vector<Span>& spans) {
  std::vector<Nanos> parts(spans.size());
  std::map<std::pair<UnitId, Nanos>, std::vector<std::size_t>> changes;  // by unit and date
  for (std::size_t s = 0; s < spans.size(); ++s) {
    parts[s] = spans[s].end - spans[s].start;
    if (parts[s] == Nanos{0} || !platform.unit(spans[s].unit).time_shared) continue;
    parts[s] = Nanos{0};
    changes[{spans[s].unit, spans[s].start}].push_back(s);
    changes[{spans[s].unit, spans[s].end}].push_back(s);
  }
  std::vector<std::size_t> working;
  Nanos since{0};
  for (const auto& [when, of] : changes) {
    const auto count = static_cast<std::int64_t>(working.size());
    for (std::int64_t w = 0; w < count; ++w) {
      const std::int64_t passed = (when.second - since).count();
      parts[working[static_cast<std::size_t>(w)]] += Nanos{passed / count + (w < passed % count ? 1 : 0)};
    }
    since = when.second;
    for (const std::size_t s : of) {
      if (spans[s].end == when.second) {
        std::erase(working, s);
      } else {
        working.push_back(s);
      }
    }
  }
  return parts;
}

// `part`: of its unit's time.
void CountSpan(const Problem& problem, const Span& span, Nanos part, UnitOutcome& unit,
               StreamOutcome& stream) {
  unit.busy += span.end - span.start;
  if (span.kind != SpanKind::kCompute) return;
  ++unit.tasks;
  const SegmentId segment(static_cast<std::size_t>(span.segment));
  if (const auto joules = problem.Joules(segment, span.unit)) {
    unit.task_joules += *joules;
    stream.WorkOn(span.unit).task_joules += *joules;
  } else {
    unit.unprofiled_busy += part;
    stream.WorkOn(span.unit).unprofiled_busy += part;
  }
}

// How many went together.
void CountBatches(const Scenario& scenario, const std::vector<Span>& spans,
                  const std::vector<RequestEnd>& ends, Outcome& outcome) {
  std::map<std::pair<StreamId, std::int32_t>, std::int64_t> others;
  for (const RequestEnd& end : ends) {
    if (end.with >= 0) ++others[{end.with_stream, end.with}];
  }
  for (const Span& span : spans) {
    if (span.kind != SpanKind::kCompute || !scenario.streams[span.stream.index()].batching) continue;
    const auto found = others.find({span.stream, span.index});
    const std::int64_t size = 1 + (found == others.end() ? 0 : found->second);
    outcome.streams[span.stream.index()].CountBatch(span.unit, size);
  }
}

// `ends` as they came.
void NoteAges(const Scenario& scenario, const std::vector<RequestEnd>& ends, Outcome& outcome) {
  Ages ages(scenario);
  for (const RequestEnd& end : ends) {
    if (!ages.Watches(end.stream)) continue;
    ages.Ended(end.stream, end.release, end.at, !end.dropped, outcome.streams[end.stream.index()]);
  }
  ages.Finish(outcome);
}

Outcome OutcomeOf(const Problem& problem, const std::vector<Span>& spans,
                  const std::vector<RequestEnd>& ends) {
  Outcome outcome;
  outcome.streams.resize(problem.scenario().streams.size());
  outcome.units.resize(problem.units());
  for (const RequestEnd& end : ends) {
    outcome.first_release =
        &end == &ends.front() ? end.release : std::min(outcome.first_release, end.release);
    if (!end.dropped) outcome.last_completion = std::max(outcome.last_completion, end.at);
    outcome.end = std::max(outcome.end, end.at);
    CountStream(end, outcome.streams[end.stream.index()]);
  }
  const std::vector<Nanos> parts = PartsOf(problem.platform(), spans);
  for (std::size_t s = 0; s < spans.size(); ++s) {
    const Span& span = spans[s];
    CountSpan(problem, span, parts[s], outcome.units[span.unit.index()],
              outcome.streams[span.stream.index()]);
  }
  CountBatches(problem.scenario(), spans, ends, outcome);
  NoteAges(problem.scenario(), ends, outcome);
  return outcome;
}

void Add(const OutputCheck& one, OutputCheck& all) {
  all.checked += one.checked;
  all.wrong += one.wrong;
  all.unchecked += one.unchecked;
  all.worst = std::max(all.worst, one.worst);
  all.tolerance = std::max(all.tolerance, one.tolerance);
}

}  // namespace

bool NobodyManages(const PolicySpec& policy) { return policy.declaration->waiting == Waiting::kOwnStream; }

std::string WhyManaged(const Problem& problem, const std::vector<Span>& predicted) {
  const Platform& platform = problem.platform();
  for (const Stream& stream : problem.scenario().streams) {
    if (std::holds_alternative<DependentArrival>(stream.arrival))
      return "stream " + Quoted(stream.name) + " follows another one";
    if (stream.batching && stream.batching->across)
      return "requests of stream " + Quoted(stream.name) + " go together with those of others";
  }
  for (const Link& link : platform.links) {
    if (link.engine) return "copies are made by an engine that all streams share";
  }
  const auto streams = StreamsOn(predicted, problem.units());
  const auto excluded = ExcludedUnits(platform);
  for (std::size_t u = 0; u < streams.size(); ++u) {
    if (std::string why = WhyKeptApart(platform.units[u], streams[u].size()); !why.empty()) return why;
    for (const UnitId other : excluded[u]) {
      if (streams[u].empty() || streams[other.index()].empty()) continue;
      return "units " + Quoted(platform.units[u].name) + " and " + Quoted(platform.unit(other).name) +
             " exclude each other";
    }
  }
  return {};
}

void Applications::Prepare() {
  if (!applications_.empty()) return;
  for (const Stream& stream : plan_->scenario.streams) {
    applications_.push_back(start_(stream.name));
    applications_.back()->ReadLine(kLong, "\"ready\"");
  }
}

void Applications::AwaitEnd(ChildProgram& application, const std::function<bool()>& keep_going) {
  while (!application.HasLine(kBetweenQuestions, "\"ended\"")) {
    if (told_to_end_ || keep_going()) continue;
    told_to_end_ = true;
    for (const auto& each : applications_) each->Signal(SIGTERM);
  }
  application.ReadLine(kLong, "\"ended\"");
}

// What these cores did that neither the applications nor this program did, since some moment.
std::optional<Nanos> Applications::OfOthers(std::span<const std::int64_t> cores) const {
  std::optional<Nanos> busy = cores.empty() ? std::nullopt : BusyOn(cores);
  for (const auto& application : applications_) {
    const auto own = ProcessTime(application->pid());
    if (busy && own) *busy -= *own;
  }
  if (const auto own = ProcessTime(getpid()); busy && own) *busy -= *own;
  return busy;
}

// What they compare and write they do when all have ended.
std::vector<RunAnswer> Applications::Answers(const std::function<bool()>& keep_going) {
  const std::vector<std::int64_t> cores = CoresOf(*plan_->scenario.platform);
  const Nanos begin = SteadyNow();
  const TakenReading before{begin, {}, {}, OfOthers(cores)};
  const std::string date = std::to_string((begin + kUntilAllKnow).count());
  for (const auto& application : applications_) application->Send("begin " + date);
  for (const auto& application : applications_) AwaitEnd(*application, keep_going);
  taken_ = ShareOfOthers(before, {SteadyNow(), {}, {}, OfOthers(cores)}, cores.size());
  std::vector<RunAnswer> answers;
  for (const auto& application : applications_) {
    const std::string told = application->Ask("tell", kLong, "its result");
    const JsonDocument document = JsonDocument::Parse(told, "an application's result");
    answers.push_back(ReadRunAnswer(document.root()));
    if (!told_to_end_) application->ReadLine(kLong, "\"ready\"");
  }
  return answers;
}

ApplicationsEnd Applications::Run(const Problem& problem, const std::function<bool()>& keep_going) {
  ApplicationsEnd end;
  std::vector<Span> spans;
  std::vector<RequestEnd> ends;
  try {
    const std::vector<RunAnswer> answers = Answers(keep_going);
    for (std::size_t s = 0; s < answers.size(); ++s) {
      const DeviceRun& run = answers[s].runs.at(0);
      const JsonDocument document = JsonDocument::Parse(answers[s].trace, "an application's trace");
      const Trace trace = ReadTrace(document.root());
      Told(problem, StreamId(s), trace.runs.at(0)).AddTo(spans, ends);
      Add(run.outputs, end.outputs);
      end.late_releases += run.late_releases;
      if (!run.complete && end.failure.empty()) end.failure = run.failure;
      for (const std::string& warning : answers[s].warnings) end.warnings.push_back(warning);
    }
  } catch (const EnvironmentError& error) {
    end.failure = error.what();
  }
  end.taken = std::exchange(taken_, std::nullopt);
  GiveSlots(problem, spans);
  const auto order = [](const Span& span) { return std::tuple(span.end, span.unit, span.slot); };
  std::sort(spans.begin(), spans.end(), [&](const Span& a, const Span& b) { return order(a) < order(b); });
  std::stable_sort(ends.begin(), ends.end(),
                   [](const RequestEnd& a, const RequestEnd& b) { return a.at < b.at; });
  end.outcome = OutcomeOf(problem, spans, ends);
  end.outcome.complete = end.failure.empty();
  for (const Span& span : spans) end.spans.Add(span);
  for (const RequestEnd& each : ends) end.spans.Ended(each);
  return end;
}

}  // namespace tandem
