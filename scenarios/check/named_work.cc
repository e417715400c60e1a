#include "scenarios/check/named_work.h"

#include <algorithm>

namespace tandem {

NamedWork WorkNamed(const std::string& model, const std::vector<std::string>& layers,
                    const Profile& profile) {
  return {model.empty() ? model : ModelKey(model, profile.file), &layers};
}

bool NamedWork::Covers(const CheckedRun& run, const CheckedTask& task) const {
  const CheckedSegment& segment = run.segment(task);
  if (!model.empty() && model != run.scenario().model(segment.model).key) return false;
  if (layers->empty()) return true;
  const auto named = [&](LayerId layer) {
    const std::string& name = run.model(segment.model).layer(layer).name;
    return std::find(layers->begin(), layers->end(), name) != layers->end();
  };
  return !segment.layers.empty() && std::all_of(segment.layers.begin(), segment.layers.end(), named);
}

bool NamedWork::Is(const CheckedRun& run, const CheckedTask& task) const {
  const CheckedSegment& segment = run.segment(task);
  return !segment.part && segment.layers.size() == layers->size() && Covers(run, task);
}

}  // namespace tandem
