// The kernels of segments as profiles keep them: what was measured with them writes them, what runs takes
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/processor/processor.h"
#include "profiles/costs/profile.h"
#include "profiles/model/layer_parts.h"

namespace tandem {

// What the profile keeps, files of models by where they lie: names are as somebody typed them.
std::vector<KernelEntry> KernelsByModelKey(const Profile& profile);

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

// What the entries have for any model on the unit of `of`, by what is computed; and adds to that. One that
// was tried is not given up for one that was not.
KernelChoices ProblemsFor(const KernelEntry& of, const std::vector<KernelEntry>& entries);
void KeepProblems(const KernelEntry& of, const KernelChoices& problems, std::vector<KernelEntry>& entries);

// The segment with all that the entries have for it, or for a part of it.
SegmentSpec WithKept(SegmentSpec segment, const KernelEntry& of, const std::optional<LayerPart>& part,
                     const std::vector<KernelEntry>& entries);
// Adds all that it was made of.
void KeepKernels(const KernelEntry& of, const std::optional<LayerPart>& part, const ChosenKernels& kernels,
                 std::vector<KernelEntry>& entries);

// Adds those of `known` that the entries do not have.
void AddKernels(const std::vector<KernelEntry>& known, std::vector<KernelEntry>& entries);

// Steps for which not every way was tried.
std::int64_t CountUnfinished(const KernelChoices& choices);

// As a profile of times has them: without what ChoicesFor finds all the same, since most segments have the
// kernels of the whole model, and without those of any model, of which two profiles would disagree.
std::vector<KernelEntry> Compacted(const std::vector<KernelEntry>& entries);

}  // namespace tandem
