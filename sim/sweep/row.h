// What one run of a sweep came to: a line of JSON, kind "sweep_row/1", in a file of the worker that wrote it.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiles/base/json_reader.h"
#include "sim/sweep/figures.h"

namespace tandem {

enum class RowStatus : std::uint8_t { kOk, kFailed, kTimeout };
inline constexpr std::array<Named<RowStatus>, 3> kRowStatusNames = {
    {{"ok", RowStatus::kOk}, {"failed", RowStatus::kFailed}, {"timeout", RowStatus::kTimeout}}};

struct SweepRow {
  std::string key, version, engine;
  std::map<std::string, std::string> point;  // JSON texts by the axes' names
  std::string policy;
  RowStatus status = RowStatus::kOk;
  std::string message;         // why there are no figures
  bool beside = false;         // clairvoyant where requests are still to come: never the winner
  bool breaks_limits = false;  // of the scenario: not the winner
  RunFigures figures;
  // Where the sweep asks for intervals: over the draws, and what came out of the sweep's objective, and of
  // how far limits are broken, in each of them.
  RunIntervals intervals;
  RunFigures medians;
  std::vector<double> drawn, excesses;
  std::string interval_why;     // it does, and there are none
  std::string probability_why;  // there are some, and nobody knows how surely it wins by them
  // Where it does not: how far off the times may be, as a share; nothing: nobody knows.
  std::optional<double> unknown;
};

std::string RowText(const SweepRow& row);  // without a newline

// Its rows by key, of several the one that is ok. What was torn by a kill is left out. No folder, no rows.
// Throws InputError where a line is JSON and no row, or the rows are not all of this version of tandem.
std::map<std::string, SweepRow> ReadRows(const std::filesystem::path& folder);

// What files of rows are called by the end of their names.
inline constexpr std::string_view kRowsSuffix = ".rows.jsonl";

}  // namespace tandem
