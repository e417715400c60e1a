#include "device/harness/units.h"

#include <algorithm>
#include <new>
#include <set>

#include "device/harness/output_check.h"
#include "policies/engine/batches.h"
#include "profiles/base/check.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr int kWarmUps = 2;  // until a segment has its memory and its pages; later one warms the caches

// Tensors for a segment in the memory that the unit works on; the processor fills what the host cannot.
struct SegmentData {
  std::vector<Buffer> inputs, outputs;
  std::vector<const float*> read;
  std::vector<float*> written;
};

TensorBlock AllOf(const Buffer& buffer) { return {1, buffer.size(), buffer.size(), 0}; }

SegmentData DataFor(const SegmentSpec& spec, TensorMemory& memory) {
  SegmentData data;
  for (const LayerId id : spec.inputs) {
    data.inputs.push_back(BufferFor(*spec.model, id, memory));
    data.read.push_back(data.inputs.back().data());
  }
  for (const LayerId id : spec.outputs) {
    data.outputs.push_back(BufferFor(*spec.model, id, memory));
    data.written.push_back(data.outputs.back().data());
  }
  return data;
}

void WarmUp(const SegmentSpec& spec, ReadySegment& segment, TensorMemory& memory, Processor& processor) {
  if (!segment.computes || segment.function) return;  // it would only take its time, or count as a request
  SegmentData data = DataFor(spec, memory);
  for (Buffer& input : data.inputs) {
    Buffer values(input.size());
    // Like real activations, neither zeros nor denormal.
    for (std::size_t i = 0; i < values.size(); ++i) values.values()[i] = static_cast<float>(i % 17) / 16;
    processor.Copy(input.data(), values.data(), AllOf(values));
  }
  for (int i = segment.warm ? 1 : kWarmUps; i > 0; --i) segment.executable->Run(data.read, data.written);
  segment.warm = true;
}

std::string Describe(const SegmentSpec& spec) {
  if (spec.WholeModel()) return "model \"" + spec.model_name + "\"";
  return "model \"" + spec.model_name + "\", layer \"" + spec.model->layer(spec.layers.front()).name +
         (spec.layers.size() > 1 ? "\" and those with it" : "\"");
}

}  // namespace

std::vector<int> UrgencyOfStreams(const Scenario& scenario) {
  std::set<std::int64_t, std::greater<>> priorities;
  for (const Stream& stream : scenario.streams) priorities.insert(stream.priority);
  std::vector<int> urgency;
  for (const Stream& stream : scenario.streams) {
    const auto before = std::distance(priorities.begin(), priorities.find(stream.priority));
    urgency.push_back(static_cast<int>(before));
  }
  return urgency;
}

HarnessUnits::HarnessUnits(const Scenario& scenario, ModelStore& store, std::uint64_t seed,
                           FindBackend backend_of)
    : scenario_(&scenario),
      store_(&store),
      seed_(seed),
      backend_of_(std::move(backend_of)),
      kernels_(scenario) {
  for (const ScenarioModel& model : scenario.models) model_names_.push_back(model.key);
  for (std::size_t u = 0; u < scenario.platform->units.size(); ++u) {
    for (std::int64_t s = 0; s < scenario.platform->units[u].slots; ++s) {
      slots_.emplace_back();
      slots_.back().unit = UnitId(u);
    }
  }
  for (const Link& link : scenario.platform->links) {
    if (!link.engine) continue;
    engines_.push_back(std::make_unique<Engine>());
    engines_.back()->link = &link;
  }
}

HarnessUnits::HarnessUnits(const Problem& problem, ModelStore& store, std::uint64_t seed,
                           FindBackend backend_of, std::vector<StageFunction> functions)
    : HarnessUnits(problem.scenario(), store, seed, std::move(backend_of)) {
  functions_ = std::move(functions);
  Prepare(problem);
}

HarnessUnits::~HarnessUnits() {
  for (Slot& slot : slots_) {
    if (!slot.thread) continue;
    slot.thread->Do([&](Processor&) {
      slot.ready.clear();
      slot.copiers.opened.clear();
    });
  }
  for (const auto& engine : engines_) {
    engine->thread.Do([&] { engine->copiers.opened.clear(); });
  }
}

const StageFunction* HarnessUnits::FunctionOf(SegmentId segment, UnitId unit) const {
  if (functions_.empty() || !functions_[segment.index()]) return nullptr;
  return scenario_->platform->unit(unit).On(RunsOn::kNothing) ? nullptr : &functions_[segment.index()];
}

HarnessUnits::SegmentKey HarnessUnits::KeyOf(SegmentId segment, std::int64_t together) const {
  const Segment& of = problem_->segment(segment);
  const Cut& cut = problem_->cut(of.cut);
  return {cut.model, cut.batch * together, of.layers, of.part};
}

// Streams of one model may have rules of their own: the longest list of them.
std::vector<Nanos> HarnessUnits::TimesTogether(SegmentId segment, UnitId unit) const {
  std::vector<Nanos> longest;
  const Scenario& scenario = problem_->scenario();
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    const Stream& stream = scenario.streams[s];
    if (!stream.batching || problem_->cut_of(StreamId(s)) != problem_->segment(segment).cut) continue;
    std::vector<Nanos> times = TimesOfBatches(scenario, stream, unit).plain;
    if (times.size() > longest.size()) longest = std::move(times);
  }
  return longest;
}

const SegmentSpec& HarnessUnits::SpecOf(SegmentKey key) {
  key.part.reset();
  const auto found = specs_.find(key);
  if (found != specs_.end()) return found->second;
  const ScenarioModel& model = scenario_->model(key.model);
  const ModelStore::Entry& entry = store_->Get(model.key, key.batch);
  TANDEM_CHECK(entry.model->size() == model.model->size(), "a model has its layers at every batch");
  SegmentSpec spec = key.layers.empty() ? WholeSegment(entry.model, entry.weights, model.key)
                                        : SegmentOf(entry.model, entry.weights, model.key, key.layers);
  return specs_.emplace(std::move(key), std::move(spec)).first->second;
}

// They lie where models' inputs start.
void HarnessUnits::MakeInputs() {
  TensorMemory& memory = *memories_.front().memory;
  if (inputs_memory_ != &memory) inputs_.clear();
  inputs_memory_ = &memory;
  inputs_of_cut_.clear();
  for (const Cut& cut : problem_->cuts()) {
    InputSets& sets = inputs_[{cut.model, cut.batch}];
    const Model& model = *spec_of_segment_[cut.first.index()]->model;
    while (sets.size() < kInputSets) sets.push_back(RandomInputs(model, seed_ + sets.size(), memory));
    inputs_of_cut_.emplace_back(sets);
  }
}

void HarnessUnits::Prepare(const Problem& problem) {
  problem_ = &problem;
  spec_of_segment_.clear();
  times_together_.assign(problem.segments().size(), {});
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    spec_of_segment_.push_back(&SpecOf(KeyOf(SegmentId(s))));
    for (std::size_t u = 0; u < problem.units(); ++u) {
      times_together_[s].push_back(TimesTogether(SegmentId(s), UnitId(u)));
      for (std::int64_t more = Together(SegmentId(s), UnitId(u)); more > 1; --more) {
        SpecOf(KeyOf(SegmentId(s), more));  // in a run they are only looked for
      }
    }
  }
  OpenUnits();
  MakeInputs();
  // One after the other: what measures to choose its algorithms is not to be disturbed.
  for (Slot& slot : slots_) {
    if (!Uses(slot.unit)) continue;
    slot.thread->Do([&](Processor& processor) { PrepareSlot(slot, processor); });
  }
}

// What goes wrong while `make` makes the segment ready, with the place where it did.
template <class Make>
void HarnessUnits::Explained(const Slot& slot, const SegmentSpec& spec, const Make& make) const {
  const std::string where =
      "unit \"" + scenario_->platform->unit(slot.unit).name + "\", " + Describe(spec) + ": ";
  try {
    make();
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(where + error.what());
  } catch (const std::bad_alloc&) {
    throw EnvironmentError(where + "memory ran out while it was made ready");
  }
}

void HarnessUnits::PrepareSlot(Slot& slot, Processor& processor) {
  slot.by_segment.clear();
  for (std::size_t s = 0; s < problem_->segments().size(); ++s) {
    slot.by_segment.emplace_back(Together(SegmentId(s), slot.unit), nullptr);
  }
  TensorMemory& memory = *memories_[scenario_->platform->unit(slot.unit).memory.index()].memory;
  if (problem_->LoadsModels(slot.unit)) {
    std::erase_if(slot.ready,
                  [&](const auto& ready) { return !problem_->Resident(ready.first.model, slot.unit); });
  }
  for (std::size_t s = 0; s < problem_->segments().size(); ++s) {
    const SegmentId id(s);
    if (!problem_->Runs(id, slot.unit) || !problem_->Resident(problem_->model_of(id), slot.unit)) continue;
    for (std::int64_t together = 1; together <= Together(id, slot.unit); ++together) {
      slot.by_segment[s][static_cast<std::size_t>(together - 1)] = &Compile(slot, id, together, processor);
    }
  }
  for (std::size_t s = 0; s < slot.by_segment.size(); ++s) {
    for (std::size_t more = 0; more < slot.by_segment[s].size(); ++more) {
      ReadySegment* const ready = slot.by_segment[s][more];
      if (!ready) continue;
      const SegmentSpec& spec = SpecOf(KeyOf(SegmentId(s), static_cast<std::int64_t>(more) + 1));
      Explained(slot, spec, [&] { WarmUp(spec, *ready, memory, processor); });
    }
  }
}

ReadySegment& HarnessUnits::Compile(Slot& slot, SegmentId segment, std::int64_t together,
                                    Processor& processor) {
  const SegmentKey key = KeyOf(segment, together);
  const auto made = slot.ready.try_emplace(key);
  ReadySegment& ready = made.first->second;
  if (!made.second) return ready;
  if ((ready.function = FunctionOf(segment, slot.unit))) return ready;
  const SegmentSpec& spec = SpecOf(key);
  Explained(slot, spec, [&] {
    try {
      const std::vector<Nanos>& times = times_together_[segment.index()][slot.unit.index()];
      const Nanos takes =
          problem_->Dispatch(slot.unit) +
          (together == 1 ? problem_->Time(segment, slot.unit) : times[static_cast<std::size_t>(together)]);
      ready.executable = kernels_.Compile(processor, spec, key.part, scenario_->platform->unit(slot.unit),
                                          VariantOf(slot.unit), takes);
    } catch (...) {
      slot.ready.erase(made.first);
      throw;
    }
  });
  ready.computes = ready.executable->Computes();
  return ready;
}

ReadySegment& HarnessUnits::ReadyOn(std::size_t place, SegmentId segment, std::int64_t together,
                                    Processor& processor) {
  Slot& slot = slots_[place];
  ReadySegment*& ready = slot.by_segment[segment.index()][static_cast<std::size_t>(together - 1)];
  if (!ready) ready = &Compile(slot, segment, together, processor);
  return *ready;
}

// What goes makes room first.
void HarnessUnits::Load(std::size_t place, ModelId model, const std::vector<char>& holds,
                        Processor& processor) {
  Slot& slot = slots_[place];
  for (std::size_t s = 0; s < slot.by_segment.size(); ++s) {
    const ModelId of = problem_->model_of(SegmentId(s));
    if (of == model || holds[of.index()] == 0)
      std::fill(slot.by_segment[s].begin(), slot.by_segment[s].end(), nullptr);
  }
  std::erase_if(slot.ready, [&](const auto& ready) {
    return ready.first.model == model || holds[ready.first.model.index()] == 0;
  });
  for (std::size_t s = 0; s < slot.by_segment.size(); ++s) {
    const SegmentId id(s);
    if (problem_->model_of(id) != model || !problem_->Runs(id, slot.unit)) continue;
    for (std::int64_t together = 1; together <= Together(id, slot.unit); ++together) {
      ReadyOn(place, id, together, processor);
    }
  }
}

std::vector<std::vector<Buffer>> HarnessUnits::RunAlone(Executable& executable, const SegmentSpec& spec,
                                                        const InputSets& inputs, TensorMemory& memory,
                                                        Processor& processor) {
  std::vector<std::vector<Buffer>> outputs;
  if (!executable.Computes()) return outputs;
  const std::vector<LayerId> input_layers = spec.model->Inputs();
  SegmentData data = DataFor(spec, memory);
  for (const std::vector<Buffer>& set : inputs) {
    for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
      const auto at = std::find(input_layers.begin(), input_layers.end(), spec.inputs[i]);
      const Buffer& input = set[static_cast<std::size_t>(at - input_layers.begin())];
      processor.Copy(data.inputs[i].data(), input.data(), AllOf(input));
    }
    executable.Run(data.read, data.written);
    if (!executable.OutputHash().empty()) return {};
    std::vector<Buffer>& made = outputs.emplace_back();
    for (const Buffer& output : data.outputs) {
      made.emplace_back(output.size());
      processor.Copy(made.back().data(), output.data(), AllOf(output));
    }
  }
  return outputs;
}

// Those of one precision in the platform's order.
std::vector<HarnessUnits::Slot*> HarnessUnits::SlotsByPrecision() {
  std::vector<Slot*> slots;
  for (Slot& slot : slots_) {
    if (slot.thread) slots.push_back(&slot);
  }
  const auto error = [&](const Slot* slot) { return MostOutputError(VariantOf(slot->unit).precision); };
  std::stable_sort(slots.begin(), slots.end(),
                   [&](const Slot* a, const Slot* b) { return error(a) < error(b); });
  return slots;
}

// Whole numbers are not held against the kernels that gave them: the same cores run the model in fp32, opened
// for that alone. Nothing where they cannot.
std::vector<std::vector<Buffer>> HarnessUnits::RunInFloat(const Slot& slot, const SegmentSpec& spec,
                                                          const InputSets& inputs) const {
  const Unit& unit = scenario_->platform->unit(slot.unit);
  std::vector<std::vector<Buffer>> outputs;
  if (VariantOf(slot.unit).precision != "int8" || !unit.backend || !unit.backend->OwnsCores()) return outputs;
  OpenRequest request = RequestFor(slot.unit);
  request.variant = Variant{};
  try {
    UnitThread thread(backend_of_(unit, scenario_->file), std::move(request));
    thread.Do([&](Processor& processor) {
      const SegmentSpec with = kernels_.With(processor, spec, {}, unit, Variant{});
      outputs = RunAlone(*processor.Compile(with), spec, inputs, MemoryInPlans(processor, unit), processor);
    });
  } catch (const EnvironmentError&) {
    outputs.clear();
  }
  return outputs;
}

const WholeRun& HarnessUnits::RunWhole(CutId id) {
  const Cut& cut = problem_->cut(id);
  const auto [found, is_new] = whole_runs_.try_emplace({cut.model, cut.batch});
  WholeRun& run = found->second;
  if (!is_new) return run;
  const SegmentKey key{cut.model, cut.batch, {}, {}};
  const SegmentSpec& spec = SpecOf(key);
  for (Slot* slot : SlotsByPrecision()) {
    if (!run.outputs.empty()) break;
    run.unit = slot->unit;
    run.outputs = RunInFloat(*slot, spec, inputs_.at({cut.model, cut.batch}));
    if (!run.outputs.empty()) break;
    slot->thread->Do([&](Processor& processor) {
      const InputSets& inputs = inputs_.at({cut.model, cut.batch});
      const Unit& unit = scenario_->platform->unit(slot->unit);
      TensorMemory& memory = MemoryInPlans(processor, unit);
      const auto ready = slot->ready.find(key);
      if (ready != slot->ready.end()) {
        run.outputs = RunAlone(*ready->second.executable, spec, inputs, memory, processor);
        return;
      }
      try {
        const SegmentSpec with = kernels_.With(processor, spec, {}, unit, VariantOf(slot->unit));
        run.outputs = RunAlone(*processor.Compile(with), spec, inputs, memory, processor);
      } catch (const EnvironmentError&) {
        // Not all of it runs there: another unit may do.
      }
    });
  }
  return run;
}

}  // namespace tandem
