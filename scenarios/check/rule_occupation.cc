#include <algorithm>
#include <cmath>
#include <optional>

#include "scenarios/check/chip.h"
#include "scenarios/check/rates.h"
#include "scenarios/check/rules.h"
#include "scenarios/check/surroundings.h"

namespace tandem {
namespace {

// From to most of how long something lasts; without a most: nothing is known above.
struct Duration {
  Nanos least{0};
  std::optional<Nanos> most;
};

constexpr std::int64_t kFull = 1000;  // thousandths of a nanosecond

Nanos RoundedUp(double nanos) { return Nanos{static_cast<std::int64_t>(std::ceil(nanos))}; }

class OccupationRule {
 public:
  OccupationRule(const CheckedRun& run, Findings& findings)
      : run_(run), findings_(findings), around_(run), rates_(run) {
    for (const Unit& unit : run.platform().units) dispatch_.push_back(unit.dispatch);
    for (const Profile& profile : run.scenario().profiles) {
      for (const DispatchEntry& entry : profile.dispatch) {
        const UnitId unit = run.platform().FindUnit(entry.unit);
        if (unit.valid() && !entry.split) dispatch_[unit.index()] = entry.time.median;
      }
    }
  }

  void Check() {
    for (const CheckedTask& task : run_.tasks) {
      std::int64_t credit = 0;
      Nanos until{-1};  // of its slot's last step
      for (std::size_t i = task.first_span; i < task.last_span; ++i) {
        const TracedSpan& span = run_.span(i);
        if (span.track != task.track) {
          CheckSpan(task, span, 0);  // an engine begins each copy anew
          continue;
        }
        // What has waited in between begins anew, too.
        credit = CheckSpan(task, span, span.start == until ? credit : 0);
        until = span.end;
      }
    }
  }

 private:
  // `credit`: so much of it the step right before it may have done, in thousandths of a nanosecond. Returns
  // how much it may have done itself of the next one.
  std::int64_t CheckSpan(const CheckedTask& task, const TracedSpan& span, std::int64_t credit) {
    if (run_.run().sampled && span.kind == SpanKind::kCompute) return kFull - 1;
    const Duration due = span.kind == SpanKind::kCompute ? WorkOf(task, credit)
                         : span.kind == SpanKind::kLoad  ? LoadOf(task)
                                                         : CopyOf(task, span);
    const Nanos lasts = span.end - span.start;
    if (!rates_.full()) return CheckSlowed(task, span, due, credit);
    if (lasts >= due.least && (!due.most || lasts <= *due.most)) return 0;
    std::string what = "its " + std::string(NameOf(kSpanKindNames, span.kind)) + " takes " +
                       MicrosText(lasts) + ", it should take " + MicrosText(due.least);
    if (due.most && *due.most != due.least) what += " to " + MicrosText(*due.most);
    findings_.Violation("occupation", run_.Name(span), span.start, std::move(what));
    return 0;
  }

  // It ends at the first nanosecond at which nothing is left, and what a step before did beyond its work is
  // less than a nanosecond; so never while it rests. Of a run that was cut short not all neighbours are
  // known.
  std::int64_t CheckSlowed(const CheckedTask& task, const TracedSpan& span, const Duration& due,
                           std::int64_t credit) {
    if (!run_.run().complete) return 0;
    const bool copies = span.kind == SpanKind::kTransfer;
    const CheckedRates::Way way = rates_.Between(task, span.start, span.end, copies ? &span : nullptr);
    const std::int64_t beyond = way.work + credit - due.least.count() * kFull;
    const bool ends_at_rest = way.last == 0 && span.end > span.start;
    if (Fits(way, due, credit) && !(ends_at_rest && due.most))
      return std::clamp<std::int64_t>(beyond, 0, kFull - 1);
    std::string what = "its " + std::string(NameOf(kSpanKindNames, span.kind)) + " does " +
                       MicrosText(Nanos{way.work / kFull}) + " of work in " +
                       MicrosText(span.end - span.start) + ", it should do " + MicrosText(due.least);
    findings_.Violation("occupation", run_.Name(span), span.start, std::move(what));
    return 0;
  }
  static bool Fits(const CheckedRates::Way& way, const Duration& due, std::int64_t credit) {
    if (way.work == 0) return due.least == Nanos{0};
    return due.least.count() * kFull <= way.work + credit &&
           (!due.most || due.most->count() * kFull > way.work - way.last);
  }

  Duration WorkOf(const CheckedTask& task, std::int64_t credit) {
    const CheckedWork& work = run_.work(task);
    const Nanos plain = work.time[task.unit.index()], mapped = work.mapped[task.unit.index()];
    if (plain < Nanos{0}) return {};  // a finding of its own
    const Nanos dispatch = dispatch_[task.unit.index()], handed_over = around_.HandedOver(task);
    const Nanos lasts = task.work_end - task.work_start;
    std::vector<Nanos> idled = {Nanos{0}};
    std::vector<Surroundings::Before> befores = {{}};
    if (around_.pauses() || around_.switches() || around_.repeats()) {
      // Since when it had its slot is not told; or what was lost before it, and not looked at here, counts.
      if (task.unclear() || !run_.lost.empty()) return {};
      befores = around_.TakenBefore(task);
      if (befores.empty()) return {};
    }
    if (around_.pauses()) idled = around_.Idled(task);
    // One of these it is: a mapping may or may not have been needed.
    std::vector<Nanos> times;
    for (const Nanos idle : idled) {
      for (const Nanos time : {plain, mapped}) {
        const Nanos after_idle = around_.AfterIdle(task, dispatch + time, idle);
        for (const Surroundings::Before& before : befores)
          times.push_back(around_.After(task, after_idle, before) + handed_over);
      }
    }
    const auto way =
        rates_.full() ? CheckedRates::Way() : rates_.Between(task, task.work_start, task.work_end);
    const auto found = std::find_if(times.begin(), times.end(), [&](Nanos time) {
      return rates_.full() ? time == lasts : Fits(way, {time, time}, credit);
    });
    const Nanos time = found == times.end() ? times.front() : *found;
    return {time, time};
  }

  Duration LoadOf(const CheckedTask& task) const {
    const ScenarioModel& model = run_.scenario().model(run_.segment(task).model);
    const std::string& unit = run_.platform().unit(task.unit).name;
    for (const Profile& profile : run_.scenario().profiles) {
      for (const LoadEntry& load : profile.loads) {
        if (load.unit != unit || run_.scenario().units[task.unit.index()].variant != load.variant) continue;
        if (ModelKey(load.model, profile.file) == model.key) return {load.time.median, load.time.median};
      }
    }
    if (!HasChip(run_, task.unit)) return {};
    const Nanos time = ChipLoadTime(run_, run_.segment(task).model, task.unit);
    return {time, time};
  }

  Duration CopyOf(const CheckedTask& task, const TracedSpan& span) const {
    const Platform& platform = run_.platform();
    const auto& names = run_.run().names;
    const std::string& from = names[static_cast<std::size_t>(span.from)];
    const std::string& to = names[static_cast<std::size_t>(span.to)];
    const auto bytes = BytesOf(task, names[static_cast<std::size_t>(span.tensor)]);
    if (!bytes) return {};
    if (const auto measured = Measured(from, to, *bytes)) return *measured;
    for (const Link& link : platform.links) {
      const std::string &one = platform.memories[link.from.index()].name,
                        &other = platform.memories[link.to.index()].name;
      if (!(one == from && other == to) && !(one == to && other == from)) continue;
      const Nanos time = link.latency + RoundedUp(static_cast<double>(*bytes) / Narrowest(link) * 1e9);
      return {time, time};
    }
    return {};
  }

  // Of all that a copy over the link goes over.
  double Narrowest(const Link& link) const {
    const Platform& platform = run_.platform();
    std::vector<double> bandwidths = {link.bandwidth_bytes_per_s};
    if (link.hub.valid()) bandwidths.push_back(platform.hubs[link.hub.index()].bandwidth_bytes_per_s);
    for (const MemoryId end : {link.from, link.to}) {
      if (const auto& memory = platform.memories[end.index()].bandwidth_bytes_per_s)
        bandwidths.push_back(*memory);
    }
    return *std::min_element(bandwidths.begin(), bandwidths.end());
  }

  // A profile's own sizes are exact; between two of them the time lies between theirs.
  std::optional<Duration> Measured(const std::string& from, const std::string& to, std::int64_t bytes) const {
    const TransferEntry *below = nullptr, *above = nullptr;
    for (const Profile& profile : run_.scenario().profiles) {
      for (const TransferEntry& entry : profile.transfers) {
        if (entry.from != from || entry.to != to) continue;
        if (entry.bytes <= bytes && (!below || entry.bytes > below->bytes)) below = &entry;
        if (entry.bytes >= bytes && (!above || entry.bytes < above->bytes)) above = &entry;
      }
    }
    if (!below && !above) return std::nullopt;
    if (!above) return Duration{below->time.median, std::nullopt};
    if (!below) return Duration{Nanos{0}, above->time.median};
    return Duration{std::min(below->time.median, above->time.median),
                    std::max(below->time.median, above->time.median)};
  }

  // Of the whole batch, as wide as the unit that made it writes its elements.
  std::optional<std::int64_t> BytesOf(const CheckedTask& task, const std::string& tensor) const {
    const CheckedRequest& request = run_.requests[static_cast<std::size_t>(task.request)];
    const Model& model = run_.model(run_.stream(request.stream).model);
    LayerId layer = model.Find(tensor);
    UnitId maker;
    std::optional<LayerPart> part;
    for (std::size_t t = request.first_task; t < request.last_task; ++t) {
      const CheckedSegment& segment = run_.segment(run_.tasks[t]);
      if (segment.part) {
        for (const LayerId of : segment.layers) {
          if (run_.TensorName(segment, of) != tensor) continue;
          layer = of;
          maker = run_.tasks[t].unit;
          part = segment.part;
        }
        continue;
      }
      if (!layer.valid()) continue;
      const bool whole = segment.layers.empty() && model.layer(layer).op != Op::kInput;
      if (whole || std::binary_search(segment.layers.begin(), segment.layers.end(), layer))
        maker = run_.tasks[t].unit;
    }
    if (!layer.valid()) return std::nullopt;
    return run_.Elements(request.stream, layer, part) * ElementBytes(run_, maker, model, layer) * task.batch;
  }

  const CheckedRun& run_;
  Findings& findings_;
  Surroundings around_;
  CheckedRates rates_;
  std::vector<Nanos> dispatch_;
};

}  // namespace

std::int64_t ElementBytes(const CheckedRun& run, UnitId unit, const Model& model, LayerId layer) {
  if (const auto typed = model.ElementBytes(layer)) return *typed;
  if (!unit.valid()) return 4;
  const BackendDeclaration* backend = run.platform().unit(unit).backend;
  return backend && backend->HandsOnFloats() ? 4 : WeightElementBytes(run, unit);
}

std::int64_t WeightElementBytes(const CheckedRun& run, UnitId unit) {
  const auto& variant = run.scenario().units[unit.index()].variant;
  if (!variant) return 4;
  const auto holds = [&](const char* digits) { return variant->precision.find(digits) != std::string::npos; };
  return holds("64") ? 8 : holds("16") ? 2 : holds("8") ? 1 : 4;
}

void CheckOccupation(const CheckedRun& run, Findings& findings) {
  // SimGrid's own physics are no rule of these pages.
  if (run.simulated() && run.run().engine != "fluid") OccupationRule(run, findings).Check();
}

}  // namespace tandem
