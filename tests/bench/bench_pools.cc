// A pool over a tensor in plain order: by the loops on such, or brought into blocks of channels and back?
// Both take turns; printed are medians, and which the backend takes. usage: bench_pools [TURNS]
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "device/backends/cpu/loops/ops.h"
#include "device/host/clock.h"
#include "device/processor/backend.h"
#include "device/processor/model_store.h"
#include "profiles/base/statistics.h"
#include "profiles/model/model_builder.h"

namespace tandem {
namespace {

struct Case {
  std::int64_t channels, height, window, stride, pad;
};
// Of the zoo's networks, and around the bounds of what is brought into blocks.
constexpr Case kCases[] = {{64, 112, 3, 2, 1}, {64, 112, 2, 2, 0}, {192, 56, 3, 2, 1}, {192, 28, 3, 1, 1},
                           {256, 28, 2, 2, 0}, {512, 14, 3, 1, 1}, {832, 7, 3, 1, 1},  {96, 54, 3, 2, 0},
                           {512, 14, 5, 1, 2}, {512, 14, 7, 1, 3}, {512, 14, 7, 7, 0}, {8, 56, 3, 2, 1}};

template <class Run>
Nanos TimeOf(Run run) {
  const Nanos begin = SteadyNow();
  run();
  return SteadyNow() - begin;
}

void Compare(Processor& processor, const Case& of, int turns) {
  ModelBuilder net("pool");
  net.Input("in", {1, of.channels, of.height, of.height});
  net.MaxPool("pool", SquarePool(of.window, of.stride, of.pad));
  const auto model = std::make_shared<const Model>(net.Build());
  const auto weights = std::make_shared<const Weights>(RandomWeights(*model, 1));
  const auto executable = processor.Compile(WholeSegment(model, weights, "pool"));
  const LayerId last(model->size() - 1);
  const PlainKernel plain = MakePlainKernel(model->layer(last), *weights, {model->layer(LayerId(0)).output});
  const Buffer input = std::move(RandomInputs(*model, 1).front());
  Buffer output = BufferFor(*model, last);
  const float* const from = input.data();
  float* const to = output.data();
  std::vector<Nanos> loops, taken;
  for (int turn = 0; turn <= turns; ++turn) {
    const Nanos by_loops = TimeOf([&] { plain({&from, 1}, to); });
    const Nanos by_backend = TimeOf([&] { executable->Run({&from, 1}, {&to, 1}); });
    if (turn == 0) continue;
    loops.push_back(by_loops);
    taken.push_back(by_backend);
  }
  std::printf("%4lld x %3lld x %3lld, window %lld, stride %lld: loops %7.1f us, backend %7.1f us by \"%s\"\n",
              static_cast<long long>(of.channels), static_cast<long long>(of.height),
              static_cast<long long>(of.height), static_cast<long long>(of.window),
              static_cast<long long>(of.stride), static_cast<double>(LowerMedian(loops).count()) / 1e3,
              static_cast<double>(LowerMedian(taken).count()) / 1e3, executable->Steps().front().how.c_str());
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  const int turns = argc > 1 ? std::atoi(argv[1]) : 201;
  tandem::Platform platform;
  platform.memories.push_back({"dram", std::nullopt, std::nullopt});
  tandem::Unit core;
  core.name = "core";
  core.memory = tandem::MemoryId(0);
  core.backend = &tandem::DeclaredBackend("cpu");
  core.cores = {0};
  platform.units.push_back(core);
  tandem::OpenRequest request;
  request.platform = &platform;
  request.unit = tandem::UnitId(0);
  const auto processor = tandem::BackendOf(core, "bench_pools").Open(request);
  for (const tandem::Case& of : tandem::kCases) tandem::Compare(*processor, of, turns);
  return 0;
}
