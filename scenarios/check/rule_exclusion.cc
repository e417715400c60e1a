// The rule on units that share cores or a device: never at work at the same time.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "scenarios/check/rules.h"

namespace tandem {
namespace {

UnitId UnitOf(const CheckedRun& run, const TracedSpan& span) {
  return run.units[static_cast<std::size_t>(span.track)];
}

// Per unit: has any other one of its cores or its device?
std::vector<char> UnitsThatShare(const Platform& platform) {
  std::map<std::int64_t, int> cores, devices;  // how many units have it
  for (const Unit& unit : platform.units) {
    for (const std::int64_t core : std::set<std::int64_t>(unit.cores.begin(), unit.cores.end()))
      ++cores[core];
    if (unit.device) ++devices[*unit.device];
  }
  std::vector<char> shares;
  for (const Unit& unit : platform.units) {
    const bool core = std::any_of(unit.cores.begin(), unit.cores.end(), [&](auto c) { return cores[c] > 1; });
    shares.push_back(core || (unit.device && devices[*unit.device] > 1) ? 1 : 0);
  }
  return shares;
}

// What happens on units that share with any other, by start, then end.
std::vector<const TracedSpan*> SpansInQuestion(const CheckedRun& run) {
  std::vector<const TracedSpan*> spans;
  const std::vector<char> shares = UnitsThatShare(run.platform());
  if (std::find(shares.begin(), shares.end(), 1) == shares.end()) return spans;
  for (const TracedSpan& span : run.run().spans) {
    const UnitId unit = UnitOf(run, span);
    const bool waited = span.kind == SpanKind::kLost && span.start == span.end;  // it was not at work
    if (unit.valid() && shares[unit.index()] && !waited) spans.push_back(&span);
  }
  std::stable_sort(spans.begin(), spans.end(), [](const TracedSpan* a, const TracedSpan* b) {
    return std::tie(a->start, a->end) < std::tie(b->start, b->end);
  });
  return spans;
}

}  // namespace

bool SharesCores(const Unit& a, const Unit& b) {
  const bool device = a.device.has_value() && b.device.has_value() && *a.device == *b.device;
  std::vector<std::int64_t> common, of_a = a.cores, of_b = b.cores;
  std::sort(of_a.begin(), of_a.end());
  std::sort(of_b.begin(), of_b.end());
  std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), std::back_inserter(common));
  return device || !common.empty();
}

std::vector<char> WithSharers(const Platform& platform, std::vector<char> units) {
  std::set<std::int64_t> cores, devices;  // of these
  for (std::size_t u = 0; u < units.size(); ++u) {
    if (units[u] == 0) continue;
    cores.insert(platform.units[u].cores.begin(), platform.units[u].cores.end());
    if (const auto& device = platform.units[u].device) devices.insert(*device);
  }
  for (std::size_t u = 0; u < units.size(); ++u) {
    const Unit& unit = platform.units[u];
    const bool core = std::any_of(unit.cores.begin(), unit.cores.end(),
                                  [&](std::int64_t each) { return cores.contains(each); });
    if (core || (unit.device && devices.contains(*unit.device))) units[u] = 1;
  }
  return units;
}

ExcludedWork::ExcludedWork(const CheckedRun& run) : run_(&run), spans_(SpansInQuestion(run)) {}

Times ExcludedWork::TimesOf(UnitId unit) const {
  const Platform& platform = run_->platform();
  Times times;
  for (const TracedSpan* span : spans_) {
    const UnitId other = UnitOf(*run_, *span);
    if (other == unit || !SharesCores(platform.unit(unit), platform.unit(other))) continue;
    if (!times.empty() && times.back().second >= span->start) {
      times.back().second = std::max(times.back().second, span->end);
    } else {
      times.emplace_back(span->start, span->end);
    }
  }
  return times;
}

void CheckExclusion(const CheckedRun& run, Findings& findings) {
  const Platform& platform = run.platform();
  std::vector<const TracedSpan*> latest(platform.units.size());  // per unit: the one so far that ends last
  for (const TracedSpan* span : SpansInQuestion(run)) {
    const UnitId unit = UnitOf(run, *span);
    for (std::size_t v = 0; v < latest.size(); ++v) {
      if (UnitId(v) == unit || !latest[v] || latest[v]->end <= span->start) continue;
      if (!SharesCores(platform.unit(unit), platform.units[v])) continue;
      findings.Violation("exclusion", run.Name(*span), span->start,
                         "on " + platform.unit(unit).name + " it overlaps " + run.Name(*latest[v]) + " on " +
                             platform.units[v].name + ", which shares cores or a device with it");
    }
    const TracedSpan*& last = latest[unit.index()];
    if (!last || span->end > last->end) last = span;
  }
}

}  // namespace tandem
