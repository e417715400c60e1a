#include "sim/questions/board_choice.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "sim/questions/judged_apart.h"
#include "sim/questions/other_board.h"
#include "sim/study/all_policies.h"

namespace tandem {
namespace {

std::string ScenarioText(const std::filesystem::path& file) {
  std::string text = ReadTextFile(file, JsonLimit);
  ExpectFileKind(JsonDocument::Parse(text, NameOfInput(file)).root(), "scenario/1");
  return text;
}

void SetObjectiveOf(const std::string& name, Scenario& scenario) {
  for (const auto& [word, objective] : kObjectiveNames) {
    if (word != name) continue;
    scenario.objective = objective;
    scenario.objective_why.clear();
  }
}

// The winner of the policies there.
void AddWinner(const Scenario& scenario, const BoardChoiceOptions& options, BoardRow& row, LongRun& watch) {
  SimulateOptions how;
  how.engine = options.engine;
  how.interval = options.interval;
  const std::vector<PolicySpec> policies = ChoosePolicies(scenario, options.policies);
  CheckSomeoneCanWin(scenario, policies, !options.policies.empty());
  std::vector<Report> reports = RunAll(scenario, policies, how, watch);
  const Ranking ranking = RankReports(reports, scenario.objective);
  if (watch.interrupted()) return;
  if (!ranking.taken) throw InputError(WhyNobodyWins(reports, scenario.objective));
  row.report = std::move(reports[*ranking.taken]);
  if (row.report->energy_j && row.report->makespan > Nanos{0}) {
    row.watts = *row.report->energy_j * 1e9 / static_cast<double>(row.report->makespan.count());
  }
}

void AddCapacity(const ScenarioFile& file, const std::vector<Supposed>& supposed,
                 const BoardChoiceOptions& options, BoardRow& row, LongRun& watch) {
  row.capacity = FindCapacity(file, supposed, *options.capacity, watch);
  if (!row.capacity) return;
  for (const PolicyCapacity& of : row.capacity->policies) {
    if (!of.best || row.carries) continue;  // of several the first, as a table has it
    row.carries = of.limit.value;
    row.at_least = of.limit.ended;
  }
  const bool per_price = row.carries && row.price && row.price->amount > 0 && !row.capacity->least;
  if (per_price) row.carries_per_price = *row.carries / row.price->amount;
}

BoardRow RowOf(const std::string& text, const std::string& file, const BoardOfChoice& board,
               const std::vector<Supposed>& supposed, const BoardChoiceOptions& options, LongRun& watch,
               BoardChoice& choice) {
  BoardRow row;
  row.board = board.asked;
  row.price = board.platform.price;
  if (board.profiles.empty()) {
    row.why = "no profile of it is known; --profiles says one";
    return row;
  }
  try {
    ScenarioOnBoard on = PutOnBoard(text, file, board);
    row.left_out = std::move(on.left_out);
    const ScenarioFile there(std::move(on.text), file);
    Scenario scenario = there.With(supposed, "--what-if");
    SetObjectiveOf(options.objective, scenario);
    if (options.seed) scenario.seed = *options.seed;
    choice.what_if = scenario.what_if;
    choice.objective = scenario.objective;
    AddWinner(scenario, options, row, watch);
    if (options.capacity && !watch.interrupted()) AddCapacity(there, supposed, options, row, watch);
  } catch (const InputError& error) {
    row.why = WithoutPlace(error.what(), file);
    row.report.reset();
  }
  return row;
}

// By what each board's best policy did.
void MarkBestBoards(BoardChoice& choice) {
  std::vector<Report> reports;
  std::vector<BoardRow*> rows;
  for (BoardRow& row : choice.boards) {
    if (!row.report) continue;
    reports.push_back(*row.report);
    reports.back().label = row.board;
    rows.push_back(&row);
  }
  ApartVerdict judged = JudgeApart(std::move(reports), choice.objective, "board");
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r]->probability = judged.probability[r];
  for (const std::size_t board : judged.best) rows[board]->best = true;
  choice.verdict = std::move(judged.text);
}

// Where no board runs it, and one could but for --policy, that is what is wrong.
void RefusePolicies(const BoardChoice& choice) {
  if (std::any_of(choice.boards.begin(), choice.boards.end(),
                  [](const BoardRow& row) { return row.report.has_value(); })) {
    return;
  }
  for (const BoardRow& row : choice.boards) {
    if (row.why.starts_with("--policy")) throw InputError(row.why);
  }
}

}  // namespace

std::optional<BoardChoice> CompareBoards(const std::string& argument, const std::vector<Supposed>& supposed,
                                         const BoardChoiceOptions& options, LongRun& watch) {
  const std::filesystem::path path = FindScenario(argument);
  const std::string text = ScenarioText(path), file = NameOfInput(path);
  BoardChoice choice;
  choice.scenario = nlohmann::json::parse(text).value("name", "");
  for (const BoardOfChoice& board : FindBoards(options.boards, options.profiles)) {
    choice.boards.push_back(RowOf(text, file, board, supposed, options, watch, choice));
    if (watch.interrupted()) return std::nullopt;
  }
  RefusePolicies(choice);
  MarkBestBoards(choice);
  return choice;
}

}  // namespace tandem
