#include "scenarios/report/json_fields.h"

namespace tandem {
namespace {

const Fields<Relaxation>& RelaxationFields() {
  using R = Relaxation;
  static const auto fields =
      Fields<R>("report_relaxation")
          .Needed("value", &R::value, Figure(), "As the bound is.")
          .Needed("policy", &R::policy, as::Words(), "Which has it.")
          .Needed("searched", &R::searched, as::Boolean(),
                  "By a schedule that it tried in its search, not by the one that it took.");
  return fields;
}

}  // namespace

const Fields<LimitReport>& LimitFields() {
  using L = LimitReport;
  static const auto fields =
      Fields<L>("report_limit")
          .Says("limit", as::Words(), [](const L& limit) { return limit.term.text; })
          .Says(
              "value", as::OrNull(as::Number(0)),
              [](const L& limit) { return limit.of_run ? limit.of_run->value : limit.value; },
              "Of the run, in ns, requests, a share, 1/s, J or W; null where it is not known or nothing "
              "completed.")
          .MaySay(
              "median", as::Number(0),
              [](const L& limit) { return limit.of_run ? limit.value : std::nullopt; },
              "Over the draws: what it is judged by where there are some.")
          .Says("bound", Figure(), [](const L& limit) { return limit.term.bound; })
          .Says("kept", as::Boolean(), [](const L& limit) { return limit.kept(); })
          .Needed("excess", &L::excess, Figure(), "By how much of the bound it is broken.")
          .Needed("kept_share", &L::kept_share, as::OrNull(as::Number(0, 1)), "Of the draws that keep it.")
          .Optional(
              "relaxation", &L::relaxation, as::ObjectOf(RelaxationFields()),
              "Where nobody keeps all limits: were this one relaxed to the value and no other, the policy "
              "would keep all; the least such, of what was tried. Absent where nobody keeps all others.");
  return fields;
}

}  // namespace tandem
