#include "device/study/infer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "device/host/clock.h"
#include "device/host/taken_time.h"
#include "device/processor/kernel_entries.h"
#include "device/processor/kernel_store.h"
#include "device/processor/model_store.h"
#include "device/threads/unit_thread.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/sha256.h"

namespace tandem {
namespace {

static_assert(std::endian::native == std::endian::little, "raw files hold numbers as they lie in memory");

constexpr Nanos kWarmUp{200'000'000};

// `"data" 1x3x224x224`, of all inputs.
std::string InputsText(const Model& model) {
  std::string text;
  for (const LayerId id : model.Inputs()) {
    const Layer& layer = model.layer(id);
    text += (text.empty() ? "\"" : ", \"") + layer.name + "\" " + ShapeText(layer.output);
  }
  return text;
}

std::vector<Buffer> ReadInputs(const Model& model, const std::filesystem::path& path) {
  std::vector<Buffer> inputs;
  std::size_t expected = 0;
  for (const LayerId id : model.Inputs()) {
    inputs.push_back(BufferFor(model, id));
    expected += inputs.back().size() * sizeof(float);
  }
  const std::string bytes = ReadTextFile(path, std::max(expected, kLargestTextFile));
  if (bytes.size() != expected) {
    throw InputError(path.string() + ": holds " + std::to_string(bytes.size()) +
                     " bytes; the model's input (" + InputsText(model) + ", float32) takes " +
                     std::to_string(expected));
  }
  std::size_t at = 0;
  for (Buffer& input : inputs) {
    std::memcpy(input.data(), bytes.data() + at, input.size() * sizeof(float));
    at += input.size() * sizeof(float);
  }
  return inputs;
}

std::int64_t OutputBytes(const SegmentSpec& spec) {
  std::int64_t elements = 0;
  for (const LayerId id : spec.outputs) elements += Elements(spec.model->layer(id).output);
  return elements * static_cast<std::int64_t>(sizeof(float));
}

// One executable with what it reads and writes. It lives in a job of the unit's thread.
class Inference {
 public:
  Inference(Processor& processor, TensorMemory& memory, const SegmentSpec& spec,
            const std::vector<Buffer>& inputs, const std::function<bool()>& go_on)
      : processor_(&processor), go_on_(go_on), executable_(processor.Compile(spec)) {
    const std::vector<LayerId> of_model = spec.model->Inputs();
    for (const LayerId id : spec.inputs) {
      const auto position = std::find(of_model.begin(), of_model.end(), id) - of_model.begin();
      const Buffer& values = inputs[static_cast<std::size_t>(position)];
      inputs_.push_back(BufferFor(*spec.model, id, memory));
      processor.Copy(inputs_.back().data(), values.data(), AllOf(values));
      reads_.push_back(inputs_.back().data());
    }
    for (const LayerId id : spec.outputs) {
      outputs_.push_back(BufferFor(*spec.model, id, memory));
      writes_.push_back(outputs_.back().data());
      // What a kernel forgets to write shows.
      Buffer poison(outputs_.back().size());
      for (float& value : poison.values()) value = std::numeric_limits<float>::quiet_NaN();
      processor.Copy(outputs_.back().data(), poison.data(), AllOf(poison));
    }
  }

  Executable& executable() { return *executable_; }
  bool GivesOutputs() const { return executable_->Computes() && executable_->OutputHash().empty(); }

  bool stopped() const { return stopped_; }  // what was being done then is not complete
  const std::string& output_hash() const { return last_hash_; }
  bool hash_changed() const { return hash_changed_; }

  void WarmUp() {
    const Nanos begin = SteadyNow();
    do {
      executable_->Run(reads_, writes_);
    } while (GoesOn() && SteadyNow() - begin < kWarmUp);
  }

  Timing Time(std::int64_t repeat, double& core_share) {
    std::vector<Nanos> samples(static_cast<std::size_t>(repeat));
    const Nanos begin = SteadyNow(), busy = ThreadTimeNow();
    for (Nanos& sample : samples) {
      const Nanos start = SteadyNow();
      executable_->Run(reads_, writes_);
      sample = SteadyNow() - start;
      if (!GoesOn()) return {};
    }
    const Nanos end = SteadyNow();
    core_share =
        static_cast<double>((ThreadTimeNow() - busy).count()) / static_cast<double>((end - begin).count());
    return Timing::OfSamples(std::move(samples));
  }

  std::vector<InferStep> TimeSteps(const Model& model, std::int64_t repeat) {
    const std::vector<ExecutionStep> steps = executable_->Steps();
    std::vector<std::vector<Nanos>> samples(steps.size());
    std::vector<Nanos> ends(steps.size());
    for (std::int64_t run = 0; run < repeat; ++run) {
      Nanos before = SteadyNow();
      executable_->RunTimed(reads_, writes_, ends);
      for (std::size_t i = 0; i < steps.size(); ++i) {
        samples[i].push_back(ends[i] - before);
        before = ends[i];
      }
      if (!GoesOn()) return {};
    }
    std::vector<InferStep> timed;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      InferStep& step = timed.emplace_back();
      for (const LayerId id : steps[i].layers) step.layers.push_back(model.layer(id).name);
      step.how = steps[i].how;
      step.median = Timing::OfSamples(std::move(samples[i])).median;
    }
    return timed;
  }

  std::vector<float> Output() const {
    std::vector<float> all;
    for (const Buffer& output : outputs_) {
      Buffer values(output.size());
      processor_->Copy(values.data(), output.data(), AllOf(output));
      all.insert(all.end(), values.values().begin(), values.values().end());
    }
    return all;
  }

 private:
  static TensorBlock AllOf(const Buffer& buffer) { return {1, buffer.size(), buffer.size(), 0}; }

  // Behind each run, outside of what is timed.
  bool GoesOn() {
    std::string hash = executable_->OutputHash();
    hash_changed_ = hash_changed_ || (ran_ && hash != last_hash_);
    last_hash_ = std::move(hash);
    ran_ = true;
    stopped_ = go_on_ && !go_on_();
    return !stopped_;
  }

  Processor* processor_;
  const std::function<bool()>& go_on_;
  bool ran_ = false, hash_changed_ = false, stopped_ = false;
  std::string last_hash_;
  std::unique_ptr<Executable> executable_;
  std::vector<Buffer> inputs_, outputs_;  // where the processor works
  std::vector<const float*> reads_;
  std::vector<float*> writes_;
};

void RefusePrecision(const ChosenUnit& chosen, const std::string& precision) {
  const std::vector<std::string_view>& known = chosen.backend->about().precisions;
  if (std::find(known.begin(), known.end(), precision) != known.end()) return;
  throw InputError("--precision: unit \"" + chosen.unit().name + "\" computes in " + Joined(known) +
                   ", not in " + precision);
}

void RefuseFiles(const ChosenUnit& chosen, const InferRequest& request) {
  if (request.input.empty() && request.output.empty()) return;
  throw InputError((request.input.empty() ? "--output" : "--input") + std::string(": unit \"") +
                   chosen.unit().name + "\" takes no input from here and gives no output");
}

std::int64_t NotFinite(std::span<const float> values) {
  return std::count_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); });
}

void TakeOutput(const Inference& inference, const std::filesystem::path& path, InferResult& result) {
  const std::vector<float> output = inference.Output();
  result.not_finite = NotFinite(output);
  const auto bytes = std::as_bytes(std::span(output));
  result.output_sha256 = Sha256(bytes);
  if (path.empty()) return;
  WriteFile(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

InferResult Infer(const ChosenUnit& chosen, const InferRequest& request) {
  RefusePrecision(chosen, request.precision);
  std::optional<std::vector<KernelEntry>> kept;
  if (!request.kernels.empty()) kept = KernelsByModelKey(ReadProfileFile(request.kernels));
  KernelStore known(request.kernel_store);
  ModelStore store(request.seed);
  const ModelStore::Entry& entry = store.Get(request.model, request.batch, {}, request.weights);
  const Model& model = *entry.model;
  const std::vector<Buffer> inputs =
      request.input.empty() ? RandomInputs(model, request.seed) : ReadInputs(model, request.input);
  if (request.inputs_read) {
    request.inputs_read(OutputBytes(WholeSegment(entry.model, entry.weights, request.model)));
  }
  OpenRequest open;
  open.platform = &chosen.platform;
  open.unit = chosen.id;
  open.variant.precision = request.precision;
  open.trials = request.trials;
  InferResult result;
  result.model = request.model;
  result.unit = chosen.unit().name;
  result.backend = chosen.backend->name();
  result.precision = request.precision;
  result.batch = model.batch();
  result.random_weights = entry.random_weights;
  result.random_input = request.input.empty();
  result.seed = request.seed;
  for (const Buffer& input : inputs) result.input_not_finite += NotFinite(input.values());
  UnitThread unit(*chosen.backend, open);
  unit.Do([&](Processor& processor) {
    const Nanos begin = SteadyNow();
    const std::optional<MemoryRoom> before = processor.Room();
    TensorMemory& memory = MemoryInPlans(processor, chosen.unit());
    SegmentSpec spec = WholeSegment(entry.model, entry.weights, request.model);
    KernelEntry of = KernelsOf(spec, chosen.unit().name, open.variant, processor);
    of.model = ModelKey(of.model, {});  // the same wherever a command is started
    spec = WithKept(std::move(spec), of, {}, kept ? *kept : known.entries());
    Inference inference(processor, memory, spec, inputs, request.go_on);
    const ChosenKernels kernels = inference.executable().Kernels();
    result.told_kernels = kept || !request.kernel_store.empty();
    const bool nothing_to_choose = kernels.choices.empty() && !kernels.anew;
    if (!nothing_to_choose) result.kernels_taken = !spec.kernels.empty() && !kernels.anew;
    result.load = SteadyNow() - begin;
    result.trials = processor.MostTrials();
    result.choices = static_cast<std::int64_t>(kernels.choices.size());
    result.unfinished = CountUnfinished(kernels.choices);
    KeepKernels(of, {}, kernels, known.entries());
    inference.WarmUp();
    result.stopped = inference.stopped();
    if (result.stopped) return;
    if (!inference.GivesOutputs()) RefuseFiles(chosen, request);
    const HeatWatch heat({chosen.unit()}, request.clocks);
    result.time = inference.Time(request.repeat, result.core_share);
    if (request.steps && !inference.stopped()) result.steps = inference.TimeSteps(model, request.repeat);
    result.stopped = inference.stopped();
    if (result.stopped) return;
    result.warmth = heat.UntilNow();
    if (const auto after = processor.Room(); before && after) {
      result.memory = {inference.executable().Bytes(), TakenBetween(*before, *after)};
    }
    result.output_hash = inference.output_hash();
    result.output_hash_changed = inference.hash_changed();
    if (inference.GivesOutputs()) TakeOutput(inference, request.output, result);
  });
  known.Write(chosen.platform.name);
  return result;
}

}  // namespace tandem
