#include "sim/regress/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sim/regress/why.h"

namespace tandem {
namespace {

struct Move {
  bool numbers = false;
  double size = 0;  // of both numbers' difference
  bool worse = false;
};

Move MoveOf(const FigureChange& change) {
  const auto* const before = std::get_if<double>(&change.before);
  const auto* const after = std::get_if<double>(&change.after);
  if (!before || !after) return {};
  const bool more_is_worse = change.figure.kind->better == Better::kLower;
  return {true, std::abs(*after - *before), (*after > *before) == more_is_worse};
}

bool IsBeyond(const FigureChange& change, const Move& move, const std::optional<Tolerance>& bar) {
  if (!bar) return false;
  if (!move.numbers) return true;
  return move.size > std::max(bar->Of(std::get<double>(change.before)), change.figure.kind->blur);
}

Verdict VerdictOf(const FigureChange& change, const KeptFigure& kept, const Bars& bars) {
  if (change.before == change.after) return Verdict::kSame;
  const Move move = MoveOf(change);
  if (move.numbers && !move.worse) {
    // How much better it may be without being told is the baseline's affair alone.
    return IsBeyond(change, move, kept.tolerance) ? Verdict::kBetter : Verdict::kWithin;
  }
  if (IsBeyond(change, move, change.allowed)) return move.numbers ? Verdict::kWorse : Verdict::kDifferent;
  return IsBeyond(change, move, bars.Warn(change.figure)) ? Verdict::kWarned : Verdict::kWithin;
}

std::optional<double> RelativeChange(const FigureChange& change) {
  const auto* const before = std::get_if<double>(&change.before);
  const auto* const after = std::get_if<double>(&change.after);
  if (!before || !after || *before == 0) return std::nullopt;
  return (*after - *before) / std::abs(*before);
}

double Weight(const FigureChange& change) {
  return change.change ? std::abs(*change.change) : std::numeric_limits<double>::infinity();
}

FigureChange NewChange(const Baseline& baseline, const BaselineCase& kept, const FigureName& figure) {
  FigureChange change;
  change.baseline = baseline.name;
  change.file = baseline.file;
  change.scenario = kept.scenario;
  change.policy = kept.policy;
  change.engine = kept.engine;
  change.seed = kept.seed;
  change.figure = figure;
  return change;
}

}  // namespace

std::string FigureChange::PolicyText() const { return policy + (apart.empty() ? "" : " (" + apart + ")"); }

std::string FigureChange::Text() const { return scenario + " / " + PolicyText() + " / " + figure.Text(); }

void TellApart(std::vector<FigureChange>& figures) {
  using Way = std::string (*)(const FigureChange&);
  const std::array<Way, 3> ways = {
      [](const FigureChange& of) { return of.engine + ", seed " + std::to_string(of.seed); },
      [](const FigureChange& of) { return of.baseline; }, [](const FigureChange& of) { return of.file; }};
  for (const Way way : ways) {
    std::map<std::string, int> count;
    for (const FigureChange& figure : figures) ++count[figure.Text()];
    for (FigureChange& figure : figures) {
      if (count.at(figure.Text()) > 1) figure.apart += (figure.apart.empty() ? "" : ", ") + way(figure);
    }
  }
}

std::size_t Regression::Count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      figures.begin(), figures.end(), [&](const FigureChange& figure) { return figure.verdict == verdict; }));
}

bool Regression::Fails(const FigureChange& figure) const {
  switch (figure.verdict) {
    case Verdict::kMissing:
    case Verdict::kWorse:
    case Verdict::kDifferent:
      return true;
    case Verdict::kBetter:
      return strict;
    default:
      return false;
  }
}

std::vector<const FigureChange*> Regression::Moved() const {
  std::vector<const FigureChange*> moved;
  for (const FigureChange& figure : figures) {
    if (figure.verdict != Verdict::kSame) moved.push_back(&figure);
  }
  return moved;
}

void SortWorstFirst(std::vector<FigureChange>& figures) {
  std::stable_sort(figures.begin(), figures.end(), [](const FigureChange& a, const FigureChange& b) {
    return a.verdict != b.verdict ? a.verdict < b.verdict : Weight(a) > Weight(b);
  });
}

std::vector<FigureChange> CompareCase(const Baseline& baseline, const BaselineCase& kept,
                                      const PolicyRun& run, const std::string& winner,
                                      const std::vector<FigureName>& expected, const Bars& bars) {
  std::vector<FigureChange> changes;
  const std::string why = WhyMoved(kept, run);
  for (const auto& [name, figure] : kept.figures) {
    const FigureName known = *FindFigure(name);
    if (!bars.LooksAt(known)) continue;
    FigureChange change = NewChange(baseline, kept, known);
    change.before = figure.value;
    change.after = ValueOf(known, run.report, winner);
    change.allowed = bars.Fail(known, figure.tolerance);
    change.verdict = VerdictOf(change, figure, bars);
    change.change = RelativeChange(change);
    if (change.verdict != Verdict::kSame) change.why = why;
    changes.push_back(std::move(change));
  }
  for (const FigureName& figure : expected) {
    if (kept.Find(figure.Text()) || !bars.LooksAt(figure)) continue;
    FigureChange change = NewChange(baseline, kept, figure);
    change.after = ValueOf(figure, run.report, winner);
    change.verdict = Verdict::kMissing;
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace tandem
