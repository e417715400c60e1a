// Boards side by side as JSON, file kind "board_choice/1".
#include <limits>
#include <nlohmann/json.hpp>

#include "profiles/base/file_kinds.h"
#include "profiles/base/json_output.h"
#include "scenarios/report/json.h"
#include "sim/questions/board_choice.h"
#include "sim/questions/written_json.h"

namespace tandem {
namespace {

CodecOf<double> AnyFigure() { return as::Number(std::numeric_limits<double>::lowest()); }

const Fields<Price>& ChoicePriceFields() {
  static const auto fields = Fields<Price>()
                                 .Needed("amount", &Price::amount, as::Number(0))
                                 .Needed("currency", &Price::currency, as::Words());
  return fields;
}

const Fields<BoardRow>& BoardRowFields() {
  using B = BoardRow;
  static const auto fields =
      Fields<B>("board_choice_board")
          .Needed("board", &B::board, as::Words())
          .Needed("why", &B::why, as::TextOrNull(), "It cannot run the scenario.")
          .Needed("left_out", &B::left_out, as::ListOf(as::Words()),
                  "What of the scenario is not for this board, a sentence each.")
          .Needed("price", &B::price, as::OrNull(as::ObjectOf(ChoicePriceFields())))
          .Says("policy", as::OrNull(as::Words()),
                [](const B& row) { return row.report ? std::optional(row.report->label) : std::nullopt; })
          .Needed("watts", &B::watts, as::OrNull(as::Number(0)), "Mean, of the winner.")
          .Needed("winner", &B::best, as::Boolean(), "By the objective, of all boards.")
          .Needed("win_probability", &B::probability, as::OrNull(as::Number(0, 1)),
                  "In what share of the draws it is best by the objective of all boards.")
          .Needed("carries", &B::carries, as::OrNull(AnyFigure()), "By the best policy for that.")
          .Needed("at_least", &B::at_least, as::Boolean(), "The search ended there.")
          .Needed("carries_per_price", &B::carries_per_price, as::OrNull(as::Number(0)))
          .Says("report",
                WrittenJson(R"("type": ["object", "null"], "description": "report/1, of the winner.")"),
                [](const B& row) { return row.report ? ReportJson(*row.report) : std::string("null"); })
          .Says(
              "capacity", WrittenJson(R"("type": ["object", "null"], "description": "capacity/1")"),
              [](const B& row) { return row.capacity ? CapacityJson(*row.capacity) : std::string("null"); });
  return fields;
}

const Fields<BoardChoice>& BoardChoiceFields() {
  using C = BoardChoice;
  static const auto fields =
      Fields<C>("board_choice", "one scenario on several boards; `tandem boards compare --json` prints it")
          .Kind("board_choice/1")
          .Needed("scenario", &C::scenario, as::Words())
          .Needed("objective", &C::objective, as::OneOf(kObjectiveNames, "objective"))
          .Needed("verdict", &C::verdict, as::TextOrNull(),
                  "How sure the best board is, or why that is not told; null: there are no two to compare.")
          .Needed("boards", &C::boards, as::ListOf(as::ObjectOf(BoardRowFields())));
  return fields;
}

const FileKindRegistration kBoardChoiceKind{{"board_choice/1", AsAnyFields<BoardChoice, BoardChoiceFields>}};

}  // namespace

std::string BoardChoiceJson(const BoardChoice& choice) {
  return JsonOutput(nlohmann::ordered_json::parse(BoardChoiceFields().Text(choice)));
}

}  // namespace tandem
