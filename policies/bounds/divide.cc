// The least time of a division by its linear program, over few units or many.
#include <algorithm>
#include <limits>
#include <utility>

#include "policies/bounds/alike_units.h"
#include "policies/bounds/bound.h"
#include "policies/bounds/linear_program.h"

namespace tandem {
namespace {

// Of EffortOf so much takes some hundredths of a second; no board comes near it.
constexpr std::size_t kLargeEffort = 200'000;

// min T: the shares of each class add up to one; the work of each unit fits into T times its slots. Work is
// counted in units of what the whole takes on average, so that T is near 1.
LinearProgram ProgramOf(std::span<const WorkClass> classes, std::span<const std::int64_t> slots) {
  double scale = 0;
  for (const WorkClass& work : classes) {
    Nanos least{-1};
    for (const Nanos time : work.time) {
      if (time >= Nanos{0} && (least < Nanos{0} || time < least)) least = time;
    }
    scale += static_cast<double>(work.count) * static_cast<double>(least.count());
  }
  scale = std::max(scale / static_cast<double>(slots.size()), 1.0);
  LinearProgram program;
  program.units = slots.size();
  const auto units = static_cast<int>(classes.size());  // rows of the units follow those of the classes
  for (std::size_t c = 0; c < classes.size(); ++c) {
    for (std::size_t u = 0; u < slots.size(); ++u) {
      if (classes[c].time[u] < Nanos{0}) continue;
      program.Add(static_cast<int>(c), 1.0);
      const double work =
          static_cast<double>(classes[c].count) * static_cast<double>(classes[c].time[u].count());
      program.Add(units + static_cast<int>(u), work / scale);
      program.EndColumn(0);
    }
  }
  for (std::size_t u = 0; u < slots.size(); ++u) {
    program.Add(units + static_cast<int>(u), -static_cast<double>(slots[u]));
  }
  program.EndColumn(1);
  program.row_lower.assign(classes.size(), 1.0);
  program.row_upper.assign(classes.size(), 1.0);
  program.row_lower.insert(program.row_lower.end(), slots.size(), -std::numeric_limits<double>::max());
  program.row_upper.insert(program.row_upper.end(), slots.size(), 0.0);
  return program;
}

std::optional<Division> DivideByProgram(std::span<const WorkClass> classes,
                                        std::span<const std::int64_t> slots) {
  const auto answer = SolveProgram(ProgramOf(classes, slots));
  if (!answer) return std::nullopt;
  std::vector<double> prices;
  for (std::size_t u = 0; u < slots.size(); ++u) {
    prices.push_back(std::max(-answer->duals[classes.size() + u], 0.0));
  }
  Division division{WholeWeights(prices), {}};
  auto share = answer->columns.begin();
  for (const WorkClass& work : classes) {
    division.shares.emplace_back();
    for (const Nanos time : work.time) division.shares.back().push_back(time < Nanos{0} ? 0.0 : *share++);
  }
  return division;
}

// What units that are alike have together is each one's by its slots.
Division Spread(const Division& merged, const AlikeUnits& alike, std::span<const std::int64_t> slots) {
  Division division;
  for (const std::size_t of : alike.of_unit) division.weights.push_back(merged.weights[of]);
  for (const std::vector<double>& of_class : merged.shares) {
    division.shares.emplace_back();
    for (std::size_t u = 0; u < slots.size(); ++u) {
      const std::size_t of = alike.of_unit[u];
      division.shares.back().push_back(of_class[of] * static_cast<double>(slots[u]) /
                                       static_cast<double>(alike.slots[of]));
    }
  }
  return division;
}

// Of far more units than boards have.
Division DivideOverMany(std::span<const WorkClass> classes, std::span<const std::int64_t> slots) {
  const AlikeUnits alike = MergeAlike(classes, slots);
  if (const auto merged = DivideByProgram(alike.classes, alike.slots)) return Spread(*merged, alike, slots);
  Division balanced{BalancedWeights(alike.classes, alike.slots), {}};
  std::vector<std::int64_t> by_speed = WeightsBySpeed(alike.classes, alike.slots);
  if (ProvedDivision(alike.classes, alike.slots, by_speed) >
      ProvedDivision(alike.classes, alike.slots, balanced.weights)) {
    balanced.weights = std::move(by_speed);
  }
  return Spread(balanced, alike, slots);
}

}  // namespace

// Where the program has no answer weights by balancing. Units of a board are not merged: programs with the
// same least time may have other weights, and bounds of latencies go by these.
Division Divide(std::span<const WorkClass> classes, std::span<const std::int64_t> slots) {
  if (EffortOf(classes, slots.size()) > kLargeEffort) return DivideOverMany(classes, slots);
  if (auto division = DivideByProgram(classes, slots)) return *std::move(division);
  return {BalancedWeights(classes, slots), {}};
}

Nanos DivisionBound(std::span<const WorkClass> classes, std::span<const std::int64_t> slots) {
  return ProvedDivision(classes, slots, Divide(classes, slots).weights);
}

}  // namespace tandem
