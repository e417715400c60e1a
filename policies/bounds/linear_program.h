// A linear program for a solver whose answer is only ever a hint: bounds are proved in integers from its dual
// values, whatever they are. The solver itself is in bound.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace tandem {

// The least `objective` x with x >= 0 and every row between its limits. By columns: of column c the entries
// start[c] .. start[c + 1] - 1 of `row` and `value`.
struct LinearProgram {
  std::vector<int> start{0};
  std::vector<int> row;
  std::vector<double> value, objective, row_lower, row_upper;
  std::size_t units = 0;  // that work is divided over, a row each that the last column goes through

  void EndColumn(double cost) {
    start.push_back(static_cast<int>(row.size()));
    objective.push_back(cost);
  }
  void Add(int in_row, double coefficient) {
    row.push_back(in_row);
    value.push_back(coefficient);
  }
};

struct ProgramAnswer {
  std::vector<double> columns;
  std::vector<double> duals;  // per row
};

// Nothing without a solver, where the program is too large for it, or where it did not come to an end.
std::optional<ProgramAnswer> SolveProgram(const LinearProgram& program);
bool SolverIsBuiltIn();

}  // namespace tandem
