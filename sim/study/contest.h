// The policies of a scenario against each other: their runs, and whose plan is taken.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "policies/kinds/prepared_run.h"
#include "profiles/program/long_run.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/report.h"
#include "sim/study/one_run.h"
#include "sim/study/where_time_goes.h"

namespace tandem {

// One policy's run: enough to compare it, to explain it and to make a plan of it.
struct Contender {
  PreparedRun run;
  Report report;
  std::vector<UnitStory> story;
};

// Positions among the contenders.
struct ContestVerdict {
  Ranking ranking;
  std::optional<std::size_t> winner;     // Ranking::taken
  std::optional<std::size_t> runner_up;  // the best of the others, but for whom the winner is tied with
};

// With their draws; fewer where it was interrupted. Those that cannot run the scenario are told of and left
// out. `policies` outlive them. Throws InputError where none can.
std::vector<Contender> RunContest(const Scenario& scenario, const std::vector<PolicySpec>& policies,
                                  Engine engine, double interval, LongRun& watch);
ContestVerdict Judge(const std::vector<Contender>& contenders, Objective objective);

std::vector<Report> ReportsOf(const std::vector<Contender>& contenders);
std::vector<PolicySpec> DecidedOf(const std::vector<Contender>& contenders);

// The labels of those that the winner is tied with.
std::vector<std::string> TiedWith(const std::vector<Contender>& contenders, const ContestVerdict& verdict);
// The labels of those that the draws cannot tell apart from the best, that one first; none where they can.
std::vector<std::string> NotTold(const std::vector<Report>& reports, const Ranking& ranking);

// Who wins, by how much and how surely; where the time goes under the winner, and what the next does
// otherwise.
std::string VerdictText(const std::vector<Contender>& contenders, const ContestVerdict& verdict,
                        Objective objective, std::size_t width);
std::string WhyText(const std::vector<Contender>& contenders, const ContestVerdict& verdict,
                    std::size_t width);

}  // namespace tandem
