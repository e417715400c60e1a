// What became of the figures of a baseline.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/regress/bars.h"
#include "sim/regress/run_again.h"

namespace tandem {

// Worst first.
enum class Verdict : std::uint8_t {
  kMissing,    // the baseline has no such figure
  kWorse,      // by more than allowed
  kDifferent,  // no better and no worse: another winner, a figure that can no longer be told
  kWarned,     // worse or different by more than --warn says, which is allowed
  kBetter,     // by more than it may move
  kWithin,     // moved no further than it may
  kSame,
};
inline constexpr std::array<Named<Verdict>, 7> kVerdictNames = {{{"missing", Verdict::kMissing},
                                                                 {"worse", Verdict::kWorse},
                                                                 {"different", Verdict::kDifferent},
                                                                 {"warning", Verdict::kWarned},
                                                                 {"better", Verdict::kBetter},
                                                                 {"within", Verdict::kWithin},
                                                                 {"same", Verdict::kSame}}};

struct FigureChange {
  std::string baseline;  // its name
  std::string file;      // and file
  std::string scenario, policy, engine;
  std::uint64_t seed = 1;
  std::string apart;  // what tells it from others of its scenario, policy and figure: "simgrid, seed 2"
  FigureName figure;
  FigureValue before, after;
  std::optional<Tolerance> allowed;  // nothing: as much as it likes
  Verdict verdict = Verdict::kSame;
  std::optional<double> change;  // after / before - 1, where both are numbers and before is not 0
  std::string why;               // sentences; of what moved

  std::string PolicyText() const;  // with what tells it apart: "fcfs (simgrid, seed 2)"
  std::string Text() const;        // the only one of this text: "study-003 / fcfs / makespan_ns"
};

struct Regression {
  std::vector<FigureChange> figures;
  std::vector<std::string> notes;     // changed inputs, what a baseline lacks
  std::vector<ProfileUsed> profiles;  // of all that was simulated again
  // What that took for want of a measurement: a sentence each.
  std::vector<std::string> estimated = {};
  bool strict = false;  // what became better is not allowed either
  bool interrupted = false;

  std::size_t Count(Verdict verdict) const;
  bool Fails(const FigureChange& figure) const;
  // Those that moved, or that are missing.
  std::vector<const FigureChange*> Moved() const;
};

void SortWorstFirst(std::vector<FigureChange>& figures);
// Other tools know a figure by its text: those that have one text get something that tells them apart.
void TellApart(std::vector<FigureChange>& figures);

// What a case of the baseline says against the run of its policy. `winner` as in ScenarioRuns; `expected`:
// figures that must be there, beside those that are.
std::vector<FigureChange> CompareCase(const Baseline& baseline, const BaselineCase& kept,
                                      const PolicyRun& run, const std::string& winner,
                                      const std::vector<FigureName>& expected, const Bars& bars);

}  // namespace tandem
