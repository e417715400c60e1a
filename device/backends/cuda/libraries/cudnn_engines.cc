#include "device/backends/cuda/libraries/cudnn_engines.h"

#include <algorithm>
#include <new>

#include "device/backends/cuda/libraries/cudnn_functions.h"
#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

constexpr std::int64_t kMostEngines = 8;  // of a problem; cuDNN lists the likely fastest first
constexpr std::size_t kProblemsKept = 4;
constexpr std::uintptr_t kEngineAlignment = 16;
#if CUDNN_MAJOR >= 9
constexpr cudnnBackendHeurMode_t kMode = CUDNN_HEUR_MODE_A;
#else  // the first ones have no other
constexpr cudnnBackendHeurMode_t kMode = CUDNN_HEUR_MODE_INSTANT;
#endif

std::vector<BackendDescriptor> Proposed(const ConvGraph& graph) {
  BackendDescriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristic.SetDescriptor(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph.graph());
  heuristic.Set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, kMode);
  heuristic.Finalize();
  const std::int64_t count = std::min(
      heuristic.Get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, nullptr), kMostEngines);
  std::vector<BackendDescriptor> configs;
  std::vector<cudnnBackendDescriptor_t> raw;
  for (std::int64_t i = 0; i < count; ++i) {
    configs.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    raw.push_back(configs.back().get());
  }
  if (count == 0) return configs;
  const std::int64_t given =
      heuristic.Get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, raw.data());
  while (static_cast<std::int64_t>(configs.size()) > given) configs.pop_back();
  return configs;
}

struct Engine {
  std::int64_t number = 0;
  std::vector<cudnnBackendNumericalNote_t> notes;
};

Engine EngineOf(const BackendDescriptor& config) {
  const BackendDescriptor raw(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t at = raw.get();
  config.Get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &at);
  Engine engine;
  raw.Get(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &engine.number);
  engine.notes.resize(CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  const std::int64_t count = raw.Get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                     CUDNN_NUMERICAL_NOTE_TYPE_COUNT, engine.notes.data());
  engine.notes.resize(static_cast<std::size_t>(
      std::clamp<std::int64_t>(count, 0, static_cast<std::int64_t>(CUDNN_NUMERICAL_NOTE_TYPE_COUNT))));
  return engine;
}

// Null where this engine will not do.
std::shared_ptr<const EnginePlan> MakePlan(cudnnHandle_t handle, const CardConv& problem,
                                           const std::shared_ptr<const ConvGraph>& graph,
                                           BackendDescriptor config, int place, std::size_t most_workspace) {
  try {
    const Engine engine = EngineOf(config);
    if (!KeepsTo(problem.math, engine.notes)) return nullptr;
    BackendDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan.Set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle);
    plan.SetDescriptor(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
    plan.Finalize();
    std::int64_t bytes = 0;
    plan.Get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &bytes);
    if (bytes < 0 || static_cast<std::size_t>(bytes) > most_workspace) return nullptr;
    ConvWay way{kFirstEngineWay + place, static_cast<std::size_t>(bytes),
                "engine " + std::to_string(engine.number)};
    return std::make_shared<const EnginePlan>(
        EnginePlan{graph, std::move(config), std::move(plan), std::move(way)});
  } catch (const EnvironmentError&) {
    return nullptr;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

bool KeepsTo(Math math, const std::vector<cudnnBackendNumericalNote_t>& notes) {
  return std::none_of(notes.begin(), notes.end(), [&](cudnnBackendNumericalNote_t note) {
    const bool rounds =
        note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE || note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS;
    return note == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC ||
           note == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION || (rounds && math == Math::kExact);
  });
}

std::vector<ConvWay> RecentPlans::WaysOf(cudnnHandle_t handle, const CardConv& problem,
                                         std::size_t most_workspace, std::size_t most) {
  std::vector<ConvWay> ways;
  const bool fuses = problem.bias || problem.added || problem.relu;
  if (CUDNN_MAJOR < 9 || (problem.transposed && fuses)) return ways;
  Entry entry{problem, {}};
  try {
    const auto graph = std::make_shared<const ConvGraph>(handle, problem);
    int place = 0;
    for (BackendDescriptor& config : Proposed(*graph)) {
      if (ways.size() == most) break;
      auto plan = MakePlan(handle, problem, graph, std::move(config), place++, most_workspace);
      if (!plan) continue;
      ways.push_back(plan->way);
      entry.plans.push_back(std::move(plan));
    }
  } catch (const EnvironmentError&) {  // then it has none for this
  }
  if (entries_.size() >= kProblemsKept) entries_.pop_front();
  entries_.push_back(std::move(entry));
  return ways;
}

std::shared_ptr<const EnginePlan> RecentPlans::PlanOf(cudnnHandle_t handle, const CardConv& problem,
                                                      const ConvWay& way) {
  for (const Entry& entry : entries_) {
    if (entry.problem != problem) continue;
    for (const auto& plan : entry.plans) {
      if (plan->way.algorithm == way.algorithm && plan.use_count() == 1) return plan;
    }
  }
  const auto graph = std::make_shared<const ConvGraph>(handle, problem);
  std::vector<BackendDescriptor> proposed = Proposed(*graph);
  const int place = way.algorithm - kFirstEngineWay;
  if (place >= 0 && static_cast<std::size_t>(place) < proposed.size()) {
    auto plan = MakePlan(handle, problem, graph, std::move(proposed[static_cast<std::size_t>(place)]), place,
                         way.workspace);
    if (plan && plan->way.name == way.name) return plan;
  }
  throw EnvironmentError("cuDNN's " + way.name + " cannot be had again for the same convolution");
}

void EngineConv::Run(cudnnHandle_t handle, const ConvArguments& arguments) const {
  const std::lock_guard<std::mutex> lock(packing_);
  Pack(arguments);
  CheckCudnn(Cudnn().BackendExecute(handle, plan_->plan.get(), pack_->get()),
             "convolution by cuDNN's " + plan_->way.name);
}

void EngineConv::Pack(const ConvArguments& arguments) const {
  const Addresses addresses = {arguments.x,
                               arguments.weight,
                               problem_.added ? arguments.added : nullptr,
                               problem_.bias ? arguments.bias : nullptr,
                               arguments.y,
                               arguments.workspace};
  if (pack_ && addresses == packed_) return;
  PackAnew(addresses);
  packed_ = addresses;
}

void EngineConv::PackAnew(const Addresses& addresses) const {
  std::vector<std::int64_t> ids;
  std::vector<void*> pointers;
  for (const GraphTensor tensor :
       {GraphTensor::kX, GraphTensor::kWeight, GraphTensor::kAdded, GraphTensor::kBias, GraphTensor::kY}) {
    const void* const at = addresses[static_cast<std::size_t>(tensor) - 1];
    if (at == nullptr) continue;
    if (reinterpret_cast<std::uintptr_t>(at) % kEngineAlignment != 0) {
      throw EnvironmentError("convolution by cuDNN's " + plan_->way.name +
                             ": a tensor does not lie on a multiple of 16 bytes");
    }
    ids.push_back(static_cast<std::int64_t>(tensor));
    pointers.push_back(const_cast<void*>(at));
  }
  auto pack = std::make_unique<BackendDescriptor>(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack->SetList(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, ids);
  pack->SetList(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, pointers);
  pack->Set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, addresses.back());
  pack->Finalize();
  pack_ = std::move(pack);
}

}  // namespace tandem::gpu
