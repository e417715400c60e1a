// The same scenario on several boards: what each makes of it, what that costs, and how much more it carries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/costs/platform.h"
#include "sim/questions/capacity.h"

namespace tandem {

struct BoardChoiceOptions {
  std::vector<std::string> boards;    // shipped names or files
  std::vector<std::string> profiles;  // of any of them, by the platform that they name; else what is shipped
  std::vector<std::string> policies;
  std::string objective;  // empty: the scenario's
  Engine engine = Engine::kVirtual;
  double interval = kUsualInterval;
  std::optional<std::uint64_t> seed;
  std::optional<CapacityOptions> capacity;
};

struct BoardRow {
  std::string board;                  // as it was asked for
  std::string why;                    // it cannot run the scenario; empty: it can
  std::vector<std::string> left_out;  // of the scenario there, a sentence each
  std::optional<Price> price;
  std::optional<Report> report;  // the winner's
  std::optional<double> watts;   // its mean
  std::optional<Capacity> capacity;
  std::optional<double> carries;            // by the best policy
  bool at_least = false;                    // the search ended there
  std::optional<double> carries_per_price;  // of the most, for one of the currency
  bool best = false;                        // by the objective
  std::optional<double> probability;        // that it is best: in such a share of the draws
};

struct BoardChoice {
  std::string scenario;
  Objective objective = Objective::kMakespan;
  std::vector<WhatIf> what_if;
  std::vector<BoardRow> boards;
  std::string
      verdict;  // how sure the best one is, or why that is not told; empty: there are no two to compare
};

// Nothing where `watch` was interrupted.
std::optional<BoardChoice> CompareBoards(const std::string& scenario, const std::vector<Supposed>& supposed,
                                         const BoardChoiceOptions& options, LongRun& watch);

std::string BoardChoiceText(const BoardChoice& choice, std::size_t width);
std::string BoardChoiceJson(const BoardChoice& choice);  // board_choice/1

}  // namespace tandem
