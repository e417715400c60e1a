// A report's units as JSON.
#include "scenarios/report/json_draws.h"
#include "scenarios/report/json_fields.h"

namespace tandem {
namespace {

const Fields<ModelLoads>& ModelLoadsFields() {
  using L = ModelLoads;
  static const auto fields =
      Fields<L>("report_unit_loads")
          .Needed("model", &L::model, as::Name())
          .Needed("loads", &L::loads, Count(), "So often it was brought there.")
          .Needed("evictions", &L::evictions, Count(), "So often it was put out for others.");
  return fields;
}

}  // namespace

const Fields<UnitReport>& UnitFields() {
  using U = UnitReport;
  static const auto fields = [] {
    Fields<U> all("report_unit");
    all.Needed("name", &U::name, as::Words())
        .Needed("busy_ns", &U::busy, as::WholeNanos())
        .Needed("utilization", &U::utilization, Figure())
        .Needed("tasks", &U::tasks, Count())
        .Needed("energy_j", &U::energy_j, as::OrNull(Figure()))
        .Optional("held_back_ns", &U::held_back, as::WholeNanos(),
                  "So long heat held it back, as the scenario's `heat` says.")
        .Optional("away_ns", &U::away, as::WholeNanos(), "So long it was not there: the scenario's `away`.")
        .Optional("lost_tasks", &U::lost_tasks, Count(), "That it had when it left; they were begun again.")
        .Optional("lost_ns", &U::lost, as::WholeNanos(), "Slots occupied by those, added up.")
        .Optional("loads", &U::loads, as::ListOf(as::ObjectOf(ModelLoadsFields())),
                  "Of the models that it loaded or put out.");
    SayDrawn(all, {"busy_interval_ns", "busy_median_ns"}, as::WholeNanos(), DrawnIn<&UnitDraws::busy, U>);
    SayDrawn(all, {"utilization_interval", "utilization_median"}, Figure(),
             DrawnIn<&UnitDraws::utilization, U>);
    return SayDrawn(all, {"energy_interval_j", "energy_median_j"}, Figure(),
                    DrawnIn<&UnitDraws::energy_j, U>);
  }();
  return fields;
}

}  // namespace tandem
