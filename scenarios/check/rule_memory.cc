#include <algorithm>
#include <map>
#include <set>

#include "scenarios/check/request_shape.h"
#include "scenarios/check/rules.h"

namespace tandem {
namespace {

// What a memory holds: the weights of the models of its units, and tensors from when a task whose model is
// there begins that makes or reads them there until the last one that does has run. A model's inputs in the
// first memory do not count.
class MemoryRule {
 public:
  MemoryRule(const CheckedRun& run, Findings& findings)
      : run_(run), findings_(findings), shapes_(run), changes_(run.platform().memories.size()) {}

  void Check() {
    const auto& memories = run_.platform().memories;
    if (std::none_of(memories.begin(), memories.end(),
                     [](const Memory& m) { return m.capacity_bytes.has_value(); })) {
      return;
    }
    for (const CheckedRequest& request : run_.requests) {
      if (request.HasTasks()) AddRequest(request);
    }
    AddWeights();
    for (std::size_t m = 0; m < memories.size(); ++m) {
      if (memories[m].capacity_bytes) CheckCapacity(MemoryId(m));
    }
  }

 private:
  struct Change {
    Nanos at{0};
    std::int64_t bytes = 0;
    const CheckedRequest* request = nullptr;  // null: weights
  };
  struct Stay {
    Nanos from{0}, to{0};
  };

  std::int64_t BytesOf(const CheckedRequest& request, const RequestShape::Tensor& tensor) const {
    const UnitId maker = tensor.maker < 0
                             ? UnitId()
                             : run_.tasks[request.first_task + static_cast<std::size_t>(tensor.maker)].unit;
    return run_.Elements(request.stream, tensor.layer, tensor.part) *
           ElementBytes(run_, maker, run_.model(run_.stream(request.stream).model), tensor.layer);
  }

  void AddRequest(const CheckedRequest& request) {
    const RequestShape& shape = shapes_.Of(request);
    using Key = std::pair<LayerId, std::int32_t>;
    std::map<std::pair<Key, MemoryId>, Stay> stays;
    std::map<Key, std::int64_t> bytes;
    const auto stay = [&](const RequestShape::Tensor& tensor, MemoryId memory, Nanos from, Nanos to) {
      const auto [place, is_new] = stays.try_emplace({tensor.key(), memory}, Stay{from, to});
      place->second.from = std::min(place->second.from, from);
      place->second.to = std::max(place->second.to, to);
      if (is_new) bytes[tensor.key()] = BytesOf(request, tensor);
    };
    const auto made = [&](const RequestShape::Tensor& tensor) {
      if (tensor.maker < 0) return;
      const CheckedTask& maker = run_.tasks[request.first_task + static_cast<std::size_t>(tensor.maker)];
      stay(tensor, run_.memory_of(maker.unit), maker.after_load, maker.work_end);
    };
    for (std::size_t t = 0; t < shape.reads.size(); ++t) {
      const CheckedTask& reader = run_.tasks[request.first_task + t];
      const MemoryId memory = run_.memory_of(reader.unit);
      for (const RequestShape::Tensor& tensor : shape.reads[t]) {
        made(tensor);
        const bool here =
            tensor.maker >= 0 &&
            run_.memory_of(run_.tasks[request.first_task + static_cast<std::size_t>(tensor.maker)].unit) ==
                memory;
        const bool input = tensor.maker < 0 && memory == MemoryId(0);
        const bool copied = tensor.mode == TransferMode::kCopy;
        if (here || (copied && !input)) stay(tensor, memory, reader.after_load, reader.work_end);
      }
    }
    for (const RequestShape::Tensor& output : shape.outputs) made(output);
    for (const auto& [place, times] : stays) {
      if (times.from == times.to) continue;
      auto& list = changes_[place.second.index()];
      list.push_back({times.from, bytes[place.first], &request});
      list.push_back({times.to, -bytes[place.first], &request});
    }
  }

  // Of units that load nothing: what they hold at the start. Of others: while it must be there.
  void AddWeights() {
    std::map<UnitId, std::vector<ModelStay>> stays = ModelStays(run_);
    for (std::size_t u = 0; u < run_.platform().units.size(); ++u) {
      const UnitId unit(u);
      auto& list = changes_[run_.memory_of(unit).index()];
      const auto& of_unit = stays[unit];
      const bool loads =
          std::any_of(of_unit.begin(), of_unit.end(), [](const ModelStay& stay) { return stay.first; });
      for (std::size_t m = 0; !loads && m < run_.scenario().models.size(); ++m) {
        if (run_.holds[u][m]) list.push_back({Nanos{-1}, WeightBytes(run_, ModelId(m), unit), nullptr});
      }
      for (const ModelStay& stay : of_unit) {
        if (!loads || stay.from == stay.to) continue;
        const std::int64_t bytes = WeightBytes(run_, stay.model, unit);
        list.push_back({stay.from, bytes, nullptr});
        list.push_back({stay.to, -bytes, nullptr});
      }
    }
  }

  void CheckCapacity(MemoryId id) {
    const Memory& memory = run_.platform().memories[id.index()];
    auto& list = changes_[id.index()];
    std::stable_sort(list.begin(), list.end(), [](const Change& a, const Change& b) {
      return a.at != b.at ? a.at < b.at : a.bytes < b.bytes;
    });
    std::int64_t held = 0;
    bool over = false;
    const auto say = [&](const std::string& who, Nanos at) {
      findings_.Violation("memory", who, at,
                          "memory \"" + memory.name + "\" then holds " + std::to_string(held) +
                              " bytes, its capacity is " + std::to_string(*memory.capacity_bytes));
    };
    for (const Change& change : list) {
      held += change.bytes;
      const bool now_over = held > *memory.capacity_bytes;
      if (now_over && !over) {
        say(change.request ? run_.Name(*change.request) : memory.name, std::max(change.at, Nanos{0}));
      }
      over = now_over;
    }
  }

  const CheckedRun& run_;
  Findings& findings_;
  RequestShapes shapes_;
  std::vector<std::vector<Change>> changes_;  // per memory
};

}  // namespace

std::int64_t WeightBytes(const CheckedRun& run, ModelId model, UnitId unit) {
  constexpr std::int64_t kFp32 = 4;
  return run.model(model).BytesOfWeights() / kFp32 * WeightElementBytes(run, unit);
}

void CheckMemory(const CheckedRun& run, Findings& findings) { MemoryRule(run, findings).Check(); }

}  // namespace tandem
