// Room scenarios/baseline: the figures that a run is held to: which there are, which way is worse, and the
// file that keeps them.
//
// The figures of a report by their names, for baselines and sweeps. What kind a figure is stands in one
// table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scenarios/report/report.h"

namespace tandem {

enum class Better : std::uint8_t { kLower, kHigher, kNeither };  // neither: it is a word, not a number

// Null: the run could not tell. A number, or the word of a figure that is none (the winner's label).
using FigureValue = std::variant<std::monostate, double, std::string>;

struct FigureKind {
  std::string_view name;   // "p99_latency_ns"
  std::string_view brief;  // "p99", as a command line may say it
  std::string_view unit;   // "ns", "1/s", "requests", "J"; empty: a ratio or a word
  Better better = Better::kLower;
  bool usual = false;                                    // what `tandem new baseline` takes unless told
  std::optional<double> (*of)(const Report&) = nullptr;  // null: the winner
  std::optional<double> (*of_stream)(const StreamReport&) = nullptr;  // null: streams have none of their own
  // Over the draws of a report that has some; null: nothing is drawn of it.
  std::optional<DrawnFigure<double>> (*drawn)(const Report&) = nullptr;
  bool needs_bound = false;  // of any schedule's least makespan
  double blur = 0;           // what two solvers of one linear program may differ by
};

const std::vector<FigureKind>& FigureKinds();

// One of them, of all streams together or of one: "streams.camera.p99_latency_ns".
struct FigureName {
  const FigureKind* kind = nullptr;
  std::string stream;
  std::string Text() const;
};

const FigureKind* FindFigureKind(std::string_view name);  // by its name or its brief one; null: there is none

// The same, of a stream too; nothing: there is none. WhyNoFigure: the message then, with "did you mean".
std::optional<FigureName> FindFigure(std::string_view text);
std::string WhyNoFigure(std::string_view text);

// Those of the report, in the order of the table; of each stream too where there are several.
std::vector<FigureName> FiguresOf(const Report& report);

// `winner`: the labels that win on the scenario; empty: none could be named. A run that failed tells nothing
// else.
FigureValue ValueOf(const FigureName& figure, const Report& report, const std::string& winner);

// "12.3 ms", "eft", "-".
std::string ValueText(const FigureValue& value, const FigureKind& kind);

}  // namespace tandem
