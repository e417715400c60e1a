#include "device/machine/yardstick.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "device/host/clock.h"
#include "device/processor/model_store.h"
#include "profiles/base/input_error.h"
#include "profiles/base/statistics.h"
#include "profiles/model/model_builder.h"

namespace tandem {
namespace {

constexpr std::int64_t kFeatures = 1024;
constexpr int kWarmUpReads = 1, kReads = 3, kReadsOfFree = 9;

class YardstickWork {
 public:
  YardstickWork(const Unit& unit, Processor& processor, std::int64_t rows)
      : free_(unit.time_shared && unit.cores.size() > 1) {
    ModelBuilder net("yardstick");
    net.Input("in", {rows, kFeatures, 1, 1});
    net.Fc("fc", kFeatures);
    const auto model = std::make_shared<const Model>(net.Build());
    const auto weights = std::make_shared<const Weights>(RandomWeights(*model, 1));
    executable_ = processor.Compile(WholeSegment(model, weights, "yardstick"));
    input_ = std::move(RandomInputs(*model, 1).front());
    output_ = BufferFor(*model, model->Find("fc"));
  }

  Nanos Run() {
    const float* const from = input_.data();
    float* const to = output_.data();
    const auto begin = SteadyNow();
    executable_->Run({&from, 1}, {&to, 1});
    return SteadyNow() - begin;
  }
  Nanos Read() {
    for (int i = 0; i < kWarmUpReads; ++i) Run();
    std::vector<Nanos> times;
    for (int i = 0; i < (free_ ? kReadsOfFree : kReads); ++i) times.push_back(Run());
    return free_ ? *std::min_element(times.begin(), times.end()) : LowerMedian(std::move(times));
  }

 private:
  bool free_;  // its threads are not pinned to a core each
  std::unique_ptr<Executable> executable_;
  Buffer input_, output_;
};

// Null where the fewest rows take longer.
std::shared_ptr<YardstickWork> WorkWithin(Nanos longest, const Unit& unit, Processor& processor,
                                          std::int64_t& rows) {
  if (rows > 0) return std::make_shared<YardstickWork>(unit, processor, rows);
  for (std::int64_t fewer = kYardstickRows; fewer >= kLeastYardstickRows; fewer /= 2) {
    auto work = std::make_shared<YardstickWork>(unit, processor, fewer);
    if (work->Read() > longest) continue;
    rows = fewer;
    return work;
  }
  return nullptr;
}

}  // namespace

ReadYardstick YardstickWithin(Nanos longest, const Unit& unit, Processor& processor, std::int64_t& rows) {
  if (unit.backend == nullptr || !unit.backend->OwnsCores()) return {};
  try {
    const std::shared_ptr<YardstickWork> work = WorkWithin(longest, unit, processor, rows);
    if (!work) return {};
    return [work] { return work->Read(); };
  } catch (const EnvironmentError&) {  // it has no such kernel
    return {};
  }
}

ReadYardstick YardstickOf(const Unit& unit, Processor& processor, std::int64_t& rows) {
  return YardstickWithin(Nanos{5'000'000}, unit, processor, rows);
}

}  // namespace tandem
