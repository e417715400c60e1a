// Which fixed piece of work slows down as networks do when neighbours disturb the machine? Networks and
// candidates take turns on one core; printed is, of medians over ten turns, how each candidate goes with the
// networks: the correlation of the logarithms, and by how much the networks slow for one percent of it.
// usage: bench_yardsticks [SECONDS [CORE]]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/host/clock.h"
#include "device/processor/model_store.h"
#include "device/profiler/bench/bench.h"
#include "profiles/base/json_reader.h"
#include "profiles/base/statistics.h"
#include "profiles/model/model_builder.h"

namespace tandem {
namespace {

constexpr std::size_t kTurnsOfBlock = 10;

class Work {
 public:
  Work(Processor& processor, const std::function<void(ModelBuilder&)>& build) {
    ModelBuilder net("work");
    build(net);
    const auto model = std::make_shared<const Model>(net.Build());
    executable_ = processor.Compile(
        WholeSegment(model, std::make_shared<const Weights>(RandomWeights(*model, 1)), "work"));
    input_ = std::move(RandomInputs(*model, 1).front());
    output_ = BufferFor(*model, LayerId(model->size() - 1));
  }
  double Run() {
    const float* const from = input_.data();
    float* const to = output_.data();
    const auto begin = SteadyNow();
    executable_->Run({&from, 1}, {&to, 1});
    return static_cast<double>((SteadyNow() - begin).count());
  }

 private:
  std::unique_ptr<Executable> executable_;
  Buffer input_, output_;
};

std::function<void(ModelBuilder&)> Fc(std::int64_t rows, std::int64_t inputs, std::int64_t outputs) {
  return [=](ModelBuilder& net) {
    net.Input("in", {rows, inputs, 1, 1});
    net.Fc("fc", outputs);
  };
}

// Logarithms of the medians over blocks.
std::vector<double> Blocks(const std::vector<double>& times) {
  std::vector<double> blocks;
  for (std::size_t at = 0; at + kTurnsOfBlock <= times.size(); at += kTurnsOfBlock) {
    const auto from = times.begin() + static_cast<std::ptrdiff_t>(at);
    blocks.push_back(
        std::log(LowerMedian(std::vector<double>(from, from + static_cast<std::ptrdiff_t>(kTurnsOfBlock)))));
  }
  return blocks;
}

void Print(const std::string& name, const std::vector<double>& of, const std::vector<double>& networks) {
  double mean = 0, mean_of_networks = 0;
  for (std::size_t i = 0; i < of.size(); ++i) {
    mean += of[i] / static_cast<double>(of.size());
    mean_of_networks += networks[i] / static_cast<double>(of.size());
  }
  double own = 0, theirs = 0, both = 0;
  for (std::size_t i = 0; i < of.size(); ++i) {
    own += (of[i] - mean) * (of[i] - mean);
    theirs += (networks[i] - mean_of_networks) * (networks[i] - mean_of_networks);
    both += (of[i] - mean) * (networks[i] - mean_of_networks);
  }
  std::printf("%-54s takes %8.1f us, correlation %5.2f, slope %5.2f\n", name.c_str(), std::exp(mean) / 1e3,
              both / std::sqrt(own * theirs), both / own);
}

int Main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 60;
  const std::string core = argc > 2 ? argv[2] : "0";
  const std::string text =
      R"({"tandem": "profile-request/1", "platform": {"tandem": "platform/1", "name": "here",
    "memories": [{"name": "dram"}], "units": [{"name": "core", "kind": "cpu", "memory": "dram", "backend": "cpu",
    "cores": [)" +
      core + R"(]}]}, "models": ["mobilenet_v2", "resnet18", "squeezenet_1_1", "googlenet"]})";
  const ProfileOrder order = ReadProfileOrder(JsonDocument::Parse(text, "order").root());
  ProfilerSamples samples;
  ProfilerBench bench(order, BackendOf, samples);
  const std::vector<std::string> names = {"fc 256 of 256, 64 rows",         "fc 1024 of 1024, 64 rows",
                                          "fc 1024 of 2048, 16 rows",       "fc 2048 of 2048, 16 rows",
                                          "fc 4096 of 2048, 1 row",         "fc 4096 of 2048, 16 rows",
                                          "conv 256 of 256, 3 x 3, 14 x 14"};
  std::vector<std::vector<double>> networks(order.models.size()), candidates(names.size());
  std::vector<ProfiledChain*> chains;
  for (std::size_t model = 0; model < order.models.size(); ++model) {
    chains.push_back(bench.Chain(0, model, ProfileCut::kWhole));
  }
  bench.thread(0).Do([&](Processor& processor) {
    std::vector<Work> works;
    works.emplace_back(processor, Fc(64, 256, 256));
    works.emplace_back(processor, Fc(64, 1024, 1024));
    works.emplace_back(processor, Fc(16, 2048, 1024));
    works.emplace_back(processor, Fc(16, 2048, 2048));
    works.emplace_back(processor, Fc(1, 2048, 4096));
    works.emplace_back(processor, Fc(16, 2048, 4096));
    works.emplace_back(processor, [](ModelBuilder& net) {
      net.Input("in", {1, 256, 14, 14});
      net.Conv("conv", SquareConv(256, 3, 1, 1));
    });
    std::vector<Nanos> time(1);
    const auto end = SteadyNow() + Nanos{std::llround(seconds * 1e9)};
    while (SteadyNow() < end) {
      for (std::size_t n = 0; n < chains.size(); ++n) {
        for (int run = 0; run < 2; ++run) chains[n]->Run(time);  // the first makes the caches its own
        networks[n].push_back(static_cast<double>(time[0].count()));
      }
      for (std::size_t w = 0; w < works.size(); ++w) {
        works[w].Run();
        candidates[w].push_back(works[w].Run());
      }
    }
  });
  std::vector<double> all = Blocks(networks[0]);
  for (std::size_t n = 1; n < networks.size(); ++n) {
    const std::vector<double> more = Blocks(networks[n]);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += more[i];
  }
  for (double& of : all) of /= static_cast<double>(networks.size());
  for (std::size_t w = 0; w < names.size(); ++w) Print(names[w], Blocks(candidates[w]), all);
  // Two pieces of work, read as one.
  for (std::size_t a = 0; a < names.size(); ++a) {
    for (std::size_t b = a + 1; b < names.size(); ++b) {
      std::vector<double> both = Blocks(candidates[a]);
      const std::vector<double> more = Blocks(candidates[b]);
      for (std::size_t i = 0; i < both.size(); ++i) both[i] = (both[i] + more[i]) / 2;
      Print(names[a] + " and " + names[b], both, all);
    }
  }
  return 0;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) { return tandem::Main(argc, argv); }
