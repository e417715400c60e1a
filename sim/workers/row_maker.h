// From a run of a sweep to its row, here and now. What several runs share is read once.
#pragma once

#include <optional>

#include "policies/kinds/prepared_run.h"
#include "scenarios/report/report.h"
#include "sim/sweep/design.h"
#include "sim/sweep/point_scenario.h"
#include "sim/sweep/row.h"
#include "sim/sweep/runs.h"

namespace tandem {

class RowMaker {
 public:
  RowMaker(const Sweep& sweep, Engine engine);  // the sweep outlives it

  // All but what the run came to.
  SweepRow Blank(const SweepRun& run) const;
  // Simulates it. What is wrong with its scenario or with this machine is a row too.
  SweepRow Row(const SweepRun& run);

 private:
  struct Point {
    std::int64_t position;
    Scenario scenario;
    std::optional<double> unknown;  // of its times, where nothing is drawn
  };
  const Point& PointOf(std::int64_t position);
  void Simulate(const SweepRun& run, SweepRow& row);
  void Draw(const PreparedRun& prepared, const Scenario& scenario, std::vector<Report>& reports,
            SweepRow& row) const;

  const Sweep& sweep_;
  Engine engine_;
  Objective objective_;  // where the sweep asks for intervals, its own: what is drawn
  SweepPoints points_;
  PointScenarios scenarios_;
  KnownModels models_;
  std::optional<Point> last_;  // policies of a point come one after the other
};

}  // namespace tandem
