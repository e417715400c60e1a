// Puts the steps of one segment together: which value each layer has, in which form, and in what order the
// steps run. A backend says what its forms and steps are.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/lowering/folded_weights.h"
#include "device/lowering/fusion.h"
#include "device/lowering/last_uses.h"
#include "device/lowering/memory_plan.h"
#include "device/processor/processor.h"
#include "profiles/base/check.h"

namespace tandem {

// What an assembler makes for an executable.
template <class StepOfBackend>
struct SegmentProgram {
  using Step = StepOfBackend;

  SegmentSpec spec;
  MemoryPlan memory;
  std::vector<std::unique_ptr<Step>> steps;
  std::vector<ValueId> inputs, outputs;
  ChosenKernels kernels;
};

// `Program` is a SegmentProgram; `Tensor` has a `value` and a `form`, whose default is that of the caller's
// tensors.
template <class Program, class Tensor>
class SegmentAssembler {
 public:
  using Form = decltype(Tensor::form);
  using Step = typename Program::Step;

  virtual ~SegmentAssembler() = default;

  const SegmentSpec& spec() const { return program_.spec; }
  const Model& model() const { return *spec().model; }
  const Layer& layer(LayerId id) const { return model().layer(id); }
  const Shape& shape(LayerId id) const { return layer(id).output; }
  ModelWeights weights() const { return {model(), *spec().weights}; }
  MemoryPlan& memory() { return program_.memory; }

  // The plainest of the forms that are the same bytes.
  virtual Form Simplest(const Shape& shape, Form form) const = 0;
  ValueId NewValue(const Shape& shape, Form form) { return memory().Add(SizeOf(shape, form)); }

  // The layer's value as it was made.
  Tensor Made(LayerId id) const {
    TANDEM_CHECK(IsMade(id), "what is read was made before");
    return made_[id.index()][0];
  }
  bool IsMade(LayerId id) const { return !made_[id.index()].empty(); }
  // In the form that is wanted: a step that changes it is added where it was not there yet.
  ValueId Need(LayerId id, Form form) {
    const Form wanted = Simplest(shape(id), form);
    if (const ValueId there = Find(id, wanted); there.valid()) return there;
    const Tensor changed{NewValue(shape(id), wanted), wanted};
    AddChange(shape(id), Made(id), changed, false);
    made_[id.index()].push_back(changed);
    return changed.value;
  }
  // From here on that is how the layer was made.
  void Prefer(LayerId id, Form form) {
    const ValueId value = Need(id, form);
    auto& all = made_[id.index()];
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Tensor& t) { return t.value == value; });
    std::rotate(all.begin(), found, std::next(found));
  }
  // `value` is what the layer makes.
  void Define(LayerId id, ValueId value, Form form) {
    made_[id.index()] = {{value, Simplest(shape(id), form)}};
  }
  // A new value in that form that the layer makes.
  ValueId Make(LayerId id, Form form) {
    const ValueId value = NewValue(shape(id), form);
    Define(id, value, form);
    return value;
  }

  // May the group that is being assembled write over this value? Nobody may read it later.
  bool MayOverwrite(ValueId value) const {
    const MemoryPlan& plan = program_.memory;
    if (plan.IsExternal(value) || !plan.IsRoot(value) || plan.HasParts(value)) return false;
    // Layers that change nothing have the value of the layer before them.
    for (std::size_t i = 0; i < made_.size(); ++i) {
      const auto same = [&](const Tensor& tensor) { return tensor.value == value; };
      if (last_use_[i] > group_ && std::any_of(made_[i].begin(), made_[i].end(), same)) return false;
    }
    return true;
  }

  // Lets `part` lie `offset` into `whole` from here on; false where steps could not read it there.
  bool PlaceInside(ValueId part, ValueId whole, std::int64_t offset) {
    if (!MayLieAt(offset)) return false;
    memory().Place(part, whole, offset);
    return true;
  }
  // The same for the first of `inputs`, or as many of them as another concat joined already. Returns how many
  // that were, 0 where the first lies elsewhere for good.
  std::size_t PlaceInConcat(std::span<const ValueId> inputs, ValueId whole, std::int64_t offset) {
    const ValueId root = memory().RootOf(inputs[0]);
    if (memory().IsExternal(root)) return 0;
    if (root == inputs[0]) return PlaceInside(root, whole, offset) ? 1 : 0;
    const auto joined = concats_.find(root);
    if (joined == concats_.end()) return 0;
    const std::vector<ValueId>& parts = joined->second;
    if (parts.size() > inputs.size() || !std::equal(parts.begin(), parts.end(), inputs.begin())) return 0;
    std::int64_t at = 0;  // all of them, and nothing else, lie there
    for (const ValueId part : parts) {
      if (memory().RootOf(part) != root || memory().OffsetOf(part) != at) return 0;
      at += memory().CountOf(part);
    }
    return at == memory().CountOf(root) && PlaceInside(root, whole, offset) ? parts.size() : 0;
  }
  void NoteConcat(ValueId whole, std::vector<ValueId> inputs) { concats_[whole] = std::move(inputs); }

  // What to take for the step that begins with this layer; empty: nothing is said of it.
  std::string KernelToTake(LayerId first) const {
    const auto found = spec().kernels.find(layer(first).name);
    return found == spec().kernels.end() ? std::string() : found->second;
  }
  void NoteKernel(LayerId first, std::string choice, bool anew) {
    program_.kernels.choices[layer(first).name] = std::move(choice);
    program_.kernels.anew = program_.kernels.anew || anew;
  }

  // The same of what a step computes, whichever it is.
  std::string ChoiceOfProblem(const std::string& problem) const {
    const auto found = spec().problems.find(problem);
    return found == spec().problems.end() ? std::string() : found->second;
  }
  void NoteProblem(const std::string& problem, std::string choice) {
    program_.kernels.problems[problem] = std::move(choice);
  }

  // `uses`: what it reads and writes.
  void Add(std::unique_ptr<Step> step, std::span<const ValueId> uses) {
    for (const ValueId id : uses) memory().Touch(id, program_.steps.size());
    program_.steps.push_back(std::move(step));
  }

  // All groups in order; `emit` assembles one.
  template <class Emit>
  void ForEachGroup(const std::vector<FusedGroup>& groups, Emit emit) {
    last_use_ = LastUses(spec(), groups);
    for (group_ = 0; group_ < groups.size(); ++group_) emit(groups[group_]);
  }
  Program Finish() {
    for (const LayerId id : spec().outputs) WriteOutput(id);
    return std::move(program_);
  }

 protected:
  explicit SegmentAssembler(Program program) : program_(std::move(program)), made_(model().size()) {}

  void BringInputs() {
    for (const LayerId id : spec().inputs) {
      const ValueId value = Make(id, Form());
      memory().MakeExternal(value);
      program_.inputs.push_back(value);
    }
  }

  Program program_;

 private:
  // Of such a tensor, in what the memory plan counts.
  virtual std::int64_t SizeOf(const Shape& shape, Form form) const = 0;
  // A step that copies with a change of form; the forms are the same where the caller wants a tensor that
  // lies elsewhere.
  virtual void AddChange(const Shape& shape, Tensor from, Tensor to, bool for_caller) = 0;
  virtual bool MayLieAt(std::int64_t /*offset*/) const { return true; }

  ValueId Find(LayerId id, Form form) const {
    for (const Tensor& tensor : made_[id.index()]) {
      if (tensor.form == form) return tensor.value;
    }
    return ValueId();
  }

  // The tensor goes where the caller wants it: straight there, or by a last step.
  void WriteOutput(LayerId id) {
    const Tensor made = Made(id);
    ValueId output = made.value;
    const bool straight = made.form == Form() && memory().IsRoot(output) && !memory().IsExternal(output) &&
                          memory().CountOf(output) == SizeOf(shape(id), Form());
    if (!straight) {
      output = NewValue(shape(id), Form());
      AddChange(shape(id), made, {output, Form()}, true);
    }
    memory().MakeExternal(output);
    program_.outputs.push_back(output);
  }

  std::vector<std::vector<Tensor>> made_;  // by layer: as it was made, then in the forms that were needed
  std::vector<std::size_t> last_use_;  // by layer: the group that reads it last, or what shares its memory
  std::size_t group_ = 0;
  std::map<ValueId, std::vector<ValueId>> concats_;  // what lies in them, in order
};

}  // namespace tandem
