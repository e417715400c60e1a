#include "device/harness/tensors.h"

#include <algorithm>

#include "device/processor/part_model.h"
#include "profiles/base/check.h"

namespace tandem {
namespace {

constexpr std::size_t kRequests = 64;  // that have memory for their state beforehand
constexpr std::size_t kLoose = 16;
constexpr std::size_t kBetween = 8;  // tensors of one request on ways over several links

}  // namespace

LiveTensors::LiveTensors(const Problem& problem, const HarnessUnits& units, const BufferCounts& counts)
    : problem_(&problem), memories_(problem.platform().memories.size()) {
  for (const Cut& cut : problem.cuts()) {
    most_tensors_ = std::max(most_tensors_, cut.tensors.size());
    Describe(units, cut);
  }
  // Of every size one more per unit: on the device things come in another order.
  const auto spare = static_cast<std::int64_t>(problem.units());
  for (const auto& [size, count] : counts) {
    pools_.Reserve(pools_.PoolOf(units.memory(size.first), size.first, size.second), count + spare);
  }
  if (counts.empty()) return;
  for (std::size_t i = 0; i < kRequests; ++i) requests_.push_back(MakeRequest());
  for (std::size_t i = 0; i < kLoose; ++i) loose_.push_back(MakeRequest());
}

void LiveTensors::Describe(const HarnessUnits& units, const Cut& cut) {
  OfCut& of = cuts_.emplace_back();
  const std::vector<WholeTensor> whole = WholeTensorsOf(cut);
  of.uses.resize(cut.tensors.size());
  for (std::size_t t = 0; t < cut.tensors.size(); ++t) {
    const CutTensor& tensor = cut.tensors[t];
    const auto elements = static_cast<std::size_t>(tensor.elements);
    CutTensorHere& here = of.tensors.emplace_back();
    here.whole = whole[t];
    here.block = {1, elements, elements, 0};
    if (tensor.producer.valid() && problem_->segment(tensor.producer).part) {
      const Model& model = *units.spec(tensor.producer).model;
      here.block = BlockOf(model.layer(tensor.layer).output, *problem_->segment(tensor.producer).part);
    }
    for (std::size_t m = 0; m < memories_; ++m) {
      here.pools.push_back(pools_.PoolOf(units.memory(MemoryId(m)), MemoryId(m), here.whole.elements));
    }
    of.uses[static_cast<std::size_t>(here.whole.first)] +=
        static_cast<std::int32_t>(tensor.consumers.size()) + (tensor.leaves ? 1 : 0);
  }
}

LiveTensors::Request LiveTensors::MakeRequest() const {
  Request request;
  request.at.reserve(most_tensors_ * memories_);
  request.here.reserve(most_tensors_ * memories_);
  request.uses_left.reserve(most_tensors_);
  request.between.reserve(memories_ > 2 ? kBetween : 0);
  return request;
}

LiveTensors::Request& LiveTensors::Loose(const Task& task) {
  Request* free = nullptr;
  for (Request& request : loose_) {
    if (request.stream == task.stream && request.index == task.index) return request;
    if (!request.stream.valid()) free = free ? free : &request;
  }
  return free ? *free : loose_.emplace_back(MakeRequest());
}

// A place among the live requests is taken over by the next one: its state is made anew at its first tensor.
LiveTensors::Request& LiveTensors::StateOf(const Task& task) {
  while (task.live >= 0 && requests_.size() <= static_cast<std::size_t>(task.live)) {
    requests_.push_back(MakeRequest());
  }
  Request& request = task.live < 0 ? Loose(task) : requests_[static_cast<std::size_t>(task.live)];
  if (request.stream == task.stream && request.index == task.index) return request;
  TANDEM_CHECK(request.held == 0, "what a request's tensors took is given back before it ends");
  const OfCut& cut = cuts_[problem_->cut_of(task.stream).index()];
  request.stream = task.stream;
  request.index = task.index;
  request.at.assign(cut.tensors.size() * memories_, nullptr);
  request.here.assign(cut.tensors.size() * memories_, 0);
  request.uses_left = cut.uses;
  return request;
}

void LiveTensors::Settle(const Task& task) {
  if (task.live >= 0) return;
  Request& request = StateOf(task);
  if (request.held == 0) request.stream = StreamId();
}

float* LiveTensors::Take(const Task& task, std::int32_t tensor, MemoryId memory) {
  Request& request = StateOf(task);
  float*& at = request.at[Index(Whole(task, tensor).first, memory)];
  if (at != nullptr) return at;  // for another part of it
  ++request.held;
  return at = pools_.Take(PoolOf(task, tensor, memory));
}

float* LiveTensors::At(const Task& task, std::int32_t tensor, MemoryId memory) {
  return StateOf(task).at[Index(Whole(task, tensor).first, memory)];
}

bool LiveTensors::Here(const Task& task, std::int32_t tensor, MemoryId memory) {
  return StateOf(task).here[Index(tensor, memory)] != 0;
}

void LiveTensors::Arrived(const Task& task, std::int32_t tensor, MemoryId memory) {
  StateOf(task).here[Index(tensor, memory)] = 1;
}

void LiveTensors::Used(const Task& task, std::int32_t tensor) {
  Request& request = StateOf(task);
  const std::int32_t first = Whole(task, tensor).first;
  if (--request.uses_left[static_cast<std::size_t>(first)] > 0) return;
  for (std::size_t m = 0; m < memories_; ++m) {
    float*& at = request.at[Index(first, MemoryId(m))];
    if (at == nullptr) continue;
    pools_.GiveBack(PoolOf(task, tensor, MemoryId(m)), at);
    at = nullptr;
    --request.held;
  }
}

float* LiveTensors::TakeBetween(const Task& task, std::int32_t tensor, MemoryId memory) {
  Request& request = StateOf(task);
  ++request.held;
  request.between.push_back({tensor, memory, Stay::kComing, Borrow(task, tensor, memory)});
  return request.between.back().at;
}

void LiveTensors::ArrivedBetween(const Task& task, const float* at) {
  for (Between& between : StateOf(task).between) {
    if (between.at == at) between.stay = Stay::kThere;
  }
}

float* LiveTensors::FindBetween(const Task& task, std::int32_t tensor, MemoryId memory) {
  for (Between& between : StateOf(task).between) {
    if (between.tensor != tensor || between.memory != memory || between.stay != Stay::kThere) continue;
    between.stay = Stay::kLeaving;
    return between.at;
  }
  return nullptr;
}

void LiveTensors::LeftBetween(const Task& task, const float* at) {
  std::vector<Between>& between = StateOf(task).between;
  const auto found =
      std::find_if(between.begin(), between.end(), [&](const Between& b) { return b.at == at; });
  if (found == between.end()) return;
  Return(task, found->tensor, found->memory, found->at);
  between.erase(found);
  --StateOf(task).held;
}

}  // namespace tandem
