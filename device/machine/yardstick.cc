#include "device/machine/yardstick.h"

#include <cmath>
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

constexpr int kWarmUpRuns = 1, kRuns = 3;

class Piece {
 public:
  Piece(Processor& processor, std::int64_t rows, std::int64_t features) {
    ModelBuilder net("yardstick");
    net.Input("in", {rows, features, 1, 1});
    net.Fc("fc", features);
    const auto model = std::make_shared<const Model>(net.Build());
    const auto weights = std::make_shared<const Weights>(RandomWeights(*model, 1));
    executable_ = processor.Compile(WholeSegment(model, weights, "yardstick"));
    input_ = std::move(RandomInputs(*model, 1).front());
    output_ = BufferFor(*model, model->Find("fc"));
  }

  Nanos Read() {
    for (int i = 0; i < kWarmUpRuns; ++i) Run();
    std::vector<Nanos> times;
    for (int i = 0; i < kRuns; ++i) times.push_back(Run());
    return LowerMedian(std::move(times));
  }

 private:
  Nanos Run() {
    const float* const from = input_.data();
    float* const to = output_.data();
    const auto begin = SteadyNow();
    executable_->Run({&from, 1}, {&to, 1});
    return SteadyNow() - begin;
  }

  std::unique_ptr<Executable> executable_;
  Buffer input_, output_;
};

struct Pieces {
  explicit Pieces(Processor& processor) : far(processor, 16, 2048), near(processor, 64, 256) {}
  Piece far, near;
};

Nanos MeanOf(Nanos a, Nanos b) {
  return Nanos{std::llround(std::sqrt(static_cast<double>(a.count()) * static_cast<double>(b.count())))};
}

}  // namespace

ReadYardstick YardstickWithin(Nanos longest, const Unit& unit, Processor& processor) {
  if (unit.backend == nullptr || !unit.backend->OwnsCores()) return {};
  try {
    const auto pieces = std::make_shared<Pieces>(processor);
    if (pieces->far.Read() + pieces->near.Read() > longest) return {};
    return [pieces] { return MeanOf(pieces->far.Read(), pieces->near.Read()); };
  } catch (const EnvironmentError&) {  // it has no such kernel
    return {};
  }
}

ReadYardstick YardstickOf(const Unit& unit, Processor& processor) {
  return YardstickWithin(Nanos{5'000'000}, unit, processor);
}

}  // namespace tandem
