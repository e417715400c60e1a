#include "scenarios/trace/counters.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "scenarios/trace/lost_attempts.h"

namespace tandem {
namespace {

// What is added and taken away, in any order of dates.
class Changes {
 public:
  void Add(Nanos from, Nanos to, double value) {
    if (from >= to) return;
    changes_.emplace_back(from, value);
    changes_.emplace_back(to, -value);
  }
  bool none() const { return changes_.empty(); }

  // From `first` on; what is as good as nothing beside the greatest value is the rounding of sums.
  Counter AsCounter(CounterKind kind, std::string_view of, double first = 0) {
    constexpr double kRounding = 1e-9;
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    double greatest = first;
    for (const auto& [at, value] : changes_) greatest = std::max(greatest, std::abs(value));
    Counter counter{kind, std::string(NameOf(kCounterKindNames, kind)) + ": " + std::string(of), {}};
    double sum = first;
    counter.values.emplace_back(Nanos{0}, sum);
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      sum += changes_[i].second;
      if (i + 1 < changes_.size() && changes_[i + 1].first == changes_[i].first) continue;
      const double value = std::abs(sum - first) < kRounding * greatest ? first : std::max(0.0, sum);
      if (counter.values.back().first == changes_[i].first) {
        counter.values.back().second = value;
      } else if (value != counter.values.back().second) {
        counter.values.emplace_back(changes_[i].first, value);
      }
    }
    return counter;
  }

 private:
  std::vector<std::pair<Nanos, double>> changes_;
};

class CounterMaker {
 public:
  CounterMaker(const TraceRun& run, const Scenario& scenario, const std::vector<Span>& spans,
               const std::vector<RequestEnd>& drops)
      : run_(run),
        tables_(*run.tables),
        scenario_(scenario),
        platform_(*scenario.platform),
        spans_(spans),
        drops_(drops) {}

  std::vector<Counter> Make() {
    AddWaiting();
    AddMemory();
    AddPower();
    return std::move(counters_);
  }

 private:
  using Task = std::tuple<std::size_t, std::int32_t, std::int32_t>;  // stream, index, segment
  static Task TaskOf(const Span& span) { return {span.stream.index(), span.index, span.segment}; }
  bool OnUnit(const Span& span) const { return span.unit.index() < platform_.units.size(); }
  std::int32_t MemoryOf(const Span& span) const {
    return static_cast<std::int32_t>(platform_.units[span.unit.index()].memory.index());
  }

  void AddWaiting() {
    std::vector<Changes> of_unit(platform_.units.size());
    std::set<std::pair<std::size_t, std::int32_t>> begun;
    std::map<Task, Nanos> since;  // of what was lost: when it began to wait again
    for (const Span& span : spans_) {
      begun.emplace(span.stream.index(), span.index);
      if (span.kind != SpanKind::kCompute && (span.kind != SpanKind::kLost || !OnUnit(span))) continue;
      const auto again = since.find(TaskOf(span));
      of_unit[span.unit.index()].Add(again == since.end() ? span.ready : again->second, span.taken, 1);
      if (span.kind == SpanKind::kLost) since[TaskOf(span)] = span.end;
    }
    for (std::size_t u = 0; u < of_unit.size(); ++u) {
      counters_.push_back(of_unit[u].AsCounter(CounterKind::kWaiting, platform_.units[u].name));
    }
    Changes in_vain;
    for (const RequestEnd& drop : drops_) {
      if (!begun.contains({drop.stream.index(), drop.index})) in_vain.Add(drop.release, drop.at, 1);
    }
    if (!in_vain.none()) counters_.push_back(in_vain.AsCounter(CounterKind::kWaiting, kWaitingInVain));
  }

  // Of a task what it has its slot for besides loads: from its copies in, or its work, to the end of that.
  struct Stay {
    Nanos from{0}, to{0};
    double bytes = 0;
  };
  using Place = std::tuple<std::size_t, std::int32_t, std::int32_t, std::int32_t>;  // ..., tensor, memory
  void Hold(const Span& span, std::int32_t tensor, std::int32_t memory, Nanos from, Nanos to, double bytes) {
    const auto [place, is_new] =
        stays_.try_emplace({span.stream.index(), span.index, tensor, memory}, Stay{from, to, bytes});
    if (is_new) return;
    place->second.from = std::min(place->second.from, from);
    place->second.to = std::max(place->second.to, to);
  }

  // Where a tensor was made, and how wide: of inputs, which any reader may take as it likes, four bytes.
  double BytesOf(const Span& span, std::int32_t tensor) const {
    constexpr double kFp32 = 4;
    const TraceTensor& of = tables_.tensors[span.stream.index()][static_cast<std::size_t>(tensor)];
    const auto maker = makers_.find({span.stream.index(), span.index, of.maker});
    const double width =
        maker == makers_.end() ? kFp32 : static_cast<double>(tables_.element_bytes[maker->second.index()]);
    return static_cast<double>(of.elements) *
           (of.element_bytes ? static_cast<double>(*of.element_bytes) : width);
  }

  void AddMemory() {
    std::map<Task, Nanos> begins;
    std::set<Place> brought;
    const LostAttempts lost(spans_);
    for (const Span& span : spans_) {
      if (span.kind == SpanKind::kTransfer)
        brought.emplace(Place{span.stream.index(), span.index, span.tensor, span.to_memory});
      if (lost.Have(span)) continue;
      if (span.kind != SpanKind::kLoad && OnUnit(span)) {
        const auto [begin, is_new] = begins.try_emplace(TaskOf(span), span.start);
        if (!is_new) begin->second = std::min(begin->second, span.start);
      }
      if (span.kind == SpanKind::kCompute) makers_.emplace(TaskOf(span), span.unit);
    }
    for (const Span& span : spans_) {
      if (span.kind == SpanKind::kCompute && !lost.Have(span)) HoldOf(span, begins[TaskOf(span)], brought);
    }
    for (const Span& span : spans_) {
      const Place place{span.stream.index(), span.index, span.tensor, span.from_memory};
      if (span.kind == SpanKind::kTransfer && stays_.contains(place)) {
        Hold(span, span.tensor, span.from_memory, span.start, span.end, 0);
      }
    }
    std::vector<Changes> of_memory(platform_.memories.size());
    for (const auto& [place, stay] : stays_) {
      of_memory[static_cast<std::size_t>(std::get<3>(place))].Add(stay.from, stay.to, stay.bytes);
    }
    AddWeights(of_memory);
  }

  // What the task makes, and what it reads and has in its memory.
  void HoldOf(const Span& span, Nanos begin, const std::set<Place>& brought) {
    const std::int32_t memory = MemoryOf(span);
    const auto& tensors = tables_.tensors[span.stream.index()];
    const auto hold = [&](std::int32_t tensor) {
      Hold(span, tensor, memory, begin, span.end, BytesOf(span, tensor));
    };
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      if (tensors[t].maker == span.segment) hold(static_cast<std::int32_t>(t));
    }
    for (const std::int32_t tensor : tables_.reads[static_cast<std::size_t>(span.segment)]) {
      const std::int32_t maker = tensors[static_cast<std::size_t>(tensor)].maker;
      const auto made_by = makers_.find({span.stream.index(), span.index, maker});
      const bool made_here = made_by != makers_.end() && platform_.units[made_by->second.index()].memory ==
                                                             platform_.units[span.unit.index()].memory;
      const Place here{span.stream.index(), span.index, tensor, memory};
      if (made_here || (brought.contains(here) && (maker >= 0 || memory != 0))) hold(tensor);
    }
  }

  std::optional<std::size_t> ModelNamed(const std::string& name) const {
    const auto& models = scenario_.models;
    const auto found = std::find_if(models.begin(), models.end(),
                                    [&](const ScenarioModel& model) { return model.name == name; });
    if (found == models.end()) return std::nullopt;
    return static_cast<std::size_t>(found - models.begin());
  }

  void AddWeights(std::vector<Changes>& of_memory) {
    std::vector<double> at_all_times(platform_.memories.size());
    for (std::size_t u = 0; u < platform_.units.size(); ++u) {
      const std::size_t memory = platform_.units[u].memory.index();
      const bool loads = std::any_of(spans_.begin(), spans_.end(), [&](const Span& span) {
        return span.kind == SpanKind::kLoad && span.unit.index() == u;
      });
      if (loads) {
        AddLoaded(u, of_memory[memory]);
        continue;
      }
      for (const std::string& name : run_.residents[u]) {
        if (const auto m = ModelNamed(name))
          at_all_times[memory] += static_cast<double>(tables_.weights[u][*m]);
      }
    }
    for (std::size_t m = 0; m < of_memory.size(); ++m) {
      counters_.push_back(
          of_memory[m].AsCounter(CounterKind::kMemory, platform_.memories[m].name, at_all_times[m]));
    }
  }

  // Each model from its load, or the start, to the last task before it is loaded again.
  void AddLoaded(std::size_t unit, Changes& changes) const {
    std::map<std::size_t, std::pair<Nanos, Nanos>> stays;  // per model
    const auto close = [&](std::size_t model, const std::pair<Nanos, Nanos>& stay) {
      changes.Add(stay.first, stay.second, static_cast<double>(tables_.weights[unit][model]));
    };
    std::vector<const Span*> own;
    for (const Span& span : spans_) {
      if (span.unit.index() == unit && span.kind != SpanKind::kLost) own.push_back(&span);
    }
    std::stable_sort(own.begin(), own.end(),
                     [](const Span* a, const Span* b) { return a->start < b->start; });
    for (const Span* span : own) {
      const auto model = ModelNamed(run_.segments[static_cast<std::size_t>(span->segment)].model);
      if (!model) continue;
      const auto [stay, is_new] =
          stays.try_emplace(*model, span->kind == SpanKind::kLoad ? span->start : Nanos{0}, span->end);
      if (!is_new && span->kind == SpanKind::kLoad) {
        close(*model, stay->second);
        stay->second = {span->start, span->end};
      }
      stay->second.second = std::max(stay->second.second, span->end);
    }
    for (const auto& [model, stay] : stays) close(model, stay);
  }

  std::optional<double> WattsOf(const Span& span) const {
    const Unit& unit = platform_.units[span.unit.index()];
    const auto joules = tables_.joules[static_cast<std::size_t>(span.segment)][span.unit.index()];
    if (joules && span.kind != SpanKind::kLost) {
      const double seconds = static_cast<double>((span.end - span.start).count()) / 1e9;
      return span.kind == SpanKind::kCompute && seconds > 0 ? *joules / seconds : 0.0;
    }
    if (!unit.Draws().busy) return std::nullopt;
    return unit.Draws().AboveIdle();
  }

  struct AtWork {
    int all = 0, charged = 0;
    void Add(int more, bool has_joules) {
      all += more;
      charged += has_joules ? 0 : more;
    }
  };
  // Who works beside each other has equal parts of the unit's time; who has joules of its own draws these.
  static void AddShared(const std::map<Nanos, AtWork>& begun, double watts, Changes& changes) {
    AtWork now;
    Nanos since{0};
    for (const auto& [date, more] : begun) {
      if (now.charged > 0) changes.Add(since, date, watts * now.charged / now.all);
      now.all += more.all;
      now.charged += more.charged;
      since = date;
    }
  }

  void AddPower() {
    for (std::size_t u = 0; u < platform_.units.size(); ++u) {
      const Watts draws = platform_.units[u].Draws();
      if (!draws.idle) continue;
      Changes changes;
      bool known = true;
      std::map<Nanos, AtWork> begun;  // of a unit that is time-shared, less what has ended
      for (const Span& span : spans_) {
        if (span.unit.index() != u) continue;
        const auto watts = WattsOf(span);
        known = known && watts;
        const bool has_joules =
            tables_.joules[static_cast<std::size_t>(span.segment)][u] && span.kind != SpanKind::kLost;
        const bool shared = platform_.units[u].time_shared;
        if (!shared || has_joules) changes.Add(span.start, span.end, watts.value_or(0));
        if (!shared) continue;
        begun[span.start].Add(1, has_joules);
        begun[span.end].Add(-1, has_joules);
      }
      if (!known) continue;
      AddShared(begun, draws.AboveIdle(), changes);
      counters_.push_back(changes.AsCounter(CounterKind::kPower, platform_.units[u].name, *draws.idle));
    }
  }

  const TraceRun& run_;
  const TraceTables& tables_;
  const Scenario& scenario_;
  const Platform& platform_;
  const std::vector<Span>& spans_;
  const std::vector<RequestEnd>& drops_;
  std::map<Task, UnitId> makers_;
  std::map<Place, Stay> stays_;
  std::vector<Counter> counters_;
};

}  // namespace

std::vector<Counter> CountersOf(const TraceRun& run, const Scenario& scenario, const std::vector<Span>& spans,
                                const std::vector<RequestEnd>& drops) {
  return CounterMaker(run, scenario, spans, drops).Make();
}

}  // namespace tandem
