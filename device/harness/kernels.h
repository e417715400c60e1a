// The kernels that the profiles of a scenario have for its segments, and what its runs could not take.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device/processor/kernel_entries.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

class ProfiledKernels {
 public:
  explicit ProfiledKernels(const Scenario& scenario);

  // The segment with the kernels that it, or a part of it, was measured with. From any thread.
  SegmentSpec With(const Processor& processor, SegmentSpec segment, const std::optional<LayerPart>& part,
                   const Unit& unit, const Variant& variant) const;
  // Compiles it so, and notes where that was not all. `takes`: what the schedule counts for it, which no
  // profile need have (a batch of a size between two). From any thread.
  std::unique_ptr<Executable> Compile(Processor& processor, const SegmentSpec& segment,
                                      const std::optional<LayerPart>& part, const Unit& unit,
                                      const Variant& variant, Nanos takes);

  // Since the last call, a sentence for each unit and reason: segments whose kernels were chosen anew.
  std::vector<std::string> TakeNotices();

 private:
  std::string WhyAnew(const KernelEntry& of) const;

  std::vector<KernelEntry> entries_;      // models by their keys
  std::set<std::string> measured_units_;  // that profiles measured here speak of
  std::mutex mutex_;
  std::set<std::string> known_;              // segments that were told
  std::map<std::string, std::size_t> anew_;  // how many, by what is said of them
};

}  // namespace tandem
