// The kernels of segments as profiles keep them: what was measured with them writes them, what runs takes
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/processor/processor.h"
#include "profiles/costs/profile.h"
#include "profiles/model/layer_parts.h"

namespace tandem {

// Whose kernels: the segment's on that unit, by the library that its processor has now. Without choices.
KernelEntry KernelsOf(const SegmentSpec& segment, const std::string& unit, const Variant& variant,
                      const Processor& processor);

// May the choices of one be taken for the other?
bool SameSegment(const KernelEntry& a, const KernelEntry& b);

// What the entries have for the segment of `of`, or for a part of it. Steps that they do not speak of in this
// segment are as inside the whole model.
KernelChoices ChoicesFor(const KernelEntry& of, const std::optional<LayerPart>& part,
                         const std::vector<KernelEntry>& entries);

// The same; a part that the entries do not speak of has what the one nearest in size of its axis has.
KernelChoices ChoicesForLike(const KernelEntry& of, const std::optional<LayerPart>& part,
                             const std::vector<KernelEntry>& entries);

// Adds them to the entry of the segment, or of a part of it.
void KeepChoices(KernelEntry of, const std::optional<LayerPart>& part, const KernelChoices& choices,
                 std::vector<KernelEntry>& entries);

// Without what ChoicesFor finds all the same: most segments have the kernels of the whole model.
std::vector<KernelEntry> Compacted(const std::vector<KernelEntry>& entries);

}  // namespace tandem
