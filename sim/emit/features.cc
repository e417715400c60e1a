#include "sim/emit/features.h"

#include <iterator>

namespace tandem {

const std::vector<Feature>& Features() {
  static const std::vector<Feature> all = [] {
    std::vector<Feature> features = PlanFeatures();
    for (std::vector<Feature> more : {UnitFeatures(), StreamFeatures()}) {
      std::move(more.begin(), more.end(), std::back_inserter(features));
    }
    return features;
  }();
  return all;
}

}  // namespace tandem
