#include "device/backends/cuda/gpu/processor.h"

#include <algorithm>
#include <new>
#include <utility>

#include "device/backends/cuda/gpu/emit.h"
#include "device/backends/cuda/gpu/executable.h"
#include "device/backends/cuda/gpu/memory.h"
#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

constexpr int kCopierUrgency = 0;

void CopyBlock(CardStream& stream, float* to, const float* from, const TensorBlock& block) {
  to += block.first;
  from += block.first;
  if (block.Dense()) {
    stream.Copy(to, from, block.length * sizeof(float));
  } else {
    stream.CopyRows(to, from, block.runs, block.length * sizeof(float), block.stride * sizeof(float));
  }
  stream.Wait();
}

bool HasConvs(const SegmentSpec& spec) {
  return std::any_of(spec.layers.begin(), spec.layers.end(), [&](LayerId id) {
    const Op op = spec.model->layer(id).op;
    return op == Op::kConv || op == Op::kDeconv;
  });
}

class GpuProcessor final : public Processor {
 public:
  explicit GpuProcessor(std::shared_ptr<GpuContext> context) : context_(std::move(context)) {}

  void SetUrgency(int urgency) override { context_->stream().SetUrgency(urgency); }
  TensorMemory& memory() override { return MemoryOf(context_->card(), Space::kCard); }
  TensorMemory& host_memory() override { return MemoryOf(context_->card(), Space::kPinned); }
  std::optional<MemoryRoom> Room() override {
    const CardRoom room = context_->card().Room();
    return MemoryRoom{room.free_bytes, room.least_bytes};
  }
  TensorMemory* managed_memory() override { return &MemoryOf(context_->card(), Space::kManaged); }
  void Copy(float* to, const float* from, const TensorBlock& block) override {
    CopyBlock(context_->stream(), to, from, block);
  }
  void Spread(float* to, const float* dense, const TensorBlock& block) override {
    CardStream& stream = context_->stream();
    for (std::size_t run = 0; run < block.runs; ++run) {
      stream.Copy(to + block.first + run * block.stride, dense + run * block.length,
                  block.length * sizeof(float));
    }
    stream.Wait();
  }

  std::vector<std::vector<LayerId>> Groups(const Model& model) const override {
    return FuseLayers(model, WorkingLayers(model));
  }

  std::string KernelLibrary() const override {
    const CardInfo& card = context_->card().info();
    return card.library + " on " + context_->CardName() +
           (card.driver.empty() ? "" : ", driver " + card.driver);
  }

  std::optional<Nanos> MostTrials() const override { return context_->options().trials; }

  std::unique_ptr<Executable> Compile(const SegmentSpec& spec) override {
    context_->BeginModel(spec.model_name);
    if (auto taken = AsChosenBefore(spec)) return taken;
    SegmentSpec anew = spec;
    anew.kernels.clear();
    const std::optional<Format> format = context_->options().format;
    if (format || !HasConvs(anew)) {
      auto only = Assembled(anew, format.value_or(Format::kNchw));
      only->ChooseStart(Graph());
      only->AddNote(only->StartNote());
      return only;
    }
    return Faster(anew);
  }

 private:
  // Only tensors of the card's own memory keep to the addresses that a graph has.
  std::optional<bool> Graph() const {
    const GpuOptions& options = context_->options();
    return options.tensors == Space::kCard ? options.graph : false;
  }

  // In the format and by the start that are to be taken; null where nothing is said of them, where they are
  // not for this processor or do not work.
  std::unique_ptr<GpuExecutable> AsChosenBefore(const SegmentSpec& spec) const {
    const auto said = spec.kernels.find(kWholeSegment);
    if (said == spec.kernels.end()) return nullptr;
    for (const auto& [step, choice] : spec.kernels) {
      if (context_->GoesOnWith(choice)) return nullptr;
    }
    for (const Format format : {Format::kNchw, Format::kNhwc}) {
      for (const bool graph : {false, true}) {
        const bool ours =
            context_->options().format.value_or(format) == format && Graph().value_or(graph) == graph;
        if (!ours || GpuExecutable::StartText(format, graph) != said->second) continue;
        try {
          auto taken = Assembled(spec, format);
          taken->TakeStart(graph);
          return taken;
        } catch (const EnvironmentError&) {  // others are tried
          return nullptr;
        }
      }
    }
    return nullptr;
  }

  std::unique_ptr<GpuExecutable> Assembled(const SegmentSpec& spec, Format format) const {
    GpuAssembler assembler(spec, context_, format);
    assembler.ForEachGroup(FuseLayers(*spec.model, spec.layers), [&](const FusedGroup& group) {
      try {
        EmitGroup(assembler, group);
      } catch (const EnvironmentError& error) {
        throw EnvironmentError(spec.model->name() + ": " + spec.model->layer(group[0]).name + ": " +
                               error.what());
      }
    });
    return std::make_unique<GpuExecutable>(assembler.Finish());
  }

  // With channels first and channels last, whichever was faster when they were tried in turn.
  std::unique_ptr<Executable> Faster(const SegmentSpec& spec) const {
    auto first = Assembled(spec, Format::kNchw);
    first->ChooseStart(Graph());
    std::unique_ptr<GpuExecutable> last;
    std::vector<GpuRunTimes> times;
    try {
      last = Assembled(spec, Format::kNhwc);
      last->ChooseStart(Graph());
      times = GpuExecutable::InTurn({first.get(), last.get()});
    } catch (const std::bad_alloc&) {  // there is no room for both at once: the one that is there stays
      return Only(std::move(first), "nhwc not tried for want of memory");
    } catch (const EnvironmentError& error) {
      return Only(std::move(first), std::string("nhwc does not work: ") + error.what());
    }
    const bool swap = times[1].done < times[0].done;
    if (swap) std::swap(first, last);
    first->NoteProblemsOf(*last);
    first->AddNote(first->StartNote());
    first->AddNote("against the other in turn: " + GpuExecutable::TimesText(times[swap ? 1 : 0]));
    first->AddNote("rejected: " + last->StartNote() + ", " + GpuExecutable::TimesText(times[swap ? 0 : 1]));
    return first;
  }

  static std::unique_ptr<Executable> Only(std::unique_ptr<GpuExecutable> one, const std::string& why) {
    one->AddNote(one->StartNote());
    one->AddNote(why);
    return one;
  }

  std::shared_ptr<GpuContext> context_;
};

class GpuCopier final : public Copier {
 public:
  explicit GpuCopier(Card& card) : stream_(card.MakeStream(kCopierUrgency)) {}
  void Copy(float* to, const float* from, const TensorBlock& block) override {
    CopyBlock(*stream_, to, from, block);
  }

 private:
  std::unique_ptr<CardStream> stream_;
};

}  // namespace

std::unique_ptr<Processor> OpenGpu(Card& card, const std::string& unit, const Variant& variant,
                                   const GpuOptions& options) {
  Element element = Element::kFloat;
  Math math = Math::kExact;
  if (variant.precision == "tf32") {
    math = Math::kTf32;
  } else if (variant.precision == "fp16") {
    element = Element::kHalf;
    math = Math::kHalf;
  } else if (variant.precision != "fp32") {
    throw InputError(unit + ": the backend cuda does not compute in " + variant.precision +
                     "; take fp32, tf32 or fp16");
  }
  return std::make_unique<GpuProcessor>(std::make_shared<GpuContext>(card, unit, element, math, options));
}

std::unique_ptr<Processor> OpenGpuUnit(Card& card, const OpenRequest& request, GpuOptions options) {
  const Unit& unit = request.platform->unit(request.unit);
  if (MeetsInHostMemory(unit)) options.tensors = Space::kPinned;
  if (unit.slots > 1 && !unit.time_shared) {
    options.parts = static_cast<int>(unit.slots);
    options.part = static_cast<int>(request.slot);
  }
  if (request.trials) {
    options.trials = *request.trials;
    options.go_on = true;
  }
  return OpenGpu(card, "unit \"" + unit.name + "\"", request.variant, options);
}

std::unique_ptr<Copier> OpenGpuCopier(Card& card) { return std::make_unique<GpuCopier>(card); }

}  // namespace tandem::gpu
