// Who wins, and how ties are broken: docs/semantics.md, "Which policy wins".
#include <algorithm>
#include <span>

#include "profiles/base/figures.h"
#include "profiles/base/joined.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/report.h"
#include "scenarios/scenario/policy_spec.h"

namespace tandem {
namespace {

// Those of `among` with the least figure.
std::vector<std::size_t> LeastBy(const std::vector<TieFigures>& figures,
                                 const std::vector<std::size_t>& among, std::size_t breaker) {
  const auto figure = [&](const std::size_t i) { return figures[i][breaker]; };
  std::vector<std::size_t> least;
  for (const std::size_t i : among) {
    if (!least.empty() && figure(i) > figure(least[0])) continue;
    if (!least.empty() && figure(i) < figure(least[0])) least.clear();
    least.push_back(i);
  }
  return least;
}

PolicyRole RoleOf(const Report& report) {
  if (report.search) return PolicyRole::kSearch;  // also what a plan has of one
  const PolicyDeclaration* declared = FindPolicy(report.policy);
  return declared ? declared->role : PolicyRole::kRule;
}

// The less the simpler: a rule is worth as much as a search where draws cannot tell them apart.
int Simplicity(const Report& report) {
  switch (RoleOf(report)) {
    case PolicyRole::kBaseline:
      return 0;
    case PolicyRole::kRule:
      return 1;
    case PolicyRole::kSearch:
      return 2;
  }
  return 2;
}

// Per report what tells it apart, as its TieFigures, by what reports are ranked by.
std::vector<TieFigures> RankedTies(const std::vector<Report>& reports) {
  std::vector<TieFigures> ties(reports.size());
  for (const Objective of : TieBreakers(reports[0])) {
    const auto values = RankedValues(reports, of);
    for (std::size_t i = 0; i < reports.size(); ++i) ties[i].push_back(TieFigure(values[i], of));
  }
  return ties;
}

// Those that the objective calls as good as the best in every draw, and whom no draw tells from it otherwise:
// what told the medians apart is luck.
void AddTied(const std::vector<Report>& reports, Objective objective, Ranking& ranking) {
  const std::size_t best = ranking.winners.front();
  for (const std::size_t i : AlikeInAllDraws(reports, best, objective)) {
    const bool known = i == best || std::ranges::count(ranking.close, i) > 0;
    if (known || !TieCannotBeTold(*reports[i].draws, *reports[best].draws, reports[i].then.size())) continue;
    ranking.close.push_back(i);
  }
  std::ranges::sort(ranking.close);
}

}  // namespace

Ranking RankReports(const std::vector<Report>& reports, Objective objective) {
  Ranking ranking;
  ranking.equal = ranking.winners = BestReports(reports, objective);
  if (ranking.winners.empty()) return ranking;
  const std::vector<Objective> breakers = TieBreakers(reports[0]);
  const std::vector<TieFigures> figures = RankedTies(reports);
  for (std::size_t b = 0; b < breakers.size() && ranking.winners.size() > 1; ++b) {
    std::vector<std::size_t> left = LeastBy(figures, ranking.winners, b);
    if (left.size() < ranking.winners.size()) ranking.told_apart_by = breakers[b];
    ranking.winners = std::move(left);
  }
  ranking.taken = ranking.winners.front();
  ranking.close = NotToldFrom(reports, *ranking.taken, objective);
  AddTied(reports, objective, ranking);
  // What comes next was asked for: nobody is taken who is worse by it.
  const auto next = [&](const std::size_t p) { return std::span(figures[p]).first(reports[p].then.size()); };
  std::erase_if(ranking.close, [&](const std::size_t p) {
    return std::ranges::lexicographical_compare(next(ranking.winners.front()), next(p));
  });
  const auto values = RankedValues(reports, objective);
  const auto simpler = [&](const std::size_t p, const std::size_t than) {
    const double breaks = ExcessOf(reports[p]), breaks_than = ExcessOf(reports[than]);
    if (breaks > 0 && breaks_than == 0) return false;  // who keeps all limits is left for nobody who does not
    const int a = Simplicity(reports[p]), b = Simplicity(reports[than]);
    if (a != b) return a < b;
    if (breaks != breaks_than) return breaks < breaks_than;
    return HigherIsBetter(objective) ? values[p] > values[than] : values[p] < values[than];
  };
  for (const std::size_t p : ranking.close) {
    if (simpler(p, *ranking.taken)) ranking.taken = p;
  }
  return ranking;
}

std::string TieText(const std::vector<Report>& reports, const Ranking& ranking, Objective objective) {
  if (ranking.equal.size() < 2) return {};
  const auto names = [&](const std::vector<std::size_t>& which) {
    return Joined(which, ", ", [&](const std::size_t i) { return reports[i].label; });
  };
  const std::string tied =
      "tied by " + Words(NameOf(kObjectiveNames, objective)) + ": " + names(ranking.equal) + "; ";
  if (!ranking.told_apart_by) {
    std::string next;
    for (const Objective then : reports[0].then) next += Words(NameOf(kObjectiveNames, then)) + ", ";
    return tied + "neither " + next +
           "missed requests nor latencies tell them apart, the first in the list is taken";
  }
  const std::string by = MostOf(*ranking.told_apart_by);
  if (ranking.winners.size() == 1) return tied + names(ranking.winners) + " has " + by;
  return tied + names(ranking.winners) + " have " + by + ", the first of them is taken";
}

std::string TakenText(const std::vector<Report>& reports, const Ranking& ranking, Objective objective) {
  if (!ranking.taken) return {};
  const std::string text = WinnerText(reports, ranking.winners.front(), objective);
  if (!ranking.TakesSimpler()) return text;
  return text + "; " + reports[*ranking.taken].label + " is taken, the simplest of them";
}

std::string AllBesideText(const std::vector<std::string>& labels) {
  const bool one = labels.size() == 1;
  return Joined(labels) + (one ? " never wins, since it sees" : " never win, since they see") +
         " arrivals that are still to come; name a policy that `tandem policies list` does "
         "not call clairvoyant";
}

std::string WhyNobodyWins(const std::vector<Report>& reports, Objective objective) {
  if (reports.empty()) return "none has run";
  std::vector<std::string> labels;
  for (const Report& report : reports) labels.push_back(report.label);
  const auto rival = std::ranges::find(reports, false, &Report::beside);
  if (rival == reports.end()) return AllBesideText(labels);
  if (!rival->failed.empty()) return rival->label + ": " + rival->failed;
  if (!rival->complete) return "the run of " + rival->label + " did not come to its end";
  return "the " + FigureWords(objective) + " of " + rival->label + " is not known: " +
         (objective == Objective::kEnergy ? rival->energy_why : "it completed no request");
}

std::string ArrivalText(const std::vector<Report>& reports) {
  if (reports.empty() || !std::all_of(reports.begin(), reports.end(), IsSetByArrivals)) return {};
  double share = 1;
  bool deadlines = false;
  for (const Report& report : reports) {
    share = std::min(share, report.arrival_share);
    for (const StreamReport& stream : report.streams) deadlines = deadlines || stream.has_deadline;
  }
  const std::string text =
      "the arrivals set the makespan: the last request comes after " + Share(share) + " of it";
  const Objective objective = reports[0].objective;
  if (objective != Objective::kMakespan && objective != Objective::kThroughput) return text;
  return text + "; what policies change is compared by --objective " + (deadlines ? "misses" : "p99_latency");
}

}  // namespace tandem
