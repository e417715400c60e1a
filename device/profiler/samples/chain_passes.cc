#include "device/profiler/samples/chain_passes.h"

namespace tandem {

double ChainPasses::MeanTime(std::size_t part) const {
  double sum = 0;
  for (std::size_t pass = 0; pass < size(); ++pass) sum += static_cast<double>(Time(pass, part).count());
  return size() > 0 ? sum / static_cast<double>(size()) : 0;
}

std::vector<double> MeanStepsWithin(const ChainPasses& passes, std::span<const ProbeStep> steps) {
  std::vector<double> sums(passes.parts), counts(passes.parts);
  auto step = steps.begin();
  for (std::size_t pass = 0; pass < passes.size(); ++pass) {
    Nanos begin = passes.begins[pass];
    for (std::size_t part = 0; part < passes.parts; ++part) {
      const Nanos time = passes.Time(pass, part), end = begin + time;
      const auto middle = [](const ProbeStep& of) { return of.begin + of.time / 2; };
      while (step != steps.end() && middle(*step) < begin) ++step;
      for (; step != steps.end() && middle(*step) < end; ++step) {
        if (step->time > time) continue;
        sums[part] += static_cast<double>(step->time.count());
        ++counts[part];
      }
      begin = end;
    }
  }
  for (std::size_t part = 0; part < passes.parts; ++part) {
    if (counts[part] > 0) sums[part] /= counts[part];
  }
  return sums;
}

}  // namespace tandem
