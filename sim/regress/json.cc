#include <algorithm>

#include "profiles/base/file_kinds.h"
#include "scenarios/baseline/fields.h"
#include "sim/regress/reports.h"

namespace tandem {
namespace {

std::string FigureText(const FigureChange& change) { return change.figure.Text(); }
std::optional<std::string> WhyText(const FigureChange& change) {
  return change.why.empty() ? std::nullopt : std::optional(change.why);
}

const Fields<FigureChange>& ChangeFields() {
  using C = FigureChange;
  static const auto fields = Fields<C>("regression_figure")
                                 .Needed("verdict", &C::verdict, as::OneOf(kVerdictNames, "verdict"))
                                 .Needed("baseline", &C::baseline, as::Text())
                                 .Needed("scenario", &C::scenario, as::Text())
                                 .Needed("policy", &C::policy, as::Text())
                                 .Needed("engine", &C::engine, as::Text())
                                 .Needed("seed", &C::seed, as::Unsigned())
                                 .Says("figure", as::Text(), FigureText)
                                 .Needed("before", &C::before, as::ValueOfFigure())
                                 .Needed("after", &C::after, as::ValueOfFigure())
                                 .Needed("change", &C::change, as::OrNull(as::Figure()), "after / before - 1")
                                 .Needed("tolerance", &C::allowed, as::OrNull(as::ToleranceOrPercent()),
                                         "How much worse it may be; null: as much as it likes.")
                                 .MaySay("why", as::Text(), WhyText);
  return fields;
}

const Fields<WinnerThen>& WinnerThenFields() {
  using W = WinnerThen;
  static const auto fields =
      Fields<W>("regression_winner", "With --profile, per scenario.")
          .Needed("scenario", &W::scenario, as::Text())
          .Needed("objective", &W::objective, as::OneOf(kObjectiveNames, "objective"))
          .Needed("before", &W::before, as::TextOrNull(), "Who won with the old profile.")
          .Needed("after", &W::after, as::TextOrNull())
          .Needed("still_wins", &W::still_wins, as::Boolean())
          .Needed("not_told_apart", &W::not_told, as::Boolean(),
                  "It does not, but draws cannot tell it from the best one.")
          .Needed("best", &W::best, as::OrNull(as::Figure()),
                  "The objective of the winner, with the new one.")
          .Needed("kept", &W::kept, as::OrNull(as::Figure()), "And of the old plan.")
          .Needed("cost", &W::cost, as::OrNull(as::Figure()),
                  "How far the old plan is behind, as a fraction.");
  return fields;
}

template <Verdict kVerdict>
std::int64_t CountOf(const RegressResult& result) {
  return static_cast<std::int64_t>(result.regression.Count(kVerdict));
}

bool Passes(const RegressResult& result) {
  const Regression& all = result.regression;
  return std::none_of(all.figures.begin(), all.figures.end(),
                      [&](const FigureChange& figure) { return all.Fails(figure); });
}

std::vector<FigureChange> FiguresInside(const RegressResult& result) { return result.regression.figures; }
std::vector<std::string> NotesInside(const RegressResult& result) { return result.regression.notes; }
std::vector<ProfileUsed> ProfilesInside(const RegressResult& result) { return result.regression.profiles; }
std::vector<std::string> EstimatedInside(const RegressResult& result) { return result.regression.estimated; }
std::optional<std::vector<WinnerThen>> WinnersInside(const RegressResult& result) {
  return result.old_winners.empty() ? std::nullopt : std::optional(result.old_winners);
}

const Fields<RegressResult>& RegressionFields() {
  static const auto fields =
      Fields<RegressResult>("regression", "what became of a baseline; `tandem regress --json` prints it")
          .Kind("regression/1")
          .Says("passed", as::Boolean(), Passes)
          .Says("missing", as::Integer(0), CountOf<Verdict::kMissing>, "Figures that the baseline has not.")
          .Says("worse", as::Integer(0), CountOf<Verdict::kWorse>)
          .Says("different", as::Integer(0), CountOf<Verdict::kDifferent>,
                "Another winner, or no figure any more.")
          .Says("warnings", as::Integer(0), CountOf<Verdict::kWarned>)
          .Says("better", as::Integer(0), CountOf<Verdict::kBetter>)
          .Says("within", as::Integer(0), CountOf<Verdict::kWithin>)
          .Says("same", as::Integer(0), CountOf<Verdict::kSame>)
          .Says("notes", as::ListOf(as::Text()), NotesInside)
          .Says("estimated", as::ListOf(as::Text()), EstimatedInside,
                "What was taken for want of a measurement, a sentence each.")
          .Says("profiles", UsedProfiles(), ProfilesInside)
          .MaySay("winners", as::ListOf(as::ObjectOf(WinnerThenFields())), WinnersInside)
          .Says("figures", as::LineList(as::ObjectOf(ChangeFields()), "\n    "), FiguresInside,
                "Worst first.");
  return fields;
}

const FileKindRegistration kRegressionKind{{"regression/1", AsAnyFields<RegressResult, RegressionFields>}};

}  // namespace

std::string RegressionJson(const RegressResult& result) { return RegressionFields().File(result); }

}  // namespace tandem
