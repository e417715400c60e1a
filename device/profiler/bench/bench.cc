#include "device/profiler/bench/bench.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "device/host/own_memory.h"
#include "device/processor/kernel_entries.h"
#include "device/processor/part_executable.h"
#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/model/model_source.h"

namespace tandem {
namespace {

constexpr std::int64_t kBesideModels = 200'000'000;
constexpr std::int64_t kBesideLibraries = 130'000'000;

std::vector<std::vector<LayerId>> PartsOf(const Model& model, ProfileCut cut, const Processor& processor) {
  if (cut == ProfileCut::kGroups) return processor.Groups(model);
  std::vector<std::vector<LayerId>> parts(cut == ProfileCut::kWhole ? 1 : 0);
  for (const LayerId id : WorkingLayers(model)) {
    if (cut == ProfileCut::kLayers) parts.emplace_back();
    parts.back().push_back(id);
  }
  return parts;
}

struct TensorBytes {
  std::int64_t all = 0, largest = 0;
};
TensorBytes TensorBytesOf(const Model& model) {
  TensorBytes tensors;
  for (const Layer& layer : model.layers()) {
    const std::int64_t bytes = Elements(layer.output) * static_cast<std::int64_t>(sizeof(float));
    tensors.all += bytes;
    tensors.largest = std::max(tensors.largest, bytes);
  }
  return tensors;
}

}  // namespace

ProfilerBench::ProfilerBench(const ProfileOrder& request, const FindBackend& backend_of,
                             ProfilerSamples& samples, MakeYardstick yardstick_of, ClockLimits limits,
                             std::optional<Nanos> trials)
    : request_(&request),
      samples_(&samples),
      yardstick_of_(std::move(yardstick_of)),
      limits_(std::move(limits)),
      trials_(trials),
      store_(request.seed),
      loaded_(request.models.size()) {
  const Platform& platform = request.platform;
  for (const std::string& name : request.units) {
    if (platform.FindUnit(name).valid()) continue;
    throw InputError("unknown unit " + Quoted(name) + Suggestion(name, platform.UnitNames()));
  }
  for (std::size_t u = 0; u < platform.units.size(); ++u) {
    const std::string& name = platform.units[u].name;
    const bool asked = std::find(request.units.begin(), request.units.end(), name) != request.units.end();
    if (!request.units.empty() && !asked) continue;
    if (!asked && platform.units[u].backend == nullptr) {
      samples.notes.push_back("unit " + Quoted(name) + " names no backend and was not measured");
      continue;
    }
    OpenAll(UnitId(u), backend_of);
  }
  if (units_.empty()) {
    throw InputError("platform " + Quoted(platform.name) +
                     ": none of its units can be measured here; a unit names its \"backend\" for that");
  }
  LoadGraphs();
}

void ProfilerBench::LoadGraphs() {
  ImportOptions graph_alone;
  graph_alone.want_weights = false;
  for (const ProfiledModel& wish : request_->models) {
    Model graph = LoadModel(wish.model, {}, graph_alone).model;
    largest_ = std::max(largest_, graph.BytesOfWeights());
    if (graph.batch() != wish.batch) graph = graph.WithBatch(wish.batch);
    graphs_.push_back(std::make_shared<const Model>(std::move(graph)));
  }
  // Libraries of cards take more for themselves before there is any model.
  most_bytes_ = 2 * largest_ + std::max(kBesideModels, ResidentBytes() + kBesideLibraries);
}

std::int64_t ProfilerBench::ExpectedBytes() const {
  if (request_->co_running == CoRunningWish::kNone) return most_bytes_;
  std::size_t others = request_->co_running == CoRunningWish::kPairs ? 1 : 0;
  for (std::size_t u = 0; u < units(); ++u) {
    for (const std::vector<std::size_t>& beside : AllBeside(u)) {
      if (beside.size() >= 2) others = std::max(others, beside.size());
    }
  }
  return most_bytes_ + static_cast<std::int64_t>(others) * largest_;
}

ProfilerBench::~ProfilerBench() {
  for (OpenUnit& unit : units_) {
    unit.thread->Do([&](Processor&) {
      unit.chains.clear();
      unit.yardstick = nullptr;
    });
  }
}

void ProfilerBench::OpenAll(UnitId id, const FindBackend& backend_of) {
  const Unit& unit = request_->platform.unit(id);
  const DeviceBackend& backend = backend_of(unit, "platform " + Quoted(request_->platform.name));
  if (!backend.about().Measurable()) {
    samples_->notes.push_back("unit " + Quoted(unit.name) + " is " + std::string(backend.name()) +
                              ": it computes nothing and was not measured");
    return;
  }
  const auto asked = request_->variants.find(unit.name);
  if (asked == request_->variants.end()) return Open(id, backend, {});
  const std::vector<std::string_view>& known = backend.about().precisions;
  for (const std::string& precision : asked->second) {
    if (std::find(known.begin(), known.end(), precision) == known.end()) {
      throw InputError("variants: unit " + Quoted(unit.name) + " does not run in " + precision +
                       ": the backend " + Quoted(backend.name()) + " has " + Joined(known));
    }
    Open(id, backend, {"", precision});
  }
}

void ProfilerBench::Open(UnitId id, const DeviceBackend& backend, Variant variant) {
  OpenUnit opened;
  opened.id = id;
  opened.backend = &backend;
  opened.unit = &request_->platform.unit(id);
  opened.variant = std::move(variant);
  opened.thread = std::make_unique<UnitThread>(backend, RequestFor(id, opened.variant));
  opened.thread->Do([&](Processor& processor) {
    const TensorMemory& memory = MemoryInPlans(processor, *opened.unit);
    opened.own_memory = &memory != &HostMemory();
    opened.maps = &processor.host_memory() != &HostMemory() && &processor.host_memory() != &memory;
    opened.most_trials = processor.MostTrials();
    opened.yardstick = yardstick_of_(*opened.unit, processor, samples_->yardstick_rows[opened.unit->name]);
  });
  units_.push_back(std::move(opened));
}

OpenRequest ProfilerBench::RequestFor(UnitId id, const Variant& variant) const {
  OpenRequest open;
  open.platform = &request_->platform;
  open.unit = id;
  open.variant = variant;
  open.trials = trials_;
  return open;
}

std::unique_ptr<UnitThread> ProfilerBench::AnotherThread(std::size_t unit, std::int64_t slot) const {
  const OpenUnit& of = units_[unit];
  OpenRequest request = RequestFor(of.id, of.variant);
  request.slot = slot;
  return std::make_unique<UnitThread>(*of.backend, std::move(request));
}

std::string ProfilerBench::Label(std::size_t unit) const {
  return LabelOf(units_[unit].unit->name, units_[unit].variant.precision);
}

bool ProfilerBench::IsFirstVariant(std::size_t unit) const {
  return unit == 0 || units_[unit - 1].id != units_[unit].id;
}

CacheSweep& ProfilerBench::sweep(std::size_t unit) {
  auto& sweep = units_[unit].sweep;
  const CacheSweep* other = nullptr;
  for (const OpenUnit& open : units_) {
    if (open.sweep) other = open.sweep.get();
  }
  if (!sweep) sweep = std::make_unique<CacheSweep>(units_[unit].unit->cores, other);
  return *sweep;
}

TimedBy ProfilerBench::OwnTimeOf(std::size_t unit) const {
  const Unit& of = *units_[unit].unit;
  const bool one_core = of.cores.size() == 1 && of.backend != nullptr && of.backend->OwnsCores();
  return one_core ? TimedBy::kOwn : TimedBy::kWall;
}

// The weights of one model are there at a time, beside those that chains hold.
const ModelStore::Entry& ProfilerBench::Entry(std::size_t model) {
  if (!HasWeightsOf(model)) ForgetWeights();
  loaded_ = model;
  return store_.Get(wish(model).model, wish(model).batch);
}

std::vector<std::size_t> ProfilerBench::FirstOfEachModel() const {
  std::vector<std::size_t> models;
  for (std::size_t model = 0; model < request_->models.size(); ++model) {
    const auto same = [&](std::size_t other) { return wish(other).model == wish(model).model; };
    if (std::none_of(models.begin(), models.end(), same)) models.push_back(model);
  }
  return models;
}

ProfiledChain* ProfilerBench::Chain(std::size_t unit, std::size_t model, ProfileCut cut) {
  OpenUnit& on = units_[unit];
  const auto [place, fresh] = on.chains.try_emplace({unit, model, cut});
  if (fresh) {
    place->second = Compile(*units_[unit].thread, unit, model, cut);
    bytes_of_[place->first] = place->second ? place->second->Bytes() : 0;
    if (ResidentBytes() > most_bytes_) {
      ForgetWeights();
      GiveUnusedBack();
    }
  }
  return place->second.get();
}

bool ProfilerBench::HasWeightsOf(std::size_t model) const {
  return loaded_ < request_->models.size() && wish(loaded_).model == wish(model).model;
}

void ProfilerBench::ForgetWeights() {
  store_ = ModelStore(request_->seed);
  loaded_ = request_->models.size();
}

std::unique_ptr<ProfiledChain> ProfilerBench::Compile(UnitThread& thread, std::size_t unit, std::size_t model,
                                                      ProfileCut cut) {
  const ModelStore::Entry& entry = Entry(model);
  std::unique_ptr<ProfiledChain> chain;
  try {
    thread.Do([&](Processor& processor) {
      const auto parts = PartsOf(*entry.model, cut, processor);
      if (cut != ProfileCut::kWhole && parts.size() == 1) return;
      const auto compile = [&](const SegmentSpec& segment) { return Compiled(unit, processor, segment); };
      chain = std::make_unique<ProfiledChain>(processor, MemoryOf(unit, processor), entry, wish(model).model,
                                              parts, request_->seed, compile);
    });
  } catch (const EnvironmentError& error) {
    samples_->notes.push_back(
        "unit " + Quoted(Label(unit)) + " cannot run " + TextOf(wish(model)) +
        (cut == ProfileCut::kWhole ? "" : " in " + std::string(NameOf(kProfileCutNames, cut))) + ": " +
        error.what());
  }
  return chain;
}

std::unique_ptr<Executable> ProfilerBench::Compiled(std::size_t unit, Processor& processor,
                                                    SegmentSpec segment,
                                                    const std::optional<LayerPart>& part) {
  const KernelEntry of = KernelsOf(segment, units_[unit].unit->name, units_[unit].variant, processor);
  segment = WithKept(std::move(segment), of, part, samples_->kernels);
  auto made = part ? CompilePart(processor, segment, *part) : processor.Compile(segment);
  KeepKernels(of, part, made->Kernels(), samples_->kernels);
  if (!part && segment.WholeModel()) NoteUnfinished(unit, segment, made->Kernels());
  return made;
}

std::string ProfilerBench::TrialsText(std::size_t unit) const {
  const std::optional<Nanos>& most = units_[unit].most_trials;
  if (!most) return {};
  return "unit " + Quoted(Label(unit)) + ": kernels are chosen by trials of at most " +
         Short(InSeconds(*most)) + " s a model; --trials sets it";
}

// Said once of a model, however often it is made ready.
void ProfilerBench::NoteUnfinished(std::size_t unit, const SegmentSpec& segment,
                                   const ChosenKernels& kernels) {
  const std::int64_t left = CountUnfinished(kernels.choices);
  if (left == 0) return;
  const std::string note = "unit " + Quoted(Label(unit)) + ": for " + std::to_string(left) + " of " +
                           std::to_string(kernels.choices.size()) + " choices of " + segment.model_name +
                           " not every way was tried for lack of time; --trials gives more, and goes on "
                           "with what is kept";
  std::vector<std::string>& notes = samples_->notes;
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

// What the weights of a chain take, packed, and the tensors between its parts. Before it was there once it is
// an estimate: kernels may want weights that are larger.
std::int64_t ProfilerBench::BytesOf(const ChainAt& chain) const {
  if (const auto known = bytes_of_.find(chain); known != bytes_of_.end()) return known->second;
  const Model& model = *graphs_[chain.model];
  const TensorBytes tensors = TensorBytesOf(model);
  return model.BytesOfWeights() + (chain.cut == ProfileCut::kWhole ? 3 * tensors.largest : tensors.all);
}

std::int64_t ProfilerBench::BytesOfRequests(std::size_t model) const {
  return static_cast<std::int64_t>(ProfiledChain::kRequests - 1) * TensorBytesOf(*graphs_[model]).all;
}

bool ProfilerBench::HasRoom(const std::vector<ChainAt>& wanted, std::int64_t beside) const {
  std::int64_t more = beside;
  for (const ChainAt& chain : wanted) {
    if (!units_[chain.unit].chains.contains(chain)) more += BytesOf(chain);
  }
  if (more > 0 && !HasWeightsOf(wanted.front().model))
    more += graphs_[wanted.front().model]->BytesOfWeights();
  return more == 0 || ResidentBytes() + more <= most_bytes_;
}

void ProfilerBench::MakeRoom(const std::vector<ChainAt>& wanted, std::int64_t beside) {
  if (wanted.empty() || !HasRoom(wanted, beside)) DropAllBut(wanted);
}

void ProfilerBench::DropAllBut(const std::vector<ChainAt>& wanted) {
  for (OpenUnit& unit : units_) {
    unit.sweep.reset();
    unit.thread->Do([&](Processor&) {
      std::erase_if(unit.chains, [&](const auto& chain) {
        return std::find(wanted.begin(), wanted.end(), chain.first) == wanted.end();
      });
    });
  }
  if (wanted.empty() || !HasWeightsOf(wanted.front().model)) ForgetWeights();
  GiveUnusedBack();
}

bool ProfilerBench::BesideEachOther(std::size_t a, std::size_t b) const {
  return unit(a).memory == unit(b).memory && AtOnce(a, b);
}

bool ProfilerBench::AtOnce(std::size_t a, std::size_t b) const {
  const Unit& one = unit(a);
  const Unit& other = unit(b);
  if (a == b || !IsFirstVariant(a) || !IsFirstVariant(b)) return false;
  if (one.device && one.device == other.device) return false;
  return std::none_of(one.cores.begin(), one.cores.end(), [&](std::int64_t core) {
    return std::find(other.cores.begin(), other.cores.end(), core) != other.cores.end();
  });
}

std::vector<std::vector<std::size_t>> ProfilerBench::AllBeside(std::size_t unit) const {
  constexpr std::size_t kFew = 12;  // of more the sets are not counted out: one is taken
  std::vector<std::size_t> others;
  for (std::size_t other = 0; other < units(); ++other) {
    if (BesideEachOther(unit, other)) others.push_back(other);
  }
  std::vector<std::vector<std::size_t>> sets;
  const auto fits = [&](const std::vector<std::size_t>& set, std::size_t one) {
    return std::all_of(set.begin(), set.end(), [&](std::size_t of) { return BesideEachOther(of, one); });
  };
  const std::function<void(const std::vector<std::size_t>&, std::size_t)> grow =
      [&](const std::vector<std::size_t>& set, std::size_t from) {
        const auto more = [&](std::size_t one) { return fits(set, one); };
        if (std::none_of(others.begin(), others.end(), more)) return sets.push_back(set);
        for (std::size_t i = from; i < others.size(); ++i) {
          if (!more(others[i])) continue;
          std::vector<std::size_t> larger = set;
          larger.push_back(others[i]);
          grow(larger, i + 1);
          if (others.size() > kFew) return;
        }
      };
  if (!others.empty()) grow({}, 0);
  return sets;
}

}  // namespace tandem
