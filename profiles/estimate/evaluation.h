// How far off the estimator is on boards whose layers are known, held out one by one.
#pragma once

#include <string>
#include <vector>

#include "profiles/estimate/known_layers.h"

namespace tandem {

// Errors are fractions. An absolute error of 1 is 100 %; a whole-model error of -0.5 means that half of the
// measured time was estimated.
struct ModelError {
  std::string model;
  std::int64_t batch = 1;
  double measured_s = 0;
  double error = 0;                    // no whole-model time of the unit is known
  std::optional<double> fitted_error;  // fitted to the times of the unit's other models
};

struct UnitError {
  std::string unit;  // "jetson-tx1/gpu/cudnn/fp32"
  std::size_t layers = 0;
  double layer_median = 0;         // of the absolute relative errors
  double layer_p90 = 0;            // nearest rank
  double layer_median_fitted = 0;  // each model fitted to its own whole-model time
  double layer_p90_fitted = 0;
  std::vector<ModelError> models;
};

enum class HeldOut : std::uint8_t {
  kBoard,  // fitted to the other boards' units of the same kind
  kModel,  // fitted to the same unit's other models: what remains where library and processor are the same
};

std::vector<UnitError> EvaluateEstimator(const std::vector<KnownUnit>& known, HeldOut held_out);

// How far off a unit's whole-model times are that are estimated from the units `like` it: what the evaluation
// with boards held out says of all units of their kinds, as the root mean square of the logarithms, which of
// small errors is that of the errors. `fitted`: to times of whole models. Nothing: no such unit can be held
// out.
std::optional<double> ErrorOfEstimates(const std::vector<KnownUnit>& known,
                                       const std::vector<const KnownUnit*>& like, bool fitted);

// Those that ship with tandem.
std::vector<KnownUnit> ShippedKnownUnits();

// A table per way of holding out, as docs/estimator.md shows it.
std::string EvaluationText(const std::vector<UnitError>& boards, const std::vector<UnitError>& models);

}  // namespace tandem
