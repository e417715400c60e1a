#include "profiles/estimate/evaluation.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/figures.h"
#include "profiles/base/statistics.h"
#include "profiles/base/table.h"
#include "profiles/estimate/estimator.h"

namespace tandem {
namespace {

double AbsoluteError(double estimated, double measured) { return std::abs(estimated / measured - 1); }

double Estimate(const EfficiencyModel& efficiency, const KnownModel& model) {
  double seconds = 0;
  for (const KnownTime& layer : model.layers) seconds += efficiency.Seconds(layer.work, layer.peak);
  return seconds;
}

void AddLayers(const KnownModel& model, std::vector<KnownTime>& layers) {
  layers.insert(layers.end(), model.layers.begin(), model.layers.end());
}

std::vector<KnownTime> OtherBoards(const std::vector<KnownUnit>& known, const KnownUnit& held_out) {
  std::vector<KnownTime> layers;
  for (const KnownUnit& unit : known) {
    if (unit.kind != held_out.kind || unit.board == held_out.board) continue;
    for (const KnownModel& model : unit.models) AddLayers(model, layers);
  }
  return layers;
}

std::vector<KnownTime> OtherModels(const KnownUnit& unit, std::size_t held_out) {
  std::vector<KnownTime> layers;
  for (std::size_t i = 0; i < unit.models.size(); ++i) {
    if (i != held_out) AddLayers(unit.models[i], layers);
  }
  return layers;
}

// What whole-model times of the unit's other models say that the estimate has to be multiplied with.
std::optional<double> FactorOfOthers(const std::vector<double>& factors, std::size_t held_out) {
  std::vector<double> others;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (i != held_out) others.push_back(factors[i]);
  }
  if (others.empty()) return std::nullopt;
  return LowerMedian(std::move(others));
}

// `fits` has one efficiency model per model of the unit.
UnitError ErrorsOf(const KnownUnit& unit, const std::vector<EfficiencyModel>& fits) {
  UnitError result{unit.Text(), 0, 0, 0, 0, 0, {}};
  std::vector<double> factors, plain, fitted;
  for (std::size_t i = 0; i < unit.models.size(); ++i) {
    factors.push_back(unit.models[i].total_seconds / Estimate(fits[i], unit.models[i]));
  }
  for (std::size_t i = 0; i < unit.models.size(); ++i) {
    const KnownModel& model = unit.models[i];
    for (const KnownTime& layer : model.layers) {
      const double estimated = fits[i].Seconds(layer.work, layer.peak);
      plain.push_back(AbsoluteError(estimated, layer.seconds));
      fitted.push_back(AbsoluteError(estimated * factors[i], layer.seconds));
    }
    ModelError error{model.name, model.batch, model.total_seconds, 1 / factors[i] - 1, {}};
    if (const auto factor = FactorOfOthers(factors, i)) error.fitted_error = *factor / factors[i] - 1;
    result.models.push_back(std::move(error));
  }
  result.layers = plain.size();
  if (plain.empty()) return result;
  result.layer_median = LowerMedian(plain);
  result.layer_p90 = Percentile(plain, 9000);
  result.layer_median_fitted = LowerMedian(fitted);
  result.layer_p90_fitted = Percentile(fitted, 9000);
  return result;
}

// The natural logarithm of a positive number within a thousandth, from roots and quotients alone: alike on
// every machine.
double RoughLogarithm(double x) {
  for (int i = 0; i < 4; ++i) x = std::sqrt(x);
  return 16 * 2 * (x - 1) / (x + 1);
}

std::string LayerTable(const std::vector<UnitError>& units) {
  Table table({{"unit"},
               {"layers", true},
               {"median", true},
               {"p90", true},
               {"median, fitted", true},
               {"p90, fitted", true}});
  for (const UnitError& unit : units) {
    table.Add({unit.unit, std::to_string(unit.layers), Percent(unit.layer_median, 0),
               Percent(unit.layer_p90, 0), Percent(unit.layer_median_fitted, 0),
               Percent(unit.layer_p90_fitted, 0)});
  }
  return table.Text(120);
}

std::string ModelTable(const std::vector<UnitError>& units) {
  Table table(
      {{"unit"}, {"model"}, {"measured", true}, {"error", true}, {"error, fitted to the others", true}});
  for (const UnitError& unit : units) {
    for (const ModelError& model : unit.models) {
      table.Add({unit.unit, model.model + " x " + std::to_string(model.batch),
                 std::to_string(std::llround(model.measured_s * 1e3)) + " ms", SignedPercent(model.error, 0),
                 model.fitted_error ? SignedPercent(*model.fitted_error, 0) : "-"});
    }
  }
  return table.Text(120);
}

}  // namespace

std::vector<KnownUnit> ShippedKnownUnits() {
  ModelShelf shelf;
  std::vector<KnownUnit> units;
  for (const EstimateSpec& board : ShippedKnownBoards()) {
    for (KnownUnit& unit : KnownUnitsOf(board, shelf)) units.push_back(std::move(unit));
  }
  return units;
}

std::vector<UnitError> EvaluateEstimator(const std::vector<KnownUnit>& known, HeldOut held_out) {
  std::vector<UnitError> errors;
  for (const KnownUnit& unit : known) {
    std::vector<EfficiencyModel> fits;
    if (held_out == HeldOut::kBoard) {
      const std::vector<KnownTime> layers = OtherBoards(known, unit);
      if (layers.empty()) continue;  // no other board has such a unit
      fits.assign(unit.models.size(), FitBestForm(layers));
    } else {
      if (unit.models.size() < 2) continue;
      for (std::size_t i = 0; i < unit.models.size(); ++i) fits.push_back(FitBestForm(OtherModels(unit, i)));
    }
    errors.push_back(ErrorsOf(unit, fits));
  }
  return errors;
}

std::optional<double> ErrorOfEstimates(const std::vector<KnownUnit>& known,
                                       const std::vector<const KnownUnit*>& like, bool fitted) {
  std::vector<KnownUnit> of_kind;
  for (const KnownUnit& unit : known) {
    const auto same = [&](const KnownUnit* other) { return other->kind == unit.kind; };
    if (std::any_of(like.begin(), like.end(), same)) of_kind.push_back(unit);
  }
  double squares = 0, count = 0;
  for (const UnitError& unit : EvaluateEstimator(of_kind, HeldOut::kBoard)) {
    for (const ModelError& model : unit.models) {
      if (fitted && !model.fitted_error) continue;
      const double logarithm = RoughLogarithm(1 + (fitted ? *model.fitted_error : model.error));
      squares += logarithm * logarithm;
      ++count;
    }
  }
  if (count == 0) return std::nullopt;
  return std::sqrt(squares / count);
}

std::string EvaluationText(const std::vector<UnitError>& boards, const std::vector<UnitError>& models) {
  return "Board held out, fitted to the other boards. Absolute error of a layer's time:\n" +
         LayerTable(boards) + "\nThe same, error of the whole model's time:\n" + ModelTable(boards) +
         "\nModel held out, fitted to the same unit's other models. Absolute error of a layer's time:\n" +
         LayerTable(models) + "\nThe same, error of the whole model's time:\n" + ModelTable(models);
}

}  // namespace tandem
