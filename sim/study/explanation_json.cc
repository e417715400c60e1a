// An explanation as JSON, file kind "explanation/1".
#include <nlohmann/json.hpp>

#include "policies/engine/trace_run.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/json_output.h"
#include "scenarios/report/json_draws.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/unchanged.h"
#include "scenarios/trace/fields.h"
#include "sim/study/explanation.h"

namespace tandem {
namespace {

constexpr std::array<Named<Change>, 4> kChangeNames = {
    {{"all", Change::kAll}, {"half", Change::kHalf}, {"one", Change::kOne}, {"earlier", Change::kEarlier}}};

// What is inside of a run is written in view of it, and what stands beside the runs of the whole.
const Problem& ProblemOf(const ExplainedRun& run) { return *run.run.problem; }
const Problem& ProblemOf(const Explanation& whole) { return ProblemOf(whole.policy); }
template <class In>
const Scenario& ScenarioOf(Context context) {
  return ProblemOf(context.As<In>()).scenario();
}

// What the object of that kind is about.
template <class T>
using WorkOf = std::optional<TraceSegment> (*)(const T& of, Context context);

template <class T>
void AddWork(Fields<T>& fields, WorkOf<T> work_of, bool always) {
  const auto layers = [work_of](const T& of, Context context) {
    const auto work = work_of(of, context);
    return work ? std::optional(work->layers) : std::nullopt;
  };
  const auto model = [work_of](const T& of, Context context) {
    const auto work = work_of(of, context);
    return work ? std::optional(work->model) : std::nullopt;
  };
  const auto part = [work_of](const T& of, Context context) {
    const auto work = work_of(of, context);
    return work && work->part ? std::optional(work->part->Text()) : std::nullopt;
  };
  fields.MaySay("model", as::Text(), model);
  if (always) fields.MustBeThere();
  fields.MaySay("layers", LayersOrAll(as::Text()), layers);
  if (always) fields.MustBeThere();
  fields.MaySay("part", as::Text(), part, "Of what the layers make, where units share it.");
}

using StayBefore = std::pair<SegmentId, Nanos>;

const Fields<StayBefore>& StayFields() {
  static const auto fields = [] {
    Fields<StayBefore> all;
    const WorkOf<StayBefore> work = [](const StayBefore& of, Context context) {
      return std::optional(NamedSegment(ProblemOf(context.As<ExplainedRun>()), of.first));
    };
    AddWork(all, work, true);
    return all.Needed("ns", &StayBefore::second, as::WholeNanos());
  }();
  return fields;
}

std::optional<std::string> PieceUnit(const PathPiece& piece, Context context) {
  if (!piece.segment.valid()) return std::nullopt;
  return UnitOrEngineName(*ScenarioOf<ExplainedRun>(context).platform, piece.unit);
}

std::optional<std::string> PieceTensor(const PathPiece& piece, Context context) {
  if (!piece.segment.valid() || piece.tensor < 0) return std::nullopt;
  const Problem& problem = ProblemOf(context.As<ExplainedRun>());
  const Cut& cut = problem.cut(piece.stream);
  const LayerId layer = cut.tensors[static_cast<std::size_t>(piece.tensor)].layer;
  return problem.scenario().model(cut.model).model->layer(layer).name;
}

const Fields<PathPiece>& PieceFields() {
  using P = PathPiece;
  static const auto fields = [] {
    Fields<P> all("path_piece", "Each begins where the one before ends.");
    all.Says(
           "cause", as::WordOf({kPathCauseNames.begin(), kPathCauseNames.end()}),
           [](const P& piece) { return std::string(kPathCauseNames[static_cast<std::size_t>(piece.cause)]); })
        .Needed("from_ns", &P::from, as::WholeNanos())
        .Needed("to_ns", &P::to, as::WholeNanos())
        .Says("stream", as::Text(),
              [](const P& piece, Context context) {
                return ScenarioOf<ExplainedRun>(context).streams[piece.stream.index()].name;
              })
        .Says("index", Count(), [](const P& piece) { return piece.index; });
    const WorkOf<P> work = [](const P& piece, Context context) -> std::optional<TraceSegment> {
      if (!piece.segment.valid()) return std::nullopt;
      return NamedSegment(ProblemOf(context.As<ExplainedRun>()), piece.segment);
    };
    AddWork(all, work, false);
    return all
        .MaySay("unit", as::Text(), PieceUnit, "Where it is at work, or waits: a unit or a copy engine.")
        .MaySay("tensor", as::Text(), PieceTensor, "Of a copy: the layer that makes it.")
        .MaySay(
            "behind", as::ListOf(as::ObjectOf(StayFields())),
            [](const P& piece) {
              const bool waits = piece.cause == PathCause::kUnit || piece.cause == PathCause::kCritical;
              const bool told = piece.segment.valid() && waits;
              return told ? std::optional(piece.behind) : std::nullopt;
            },
            "Of a wait: what was there meanwhile, and how long, all slots together.");
  }();
  return fields;
}

// Makespan and objective of a run.
const Fields<Report>& FigureFields() {
  static const auto fields =
      Fields<Report>()
          .Needed("makespan_ns", &Report::makespan, as::WholeNanos())
          .Says(
              "objective", as::OrNull(as::Figure()),
              [](const Report& report) { return ObjectiveValue(report, report.objective); },
              "In the objective's unit; null: it cannot be told.");
  return fields;
}

// What the draws say of these.
const Fields<Report>& DrawnFields() {
  using D = ReportDraws;
  static const auto fields = [] {
    Fields<Report> all;
    all.Says("interval", as::OrNull(as::Number(0, 1)), [](const Report& report) {
      return report.draws ? std::optional(report.draws->probability) : std::nullopt;
    });
    SayDrawn(all, {"makespan_interval_ns", "makespan_median_ns"}, as::WholeNanos(),
             DrawnIn<&D::makespan, Report>, "Over the draws: what to expect of a device.");
    SayDrawn(all, {"objective_interval", "objective_median"}, as::Figure(), DrawnIn<&D::objective, Report>);
    return all.Needed("interval_why", &Report::interval_why, as::TextOrNull(), "Why there is none.");
  }();
  return fields;
}

std::optional<Report> UnchangedOf(const Report& report) {
  return report.unchanged ? std::optional(*report.unchanged->report) : std::nullopt;
}

std::optional<std::string> SinceWhom(const RequestEnd& request, Context context) {
  const Scenario& scenario = ScenarioOf<ExplainedRun>(context);
  const auto since = CountedSince(scenario, request);
  return since ? std::optional(scenario.streams[since->index()].name) : std::nullopt;
}

const Fields<RequestEnd>& FollowedFields() {
  using R = RequestEnd;
  static const auto fields =
      Fields<R>("followed_request")
          .Says("stream", as::Text(),
                [](const R& request, Context context) {
                  return ScenarioOf<ExplainedRun>(context).streams[request.stream.index()].name;
                })
          .Says("index", Count(), [](const R& request) { return request.index; })
          .MaySay(
              "since", as::Text(), SinceWhom,
              "The stream on whose request of that index it hangs in the end: its deadline is from end to "
              "end, and all is counted from that one's release.")
          .Needed("release_ns", &R::release, as::WholeNanos(), "Of that one, where it is counted from there.")
          .Says("latency_ns", as::WholeNanos(), [](const R& request) { return request.at - request.release; })
          .MaySay(
              "deadline_ns", as::WholeNanos(),
              [](const R& request) {
                return request.due ? std::optional(*request.due - request.release) : std::nullopt;
              },
              "After that release; of two the earlier.");
  return fields;
}

const Fields<ExplainedRun>& RunFields() {
  using R = ExplainedRun;
  const auto names = Fields<Report>()
                         .Needed("label", &Report::label, as::Text())
                         .Needed("policy", &Report::policy, as::Text())
                         .Needed("engine", &Report::engine, as::WordOf({"simgrid", "virtual"}));
  const auto bound = Fields<Report>().Needed("bound_ns", &Report::bound, as::OrNull(as::WholeNanos()));
  static const auto causes = TimesFields<kPathCauseNames>();
  static const auto fields =
      Fields<R>("explained_run")
          .IsContext()
          .Part(&R::report, names)
          .Part(&R::report, FigureFields())
          .Part(&R::report, bound)
          .Part(&R::report, DrawnFields())
          .MaySay(
              "unchanged", as::ObjectOf(FigureFields()), [](const R& run) { return UnchangedOf(run.report); },
              "The policy's figures without what is supposed.")
          .Says(
              "causes", as::ObjectOf(causes), [](const R& run) { return TimePerCause(run.path); },
              "Of the path; together the makespan, or the latency of the request that it follows.")
          .Optional("follows", &R::follows, as::ObjectOf(FollowedFields()),
                    "The request whose path it is, where the arrivals set the makespan.")
          .Needed("path", &R::path, as::ListOf(as::ObjectOf(PieceFields())))
          .Needed("units", &R::story, as::ListOf(as::ObjectOf(UnitStoryFields())));
  return fields;
}

const Fields<Valued>& ValueFields() {
  static const auto fields = [] {
    Fields<Valued> all("schedule_value");
    all.Needed("makespan_ns", &Valued::makespan, as::WholeNanos())
        .Needed("objective", &Valued::objective, as::Figure());
    SayDrawn(all, {"makespan_interval_ns", "makespan_median_ns"}, as::WholeNanos(),
             [](const Valued& of) { return of.makespan_drawn; });
    SayDrawn(
        all, {"objective_interval", "objective_median"}, as::Figure(),
        [](const Valued& of) { return of.objective_drawn; },
        "Over the draws, the schedule held fixed; null where the run has none, or they are not known.");
    return all;
  }();
  return fields;
}

template <class Changed>
std::optional<std::vector<double>> ChangeEnds(const Changed& of) {
  return of.change_drawn ? std::optional(std::vector{of.change_drawn->low, of.change_drawn->high})
                         : std::nullopt;
}

template <UnitId Alternative::*kUnit>
std::string UnitOf(const Alternative& alternative, Context context) {
  return ScenarioOf<Explanation>(context).platform->unit(alternative.*kUnit).name;
}

const Fields<Alternative>& AlternativeFields() {
  using A = Alternative;
  static const auto fields = [] {
    Fields<A> all("alternative");
    all.Needed("change", &A::change, as::OneOf(kChangeNames, "change"));
    const WorkOf<A> work = [](const A& of, Context context) -> std::optional<TraceSegment> {
      const Problem& problem = ProblemOf(context.As<Explanation>());
      if (of.segment.valid()) return NamedSegment(problem, of.segment);
      return TraceSegment{problem.scenario().model(of.model).name, {}, {}};
    };
    AddWork(all, work, true);
    return all.Says("from", as::Text(), UnitOf<&A::from>, "A unit.")
        .Says("to", as::Text(), UnitOf<&A::to>)
        .Needed("tasks", &A::tasks, as::Integer(1))
        .MaySay(
            "stream", as::Text(),
            [](const A& of, Context context) -> std::optional<std::string> {
              if (of.tasks != 1) return std::nullopt;
              return ScenarioOf<Explanation>(context).streams[of.stream.index()].name;
            },
            "Where it is one task: of which request.")
        .MaySay("index", Count(),
                [](const A& of) { return of.tasks == 1 ? std::optional(of.index) : std::nullopt; })
        .Part(&A::value, ValueFields())
        .Says("objective_change_interval", as::OrNull(IntervalOf(as::Figure())), ChangeEnds<A>,
              "As a share of the objective with nothing changed, over draws of one luck.");
  }();
  return fields;
}

const Fields<Alternatives>& DecisionFields() {
  using A = Alternatives;
  static const auto fields =
      Fields<A>("decisions")
          .Needed("why_none", &A::why_none, as::TextOrNull(), "Why nothing was tried.")
          .Needed("tried", &A::tried, Count(), "Schedules with one decision changed that were simulated.")
          .Needed("impossible", &A::impossible, Count(), "Of them, those that cannot be run to an end.")
          .Says(
              "unchanged", as::OrNull(as::ObjectOf(ValueFields())),
              [](const A& found) {
                return found.why_none.empty() ? std::optional(found.base) : std::nullopt;
              },
              "The run's schedule held fixed: what the others are compared with.")
          .Needed("best", &A::best, as::ListOf(as::ObjectOf(AlternativeFields()), {.most = 5}));
  return fields;
}

template <bool kLink>
std::optional<std::string> PartName(const FasterPart& part) {
  return part.is_link == kLink ? std::optional(part.name) : std::nullopt;
}

const Fields<FasterPart>& FasterFields() {
  static const auto fields =
      Fields<FasterPart>("faster_part")
          .MaySay("unit", as::Text(), PartName<false>)
          .MaySay("link", as::Text(), PartName<true>)
          .Part(&FasterPart::report, FigureFields())
          .Part(&FasterPart::report, DrawnFields())
          .Says("objective_change_interval", as::OrNull(IntervalOf(as::Figure())), ChangeEnds<FasterPart>,
                "As a share of the run's objective, over draws of one luck.")
          .Rule([](const JsonReader&, const FasterPart&, Context) {},
                R"({"oneOf": [{"required": ["unit"]}, {"required": ["link"]}]})");
  return fields;
}

const Fields<Choice>& ChoiceFields() {
  static const auto fields =
      Fields<Choice>("explained_choice")
          .Needed("best", &Choice::best, as::Text(), "Whoever is the best by the objective.")
          .Needed("taken", &Choice::taken, as::Text(),
                  "The simplest of those that cannot be told from the best.")
          .Needed("win_probability", &Choice::win_probability, as::OrNull(as::Number(0, 1)),
                  "In what share of the draws none is better than the best.")
          .Needed("not_told_apart", &Choice::not_told_apart, as::ListOf(as::Text()),
                  "The best one first; none where the draws tell.");
  return fields;
}

// Of both, where there is another one.
std::optional<Choice> Verdict(const Explanation& whole) {
  if (!whole.versus) return std::nullopt;
  return ChoiceAmong({whole.policy.report, whole.versus->report});
}

std::vector<std::string> TakenInBoth(const Explanation& whole) {
  std::vector<Report> reports = {whole.policy.report};
  if (whole.versus) reports.push_back(whole.versus->report);
  return EstimatedOf(reports);
}

const Fields<Explanation>& ExplanationFields() {
  using E = Explanation;
  static const auto fields =
      Fields<E>("explanation", "why a run takes as long as it does; `tandem explain --json` prints it")
          .Kind("explanation/1")
          .IsContext()
          .Says("scenario", as::Text(), [](const E& whole) { return ProblemOf(whole).scenario().name; })
          .Says("objective", as::OneOf(kObjectiveNames, "objective"),
                [](const E& whole) { return whole.policy.report.objective; })
          .MaySay(
              "what_if", as::ListOf(as::ObjectOf(WhatIfFields())),
              [](const E& whole) {
                const auto& supposed = ProblemOf(whole).scenario().what_if;
                return supposed.empty() ? std::nullopt : std::optional(supposed);
              },
              "What is supposed by --what-if beside what the files say.")
          .Says("estimated", as::ListOf(as::Text()), TakenInBoth,
                "What was taken for want of a measurement, a sentence each.")
          .Says("profiles", UsedProfiles(), [](const E& whole) { return whole.policy.report.profiles; })
          .Needed("run", &E::policy, as::ObjectOf(RunFields()))
          .Needed(
              "chosen", &E::chosen, as::OrNull(as::ObjectOf(ChoiceFields())),
              "How sure it is that the run is the winner's; null where it is not the winner among several.")
          .Needed("versus", &E::versus, as::OrNull(as::ObjectOf(RunFields())), "The policy of --versus.")
          .Says("verdict", as::OrNull(as::ObjectOf(ChoiceFields())), Verdict, "Who of both is better.")
          .Needed("decisions", &E::alternatives, as::ObjectOf(DecisionFields()))
          .Needed("keeps_plan", &E::keeps_plan, as::Boolean(),
                  "With a faster part the policy does what it had decided before.")
          .Needed("faster", &E::faster, as::ListOf(as::ObjectOf(FasterFields())),
                  "Parts of the board, each twice as fast.");
  return fields;
}

const FileKindRegistration kExplanationKind{{"explanation/1", AsAnyFields<Explanation, ExplanationFields>}};

}  // namespace

std::string ExplanationJson(const Explanation& explanation) {
  return JsonOutput(nlohmann::ordered_json::parse(ExplanationFields().Text(explanation)));
}

}  // namespace tandem
