#include "profiles/estimate/efficiency_fit.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/statistics.h"

namespace tandem {
namespace {

using Vector = std::array<double, 3>;

constexpr int kRounds = 40;
constexpr double kSmallestResidual = 0.02;  // below this relative error all layers weigh the same

// The least squares solution over the features in `active`; nothing where they do not determine it.
bool Solve(const std::array<Vector, 3>& matrix, const Vector& right, const std::array<bool, 3>& active,
           Vector& out) {
  std::array<std::array<double, 4>, 3> rows{};
  std::array<std::size_t, 3> index{};
  std::size_t size = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (active[i]) index[size++] = i;
  }
  for (std::size_t r = 0; r < size; ++r) {
    for (std::size_t c = 0; c < size; ++c) rows[r][c] = matrix[index[r]][index[c]];
    rows[r][3] = right[index[r]];
  }
  for (std::size_t pivot = 0; pivot < size; ++pivot) {
    if (!(rows[pivot][pivot] > 1e-9 * matrix[index[pivot]][index[pivot]])) return false;
    for (std::size_t r = 0; r < size; ++r) {
      if (r == pivot) continue;
      const double factor = rows[r][pivot] / rows[pivot][pivot];
      for (std::size_t c = pivot; c < size; ++c) rows[r][c] -= factor * rows[pivot][c];
      rows[r][3] -= factor * rows[pivot][3];
    }
  }
  out = {};
  for (std::size_t r = 0; r < size; ++r) out[index[r]] = rows[r][3] / rows[r][r];
  return true;
}

// Least squares with all coefficients at or above zero: every set of non-zero ones is tried, there are seven.
Vector NonNegativeLeastSquares(const std::array<Vector, 3>& matrix, const Vector& right) {
  Vector best{};
  double best_value = 0;  // of x'Ax - 2b'x, which is 0 at x = 0
  for (unsigned set = 1; set < 8; ++set) {
    Vector x;
    if (!Solve(matrix, right, {(set & 1) != 0, (set & 2) != 0, (set & 4) != 0}, x)) continue;
    if (*std::min_element(x.begin(), x.end()) < 0) continue;
    double value = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      value -= 2 * right[i] * x[i];
      for (std::size_t j = 0; j < 3; ++j) value += x[i] * matrix[i][j] * x[j];
    }
    if (value < best_value) {
      best_value = value;
      best = x;
    }
  }
  return best;
}

struct Row {
  double at_peak_operations;  // seconds at peak rate
  double at_peak_bytes;
  double seconds;
};

double Predict(const ClassCost& cost, const Row& row, RooflineForm form) {
  const double operations = cost.operation_cost * row.at_peak_operations;
  const double bytes = cost.byte_cost * row.at_peak_bytes;
  return cost.overhead_s + (form == RooflineForm::kSum ? operations + bytes : std::max(operations, bytes));
}

Row RowOf(const LayerWork& work, const Rates& peak, double seconds) {
  const double cores = work.cost_class <= CostClass::kFc ? 1 : peak.gemm_threads;
  return {work.operations * cores / peak.operations_per_s, work.bytes / peak.bytes_per_s, seconds};
}

// One round: weights from the errors of the last fit, then a weighted fit. Dividing by the prediction as
// well as by the time makes twice as long and half as long weigh the same.
ClassCost Refit(const std::vector<Row>& rows, const ClassCost& last, RooflineForm form, bool first) {
  std::array<Vector, 3> matrix{};
  Vector right{};
  for (const Row& row : rows) {
    const double predicted = first ? row.seconds : std::max(Predict(last, row, form), row.seconds * 1e-3);
    const double scale = std::sqrt(row.seconds * predicted);
    const double error = std::abs(predicted - row.seconds) / scale;
    const double weight = 1 / (scale * scale * std::max(error, kSmallestResidual));
    Vector x{1, row.at_peak_operations, row.at_peak_bytes};
    if (form == RooflineForm::kLarger && !first) {
      const bool compute_bound = last.operation_cost * x[1] >= last.byte_cost * x[2];
      x[compute_bound ? 2 : 1] = 0;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      right[i] += weight * x[i] * row.seconds;
      for (std::size_t j = 0; j < 3; ++j) matrix[i][j] += weight * x[i] * x[j];
    }
  }
  const Vector fitted = NonNegativeLeastSquares(matrix, right);
  return {fitted[0], fitted[1], fitted[2], rows.size()};
}

// Half of the layers are then estimated too long and half too short.
double MedianRatio(const std::vector<Row>& rows, const ClassCost& cost, RooflineForm form) {
  std::vector<double> ratios;
  for (const Row& row : rows) {
    const double predicted = Predict(cost, row, form);
    if (predicted > 0) ratios.push_back(row.seconds / predicted);
  }
  return ratios.empty() ? 1 : LowerMedian(std::move(ratios));
}

ClassCost FitClass(const std::vector<Row>& rows, RooflineForm form) {
  ClassCost cost;
  for (int round = 0; round < kRounds; ++round) cost = Refit(rows, cost, form, round == 0);
  const double ratio = MedianRatio(rows, cost, form);
  cost.overhead_s *= ratio;
  cost.operation_cost *= ratio;
  cost.byte_cost *= ratio;
  return cost;
}

// The class to look at where no known layer is of this one.
CostClass Related(CostClass wanted) {
  switch (wanted) {
    case CostClass::kConv1x1:
    case CostClass::kConvLarge:
    case CostClass::kConvDepthwise:
      return CostClass::kConv3x3;
    case CostClass::kConv3x3:
      return CostClass::kConvLarge;
    case CostClass::kFc:
      return CostClass::kConv1x1;
    case CostClass::kLrn:
      return CostClass::kPool;
    default:
      return CostClass::kElementwise;
  }
}

}  // namespace

double EfficiencyModel::Seconds(const LayerWork& work, const Rates& peak) const {
  return Predict(classes[static_cast<std::size_t>(work.cost_class)], RowOf(work, peak, 0), form);
}

EfficiencyModel FitEfficiency(const std::vector<KnownTime>& known, RooflineForm form) {
  std::array<std::vector<Row>, kCostClasses> rows;
  for (const KnownTime& time : known) {
    if (time.seconds <= 0) continue;
    rows[static_cast<std::size_t>(time.work.cost_class)].push_back(RowOf(time.work, time.peak, time.seconds));
  }
  EfficiencyModel model{form, {}};
  for (std::size_t i = 0; i < kCostClasses; ++i) {
    if (!rows[i].empty()) model.classes[i] = FitClass(rows[i], form);
  }
  for (std::size_t i = 0; i < kCostClasses; ++i) {
    auto source = static_cast<CostClass>(i);
    // Two steps reach a class with layers wherever convolutions or activations are known.
    for (int step = 0; step < 2 && rows[static_cast<std::size_t>(source)].empty(); ++step)
      source = Related(source);
    if (rows[i].empty()) {
      model.classes[i] = model.classes[static_cast<std::size_t>(source)];
      model.classes[i].fitted_to = 0;
    }
  }
  return model;
}

}  // namespace tandem
