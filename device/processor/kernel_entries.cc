#include "device/processor/kernel_entries.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace tandem {
namespace {

// Choices of parts stand beside those of the segment.
std::string PrefixOf(const std::optional<LayerPart>& part) { return part ? part->Text() + " of " : ""; }

// That a choice speaks of; nothing where it is the segment's.
std::optional<LayerPart> PartIn(const std::string& step) {
  for (const auto& [word, axis] : kSplitAxisNames) {
    LayerPart part{axis};
    if (!step.starts_with(word)) continue;
    const char* const end = step.data() + step.size();
    const auto first = std::from_chars(step.data() + std::min(word.size() + 1, step.size()), end, part.first);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') continue;
    if (std::from_chars(first.ptr + 1, end, part.end).ec != std::errc()) continue;
    ++part.end;
    if (step.starts_with(PrefixOf(part))) return part;
  }
  return std::nullopt;
}

// `Entries`: const or not.
template <class Entries>
auto Find(const KernelEntry& like, Entries& entries) {
  return std::find_if(entries.begin(), entries.end(),
                      [&](const KernelEntry& entry) { return SameSegment(entry, like); });
}

KernelEntry AnyModels(const KernelEntry& of) {
  KernelEntry any;
  any.unit = of.unit;
  any.variant = of.variant;
  any.library = of.library;
  return any;
}

}  // namespace

std::vector<KernelEntry> KernelsByModelKey(const Profile& profile) {
  ModelKeys keys(profile.file);
  std::vector<KernelEntry> entries = profile.kernels;
  for (KernelEntry& entry : entries) {
    if (!entry.model.empty()) entry.model = keys.Of(entry.model);
  }
  return entries;
}

KernelEntry KernelsOf(const SegmentSpec& segment, const std::string& unit, const Variant& variant,
                      const Processor& processor) {
  KernelEntry entry;
  entry.model = segment.model_name;
  entry.unit = unit;
  if (!segment.WholeModel()) {
    for (const LayerId id : segment.layers) entry.layers.push_back(segment.model->layer(id).name);
  }
  entry.batch = segment.batch;
  entry.variant = variant;
  entry.library = processor.KernelLibrary();
  return entry;
}

bool SameSegment(const KernelEntry& a, const KernelEntry& b) {
  return a.model == b.model && a.unit == b.unit && a.layers == b.layers && a.batch == b.batch &&
         a.variant == b.variant && a.library == b.library;
}

KernelChoices ChoicesFor(const KernelEntry& of, const std::optional<LayerPart>& part,
                         const std::vector<KernelEntry>& entries) {
  KernelChoices choices;
  if (const auto own = Find(of, entries); own != entries.end()) {
    const std::string prefix = PrefixOf(part);
    for (const auto& [step, choice] : own->choices) {
      if (step.starts_with(prefix)) choices.emplace(step.substr(prefix.size()), choice);
    }
  }
  if (part || of.layers.empty()) return choices;
  KernelEntry whole = of;
  whole.layers.clear();
  const auto inside = Find(whole, entries);
  if (inside != entries.end()) choices.insert(inside->choices.begin(), inside->choices.end());
  return choices;
}

KernelChoices ChoicesForLike(const KernelEntry& of, const std::optional<LayerPart>& part,
                             const std::vector<KernelEntry>& entries) {
  KernelChoices choices = ChoicesFor(of, part, entries);
  const auto own = Find(of, entries);
  if (!part || !choices.empty() || own == entries.end()) return choices;
  std::optional<LayerPart> nearest;
  const auto distance = [&](const LayerPart& other) { return std::abs(other.size() - part->size()); };
  for (const auto& [step, choice] : own->choices) {
    const auto other = PartIn(step);
    if (!other || other->axis != part->axis) continue;
    if (!nearest || distance(*other) < distance(*nearest)) nearest = other;
  }
  return nearest ? ChoicesFor(of, nearest, entries) : choices;
}

void KeepChoices(KernelEntry of, const std::optional<LayerPart>& part, const KernelChoices& choices,
                 std::vector<KernelEntry>& entries) {
  if (choices.empty()) return;
  auto entry = Find(of, entries);
  if (entry == entries.end()) entry = entries.insert(entries.end(), std::move(of));
  for (const auto& [step, choice] : choices) entry->choices[PrefixOf(part) + step] = choice;
}

KernelChoices ProblemsFor(const KernelEntry& of, const std::vector<KernelEntry>& entries) {
  const auto found = Find(AnyModels(of), entries);
  return found == entries.end() ? KernelChoices() : found->choices;
}

void KeepProblems(const KernelEntry& of, const KernelChoices& problems, std::vector<KernelEntry>& entries) {
  if (problems.empty()) return;
  KernelEntry any = AnyModels(of);
  auto entry = Find(any, entries);
  if (entry == entries.end()) entry = entries.insert(entries.end(), std::move(any));
  for (const auto& [problem, choice] : problems) {
    std::string& kept = entry->choices[problem];
    const bool worse = kept.ends_with(kFewTried) ? choice.ends_with(kUntried) : IsUnfinished(choice);
    if (kept.empty() || kept.ends_with(kUntried) || !worse) kept = choice;
  }
}

SegmentSpec WithKept(SegmentSpec segment, const KernelEntry& of, const std::optional<LayerPart>& part,
                     const std::vector<KernelEntry>& entries) {
  segment.kernels = ChoicesFor(of, part, entries);
  segment.problems = ProblemsFor(of, entries);
  return segment;
}

void KeepKernels(const KernelEntry& of, const std::optional<LayerPart>& part, const ChosenKernels& kernels,
                 std::vector<KernelEntry>& entries) {
  KeepChoices(of, part, kernels.choices, entries);
  KeepProblems(of, kernels.problems, entries);
}

void AddKernels(const std::vector<KernelEntry>& known, std::vector<KernelEntry>& entries) {
  for (const KernelEntry& one : known) {
    if (one.model.empty()) {
      KeepProblems(one, one.choices, entries);
    } else if (Find(one, entries) == entries.end()) {
      entries.push_back(one);
    }
  }
}

std::int64_t CountUnfinished(const KernelChoices& choices) {
  return std::count_if(choices.begin(), choices.end(),
                       [](const auto& choice) { return IsUnfinished(choice.second); });
}

std::vector<KernelEntry> Compacted(const std::vector<KernelEntry>& entries) {
  std::vector<KernelEntry> compact;
  for (KernelEntry entry : entries) {
    if (entry.model.empty()) continue;
    KernelEntry whole = entry;
    whole.layers.clear();
    const auto inside = entry.layers.empty() ? entries.end() : Find(whole, entries);
    std::erase_if(entry.choices, [&](const auto& choice) {
      return inside != entries.end() && inside->choices.contains(choice.first) &&
             inside->choices.at(choice.first) == choice.second;
    });
    if (!entry.choices.empty()) compact.push_back(std::move(entry));
  }
  return compact;
}

}  // namespace tandem
