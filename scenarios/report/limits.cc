#include "scenarios/report/limits.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string_view>

#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "scenarios/report/report.h"

namespace tandem {
namespace {

double LatencyFigure(const std::optional<LatencySummary>& latency, ConditionFigure figure) {
  if (!latency) return ConditionTerm::kNone;
  const auto of = [&](Nanos time) { return static_cast<double>(time.count()); };
  switch (figure) {
    case ConditionFigure::kP50:
      return of(latency->p50);
    case ConditionFigure::kP90:
      return of(latency->p90);
    case ConditionFigure::kP95:
      return of(latency->p95);
    case ConditionFigure::kP99:
      return of(latency->p99);
    case ConditionFigure::kMax:
      return of(latency->max);
    default:
      return of(latency->mean);
  }
}

// Per run, summed or averaged over all.
template <class Of>
double MeanOver(std::span<const Report> runs, const Of& of) {
  double sum = 0;
  for (const Report& run : runs) sum += of(run);
  return sum / static_cast<double>(runs.size());
}

double EnergyOf(const Report& run) {
  if (!run.energy_j) throw InputError("the energy is not known: " + run.energy_why);
  return *run.energy_j;
}

double EnergyOfStream(const Report& run, const StreamReport& stream) {
  if (!stream.energy_above_idle_j) throw InputError("the energy is not known: " + run.energy_why);
  return *stream.energy_above_idle_j;
}

const std::optional<LatencySummary>& TimesOfStream(const StreamReport& stream, ConditionTimes times) {
  return times == ConditionTimes::kEndToEnd ? stream.end_to_end
         : times == ConditionTimes::kAge    ? stream.age
                                            : stream.latency;
}

bool HasTimes(const StreamReport& stream, ConditionTimes times) {
  return times == ConditionTimes::kEndToEnd ? stream.follows
         : times == ConditionTimes::kAge    ? stream.tells_age
                                            : true;
}

double OfWholeRun(const ConditionTerm& term, std::span<const Report> runs) {
  switch (term.figure) {
    case ConditionFigure::kMakespan:
      return MeanOver(runs, [](const Report& run) { return static_cast<double>(run.makespan.count()); });
    case ConditionFigure::kEnergy:
      return MeanOver(runs, EnergyOf);
    case ConditionFigure::kEnergyPerInference:
      return MeanOver(runs, [](const Report& run) {
        const double joules = EnergyOf(run);
        return run.inferences > 0 ? joules / static_cast<double>(run.inferences) : ConditionTerm::kNone;
      });
    case ConditionFigure::kPower:
      return MeanOver(runs, [](const Report& run) {
        return run.makespan > Nanos{0} ? EnergyOf(run) / InSeconds(run.makespan) : 0;
      });
    case ConditionFigure::kThroughput:
      return MeanOver(runs, [](const Report& run) { return run.throughput_per_s; });
    default:
      return MeanOver(runs, [&](const Report& run) { return LatencyFigure(run.latency, term.figure); });
  }
}

// Of requests of the streams that are taken: how many, of how many.
double CountOf(const ConditionTerm& term, std::span<const Report> runs,
               const std::function<bool(const StreamReport&)>& takes) {
  double some = 0, all = 0;
  for (const Report& run : runs) {
    for (const StreamReport& stream : run.streams) {
      if (!takes(stream) || (term.figure == ConditionFigure::kMisses && !stream.has_deadline)) continue;
      some += static_cast<double>(term.figure == ConditionFigure::kMisses ? stream.missed : stream.dropped);
      all += static_cast<double>(stream.released);
    }
  }
  if (!term.share) return some / static_cast<double>(runs.size());
  return all > 0 ? some / all : 0;
}

// The streams that a term speaks of: the one of that name, else all with a number behind it. Of all it is
// those that have such times.
std::vector<std::size_t> StreamsOf(const ConditionTerm& term, const Report& run) {
  std::vector<std::size_t> named, numbered;
  for (std::size_t s = 0; s < run.streams.size(); ++s) {
    const std::string& name = run.streams[s].name;
    const bool of_all = term.of == "*" || term.of.empty();
    if (!HasTimes(run.streams[s], term.times)) continue;
    if (of_all || name == term.of) named.push_back(s);
    if (IsNumbered(name, term.of)) numbered.push_back(s);
  }
  return named.empty() ? numbered : named;
}

double OfOneStream(const ConditionTerm& term, std::span<const Report> runs, std::size_t s) {
  if (term.IsCount()) {
    const std::string& name = runs[0].streams[s].name;
    return CountOf(term, runs, [&](const StreamReport& stream) { return stream.name == name; });
  }
  return MeanOver(runs, [&](const Report& run) {
    const StreamReport& stream = run.streams[s];
    switch (term.figure) {
      case ConditionFigure::kThroughput:
        return stream.throughput_per_s;
      case ConditionFigure::kEnergy:
        return EnergyOfStream(run, stream);
      case ConditionFigure::kEnergyPerInference:
        EnergyOfStream(run, stream);  // is it known?
        return stream.energy_above_idle_per_inference_j.value_or(ConditionTerm::kNone);
      default:
        return LatencyFigure(TimesOfStream(stream, term.times), term.figure);
    }
  });
}

std::vector<double> FiguresOfEach(const ConditionTerm& term, std::span<const Report> runs) {
  std::vector<double> values;
  if (term.figure == ConditionFigure::kUtilization) {
    for (std::size_t u = 0; u < runs[0].units.size(); ++u) {
      if (!term.of.empty() && term.of != "*" && term.of != runs[0].units[u].name) continue;
      values.push_back(MeanOver(runs, [u](const Report& run) { return run.units[u].utilization; }));
    }
  } else if (term.of.empty() && term.times == ConditionTimes::kLatency) {
    values.push_back(term.IsCount() ? CountOf(term, runs, [](const StreamReport&) { return true; })
                                    : OfWholeRun(term, runs));
  } else {
    for (const std::size_t s : StreamsOf(term, runs[0])) values.push_back(OfOneStream(term, runs, s));
  }
  return values;
}

bool IsKnown(const ConditionTerm& term, const Report& run) {
  if (!term.IsOfEnergy()) return true;
  if (term.of.empty()) return run.energy_j.has_value();
  return std::all_of(run.streams.begin(), run.streams.end(),
                     [](const StreamReport& stream) { return stream.energy_above_idle_j.has_value(); });
}

// Those that the objective may call best, and have limits.
bool MayWin(const Report& report) { return !report.limits.empty() && !report.beside; }

// What the search of a report tried, by the text of a limit of its scenario that schedules broke alone.
std::map<std::string_view, double> TriedBy(const Report& report) {
  std::map<std::string_view, double> tried;
  // Searches go by tandem's own rules.
  if (!MayWin(report) || !report.search || report.IsFluid()) return tried;
  for (const SearchStory::Relaxed& relaxed : report.search->relaxed) {
    tried.try_emplace(relaxed.limit, relaxed.value);
  }
  return tried;
}

// Of each limit the least that it would have to be relaxed to; nothing where somebody keeps all.
std::map<std::size_t, Relaxation> RelaxationsOf(const std::vector<Report>& reports) {
  std::map<std::size_t, Relaxation> found;
  std::map<std::size_t, double> least;
  const auto take = [&](std::size_t l, const ConditionTerm& term, const Relaxation& relaxation) {
    const double excess = term.Excess(relaxation.value);
    const auto [at, is_new] = least.try_emplace(l, excess);
    if (!is_new && at->second <= excess) return;
    at->second = excess;
    found[l] = relaxation;
  };
  for (const Report& report : reports) {
    if (!MayWin(report)) continue;
    NearMisses of_run;
    of_run.Add(report.limits);
    if (of_run.kept()) return {};
    for (const auto& [l, limit] : of_run.all()) take(l, limit.term, {*limit.value, report.label, false});
  }
  for (const Report& report : reports) {
    const std::map<std::string_view, double> tried = TriedBy(report);
    for (std::size_t l = 0; !tried.empty() && l < report.limits.size(); ++l) {
      const LimitReport& limit = report.limits[l];
      if (limit.kept_share) continue;  // a search goes by medians: what such a run has, draws may break
      const auto own = tried.find(limit.term.text);
      if (own != tried.end()) take(l, limit.term, {own->second, report.label, true});
    }
  }
  return found;
}

std::string RelaxationText(const ConditionTerm& term, const std::optional<Relaxation>& relaxation) {
  if (!relaxation) return "; relaxing it alone does not help: nothing that was tried keeps all others";
  return "; of what was tried, " + (relaxation->searched ? "a schedule of " : std::string()) +
         relaxation->policy + " would keep all limits at " + term.EnoughText(relaxation->value);
}

double NothingKnown(const ConditionTerm& term) { return term.Excess(term.below ? ConditionTerm::kNone : 0); }

std::string KeptText(const Report& report, const LimitReport& limit) {
  if (!limit.value) return report.label;
  std::string text = report.label + " (" + limit.term.FigureText(*limit.value);
  if (limit.kept_share) {
    text += " in the median over the draws, kept in " + Share(*limit.kept_share) + " of them";
  }
  return text + ")";
}

}  // namespace

double FarthestOf(const ConditionTerm& term, std::span<const Report> runs) {
  const std::vector<double> values = FiguresOfEach(term, runs);
  if (values.empty()) throw InputError(Quoted(term.text) + ": nothing of that name is there");
  return term.below ? *std::max_element(values.begin(), values.end())
                    : *std::min_element(values.begin(), values.end());
}

std::vector<LimitReport> JudgeLimits(const std::vector<ConditionTerm>& limits, const Report& run) {
  std::vector<LimitReport> judged;
  for (const ConditionTerm& term : limits) {
    const bool known = IsKnown(term, run);
    const double value = known ? FarthestOf(term, {&run, 1}) : ConditionTerm::kNone;
    judged.push_back({term,
                      value == ConditionTerm::kNone ? std::nullopt : std::optional(value),
                      known ? term.Excess(value) : NothingKnown(term),
                      {}});
  }
  return judged;
}

void JudgeByDraws(const std::vector<Report>& drawn, std::size_t position, LimitReport& limit) {
  std::vector<const LimitReport*> known;
  for (const Report& of_draw : drawn) {
    if (position < of_draw.limits.size()) known.push_back(&of_draw.limits[position]);
  }
  const auto keeps = [](const LimitReport* of_draw) { return of_draw->kept(); };
  limit.kept_share = static_cast<double>(std::count_if(known.begin(), known.end(), keeps)) /
                     static_cast<double>(drawn.size());
  // The best first: the middle one keeps the limit where half of them do.
  const double none = limit.term.below ? ConditionTerm::kNone : -ConditionTerm::kNone;
  const auto better = [&](const LimitReport* a, const LimitReport* b) {
    const double of_a = a->value.value_or(none), of_b = b->value.value_or(none);
    if (a->excess != b->excess) return a->excess < b->excess;
    return limit.term.below ? of_a < of_b : of_a > of_b;
  };
  std::sort(known.begin(), known.end(), better);
  limit.of_run = {limit.value, limit.excess};
  const std::size_t middle = (drawn.size() - 1) / 2;
  const bool ended = middle < known.size();
  limit.value = ended ? known[middle]->value : std::nullopt;
  limit.excess = ended ? known[middle]->excess : NothingKnown(limit.term);
}

void JudgeByRun(LimitReport& limit) {
  limit.kept_share.reset();
  if (!limit.of_run) return;
  limit.value = limit.of_run->value;
  limit.excess = limit.of_run->excess;
  limit.of_run.reset();
}

double ExcessOf(const Report& report) {
  double excess = 0;
  for (const LimitReport& limit : report.limits) excess += limit.excess;
  return RoundedExcess(excess);
}

void NearMisses::Add(const std::vector<LimitReport>& limits) {
  std::optional<std::size_t> broken;
  for (std::size_t l = 0; l < limits.size(); ++l) {
    if (limits[l].kept()) continue;
    if (broken) return;
    broken = l;
  }
  if (!broken) {
    kept_ = true;
  } else if (limits[*broken].value) {
    Take(*broken, limits[*broken]);
  }
}

void NearMisses::Add(const NearMisses& others) {
  kept_ = kept_ || others.kept_;
  for (const auto& [position, broken] : others.least_) Take(position, broken);
}

void NearMisses::Take(std::size_t position, const LimitReport& broken) {
  const auto [least, is_new] = least_.try_emplace(position, broken);
  if (!is_new && broken.excess < least->second.excess) least->second = broken;
}

void SetRelaxations(std::vector<Report>& reports) {
  const std::map<std::size_t, Relaxation> relaxations = RelaxationsOf(reports);
  for (Report& report : reports) {
    for (std::size_t l = 0; l < report.limits.size(); ++l) {
      const auto found = relaxations.find(l);
      report.limits[l].relaxation = found == relaxations.end() ? std::nullopt : std::optional(found->second);
    }
  }
}

std::string LimitsKept(const Report& report) {
  const auto kept = std::count_if(report.limits.begin(), report.limits.end(),
                                  [](const LimitReport& limit) { return limit.kept(); });
  return std::to_string(kept) + " of " + std::to_string(report.limits.size());
}

std::vector<std::string> LimitTexts(const std::vector<Report>& reports) {
  std::vector<std::string> texts;
  const Report* closest = nullptr;
  for (const Report& report : reports) {
    if (!MayWin(report)) continue;
    if (!closest || ExcessOf(report) < ExcessOf(*closest)) closest = &report;
  }
  if (!closest) return texts;
  const bool all_kept = ExcessOf(*closest) == 0;
  const std::map<std::size_t, Relaxation> relaxations = RelaxationsOf(reports);
  for (std::size_t l = 0; l < closest->limits.size(); ++l) {
    std::vector<std::string> keep, broken;
    for (const Report& report : reports) {
      if (report.limits.empty()) continue;
      const LimitReport& limit = report.limits[l];
      (limit.kept() ? keep : broken).push_back(KeptText(report, limit));
    }
    std::string text = "limit " + closest->limits[l].term.text + ": ";
    if (!keep.empty()) text += "kept by " + Joined(keep);
    if (!broken.empty()) text += (keep.empty() ? "" : "; ") + ("broken by " + Joined(broken));
    if (!broken.empty() && !all_kept) {
      const auto found = relaxations.find(l);
      text += RelaxationText(closest->limits[l].term,
                             found == relaxations.end() ? std::nullopt : std::optional(found->second));
    }
    texts.push_back(std::move(text));
  }
  if (all_kept) return texts;
  std::vector<std::string> allowed;
  for (const LimitReport& limit : closest->limits) {
    if (!limit.kept())
      allowed.push_back(limit.value ? limit.term.Subject() + " " + limit.term.EnoughText(*limit.value)
                                    : "none");
  }
  texts.push_back("no policy keeps all limits; " + closest->label + " comes closest: " + Joined(allowed) +
                  " would have to be allowed");
  return texts;
}

}  // namespace tandem
