#include "device/harness/kernels.h"

#include <algorithm>
#include <utility>

#include "device/processor/part_executable.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"

namespace tandem {

ProfiledKernels::ProfiledKernels(const Scenario& scenario) {
  for (const Profile& profile : scenario.profiles) {
    for (KernelEntry& entry : KernelsByModelKey(profile)) entries_.push_back(std::move(entry));
    if (profile.origin.kind != OriginKind::kMeasured) continue;
    for (const CostEntry& entry : profile.entries) measured_units_.insert(entry.unit);
  }
}

SegmentSpec ProfiledKernels::With(const Processor& processor, SegmentSpec segment,
                                  const std::optional<LayerPart>& part, const Unit& unit,
                                  const Variant& variant) const {
  const KernelEntry of = KernelsOf(segment, unit.name, variant, processor);
  segment.kernels = ChoicesForLike(of, part, entries_);
  segment.problems = ProblemsFor(of, entries_);
  return segment;
}

std::unique_ptr<Executable> ProfiledKernels::Compile(Processor& processor, const SegmentSpec& segment,
                                                     const std::optional<LayerPart>& part, const Unit& unit,
                                                     const Variant& variant, Nanos takes) {
  SegmentSpec with = With(processor, segment, part, unit, variant);
  with.takes = takes;
  auto made = part ? CompilePart(processor, with, *part) : processor.Compile(with);
  if (!made->Kernels().anew || !measured_units_.contains(unit.name)) return made;
  const KernelEntry of = KernelsOf(segment, unit.name, variant, processor);
  const std::lock_guard lock(mutex_);
  const std::string key = of.unit + "|" + of.model + "|" + std::to_string(of.batch) + "|" +
                          Joined(of.layers, "|") + (part ? "|" + part->Text() : "");
  if (known_.insert(key).second)
    ++anew_["on unit " + Quoted(unit.name) + " were chosen anew: " + WhyAnew(of)];
  return made;
}

std::string ProfiledKernels::WhyAnew(const KernelEntry& of) const {
  std::set<std::string> others;
  for (const KernelEntry& entry : entries_) {
    if (entry.model != of.model || entry.unit != of.unit || entry.variant != of.variant) continue;
    if (entry.library == of.library && (entry.layers == of.layers || entry.layers.empty()) &&
        entry.batch == of.batch) {
      return "what the profile has for them cannot be had here";
    }
    if (entry.library != of.library) others.insert(entry.library);
  }
  if (others.empty()) return "the profile has none for them";
  return "the profile has them of " + Joined(others) + ", here is " + of.library;
}

std::vector<std::string> ProfiledKernels::TakeNotices() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> notices;
  for (const auto& [what, count] : anew_) {
    notices.push_back("kernels of " + std::to_string(count) + (count == 1 ? " segment " : " segments ") +
                      what);
  }
  anew_.clear();
  return notices;
}

}  // namespace tandem
