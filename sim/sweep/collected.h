// The rows of a sweep put together: what there is, what is missing, and which are good.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/sweep/row.h"
#include "sim/sweep/runs.h"

namespace tandem {

struct CollectedRows {
  std::vector<SweepRow> rows;        // sorted by key
  std::vector<std::string> missing;  // keys, sorted
  std::int64_t failed = 0;           // rows without figures
  std::int64_t of_others = 0;        // rows in the folder that are of no run of this sweep
  std::set<std::string> engines_of_others;
};

// Rows go by their keys: what their axes and policies were called when they were made does not matter.
CollectedRows CollectRows(const Sweep& sweep, const std::vector<SweepRun>& runs,
                          const std::filesystem::path& folder);

// Has it figures, keeps what the sweep requires, and may it win?
bool MayBeBest(const Sweep& sweep, const SweepRow& row);

// The medians over the draws where all that are compared have one, since runs of medians alone are shorter
// than most; else the figures of their runs.
enum class ComparedBy : std::uint8_t { kRuns, kDraws };
inline constexpr std::array<Named<ComparedBy>, 2> kComparedByNames = {
    {{"runs", ComparedBy::kRuns}, {"draws", ComparedBy::kDraws}}};
// Of those that may be best and have the figure.
ComparedBy HowCompared(const Sweep& sweep, const std::vector<SweepRow>& rows, std::string_view figure);

// How good it is: the smaller the better; nothing where it cannot tell.
std::optional<double> CostByFigure(const SweepRow& row, std::string_view figure, ComparedBy by);

// Positions of those that may be best and have the figure, best first, by key where they are equal.
std::vector<std::size_t> BestRows(const Sweep& sweep, const std::vector<SweepRow>& rows,
                                  std::string_view figure);

// Positions of those that no other one is as good as in all figures and better in one, by the first figure.
std::vector<std::size_t> ParetoFront(const Sweep& sweep, const std::vector<SweepRow>& rows,
                                     const std::vector<std::string>& figures);

}  // namespace tandem
