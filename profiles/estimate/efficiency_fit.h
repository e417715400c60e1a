// How long a layer takes on a processor of which only the peak rates are known: fitted to layers whose times
// are known on other processors. Everything here is plain arithmetic (no logarithms), so that every machine
// fits the same bytes.
#pragma once

#include <array>
#include <vector>

#include "profiles/estimate/layer_work.h"

namespace tandem {

// gemm_threads: how many cores the peak rate is of, where the library uses more than one for convolutions and
// fully connected layers alone; all other layers then run on one core, as in Caffe.
struct Rates {
  double operations_per_s = 0;
  double bytes_per_s = 0;
  double gemm_threads = 1;
};

// A layer, or a fused group, whose time is known.
struct KnownTime {
  LayerWork work;
  Rates peak;  // of the processor that it ran on
  double seconds = 0;
};

// t = overhead + operation_cost * operations / peak rate + byte_cost * bytes / peak bandwidth, or the larger
// of the two terms instead of their sum. A cost is one over the efficiency: 4 means a quarter of the peak.
struct ClassCost {
  double overhead_s = 0;
  double operation_cost = 0;
  double byte_cost = 0;
  std::size_t fitted_to = 0;  // layers; 0: taken from a related class
};

enum class RooflineForm : std::uint8_t { kSum, kLarger };

struct EfficiencyModel {
  RooflineForm form = RooflineForm::kSum;
  std::array<ClassCost, kCostClasses> classes;

  double Seconds(const LayerWork& work, const Rates& peak) const;
};

// Non-negative least squares per class on relative errors, re-weighted so that a few outliers do not pull.
EfficiencyModel FitEfficiency(const std::vector<KnownTime>& known, RooflineForm form);

}  // namespace tandem
