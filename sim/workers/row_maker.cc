#include "sim/workers/row_maker.h"

#include <exception>
#include <new>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/program/version.h"
#include "scenarios/scenario/profile_used.h"
#include "sim/study/draws.h"
#include "sim/sweep/results.h"

namespace tandem {

RowMaker::RowMaker(const Sweep& sweep, Engine engine)
    : sweep_(sweep),
      engine_(engine),
      objective_(sweep.interval ? ObjectiveOfSweep(sweep) : Objective::kMakespan),
      points_(sweep),
      scenarios_(sweep) {}

SweepRow RowMaker::Blank(const SweepRun& run) const {
  SweepRow row;
  row.key = run.key;
  row.version = Version();
  row.engine = NameOf(kEngineNames, engine_);
  row.point = NamedValues(sweep_, points_.At(run.point));
  row.policy = run.policy;
  return row;
}

const RowMaker::Point& RowMaker::PointOf(std::int64_t position) {
  if (!last_ || last_->position != position) {
    last_.reset();
    const PointScenario text = scenarios_.Of(points_.At(position));
    Scenario scenario = ScenarioToSimulate(text.text, text.file, {.device = {}, .models = &models_});
    const auto unknown = sweep_.interval ? std::nullopt : UnknownShare(scenario);
    last_ = Point{position, std::move(scenario), unknown};
  }
  return *last_;
}

void RowMaker::Simulate(const SweepRun& run, SweepRow& row) {
  const Point& point = PointOf(run.point);
  const Scenario& scenario = point.scenario;
  const std::vector<PolicySpec> policies = ChoosePolicies(scenario, {run.policy});
  const Bound none{std::nullopt, std::nullopt, "not asked for"};
  const Bound bound = sweep_.bound ? BoundFor(scenario, policies) : none;
  const PreparedRun prepared = Prepare(scenario, policies.front());
  std::vector<Report> reports = {ReportOf(prepared, engine_, bound, RunOn(engine_, prepared))};
  row.unknown = point.unknown;
  if (sweep_.interval) Draw(prepared, scenario, reports, row);
  const Report& report = reports.front();
  row.beside = report.beside;
  row.breaks_limits = ExcessOf(report) > 0;
  row.figures = RunFiguresOf(report);
}

void RowMaker::Draw(const PreparedRun& prepared, const Scenario& scenario, std::vector<Report>& reports,
                    SweepRow& row) const {
  Report& report = reports.front();
  report.objective = objective_;
  AddDraws(scenario, {Decided(prepared)}, *sweep_.interval / 100, Wanted::kIntervals, reports,
           [](std::int64_t, std::int64_t) { return true; });
  row.interval_why = report.interval_why;
  if (!report.draws) return;
  row.intervals = RunIntervalsOf(report);
  row.medians = RunMediansOf(report);
  row.drawn = report.draws->objectives;
  row.excesses = report.draws->excesses;
  if (const auto not_sure = WhyNotSure(reports, objective_)) {
    row.probability_why = not_sure->what + ": " + not_sure->why;
  }
}

SweepRow RowMaker::Row(const SweepRun& run) {
  SweepRow row = Blank(run);
  try {
    Simulate(run, row);
    return row;
  } catch (const InputError& error) {
    row.message = error.what();
  } catch (const EnvironmentError& error) {
    row.message = error.what();
  } catch (const std::bad_alloc&) {
    row.message = "out of memory";
  } catch (const std::exception& error) {
    row.message = std::string("unexpected failure: ") + error.what();
  }
  row.status = RowStatus::kFailed;
  return row;
}

}  // namespace tandem
