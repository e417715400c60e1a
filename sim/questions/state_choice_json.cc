// Choices of states as JSON, file kind "state_choice/1".
#include <nlohmann/json.hpp>

#include "profiles/base/file_kinds.h"
#include "profiles/base/json_output.h"
#include "scenarios/report/json.h"
#include "sim/questions/state_choice.h"
#include "sim/questions/written_json.h"

namespace tandem {
namespace {

const Fields<StateRow>& StateRowFields() {
  using R = StateRow;
  static const auto fields =
      Fields<R>("state_choice_states")
          .Needed("states", &R::names, as::ListOf(as::Words()), "Of the units, in their order.")
          .Needed("as_asked", &R::as_asked, as::Boolean(), "These are the scenario's own.")
          .Needed("why", &R::why, as::TextOrNull(), "The scenario cannot be run in them.")
          .Needed("bound", &R::bound, as::OrNull(as::Figure()),
                  "Of the objective: no policy is better in them.")
          .Needed("breaks_limits", &R::breaks_limits, as::Boolean(),
                  "By bounds every policy breaks a limit in them: where others keep all limits their bound "
                  "does not count for that of all.")
          .Needed("cannot_be_best", &R::cannot_be_best, as::Boolean(),
                  "By the bound, and so they were not simulated.")
          .Says("policy", as::OrNull(as::Words()),
                [](const R& row) { return row.report ? std::optional(row.report->label) : std::nullopt; })
          .Needed("winner", &R::best, as::Boolean(), "By the objective, of all choices.")
          .Needed("win_probability", &R::probability, as::OrNull(as::Number(0, 1)),
                  "In what share of the draws they are the best, of those that were simulated.")
          .Says("report",
                WrittenJson(R"("type": ["object", "null"], "description": "report/1, of the best policy.")"),
                [](const R& row) { return row.report ? ReportJson(*row.report) : std::string("null"); });
  return fields;
}

const Fields<StateChoice>& StateChoiceFields() {
  using C = StateChoice;
  static const auto fields =
      Fields<C>("state_choice",
                "a scenario in every choice of its units' states; `tandem states --json` prints it")
          .Kind("state_choice/1")
          .Needed("scenario", &C::scenario, as::Words())
          .Needed("objective", &C::objective, as::OneOf(kObjectiveNames, "objective"))
          .Needed("units", &C::unit_names, as::ListOf(as::Words()), "Whose states were to be chosen.")
          .Needed("all_tried", &C::all_tried, as::Boolean(),
                  "Else unit by unit from the scenario's own, until no other state of any one was better.")
          .Needed("bound", &C::bound, as::OrNull(as::Figure()),
                  "Of the objective: in no states, of those that the limits leave, is any of the policies "
                  "better.")
          .Needed("gap", &C::gap, as::OrNull(as::Number(0)), "The best to that bound.")
          .Needed("verdict", &C::verdict, as::TextOrNull(),
                  "How sure the best choice is, or why that is not told; null: there are no two to compare.")
          .Needed("choices", &C::rows, as::ListOf(as::ObjectOf(StateRowFields())));
  return fields;
}

const FileKindRegistration kStateChoiceKind{{"state_choice/1", AsAnyFields<StateChoice, StateChoiceFields>}};

}  // namespace

std::string StateChoiceJson(const StateChoice& choice) {
  return JsonOutput(nlohmann::ordered_json::parse(StateChoiceFields().Text(choice)));
}

}  // namespace tandem
