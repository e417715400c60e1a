// What models of the zoo take of a card's memory, each whole on a slot of its own, and which pairs of them
// are more than a card has: counted by the backend cuda on a card that copies and computes nothing. What the
// driver and the libraries keep for themselves is not in it.
//   bench_card_memory [--mib 4096] [--precision fp32] [MODEL...]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "device/backends/cuda/gpu/processor.h"
#include "profiles/model/zoo.h"
#include "tests/support/device/host_card.h"

namespace tandem::gpu {
namespace {

struct Taken {
  std::string model;
  std::int64_t ready = 0, most = 0;  // bytes: when it is ready, and while its formats are chosen
};

Taken TakenBy(const std::string& name, const std::string& precision) {
  HostCard card(name + precision, {.memory_bytes = std::int64_t{64} << 30, .computes = false});
  const std::int64_t free = card.FreeBytes();
  GpuOptions options;
  options.trials = Nanos(0);  // all ways take no time here
  const auto model = std::make_shared<const Model>(FindInZoo(name)->build());
  const auto weights = std::make_shared<const Weights>(RandomWeights(*model, 1));
  const auto processor = OpenGpu(card, "gpu0", {"", precision}, options);
  const auto executable = processor->Compile(WholeSegment(model, weights, name));
  return {name, free - card.FreeBytes(), card.MostUsed()};
}

double Mib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

int Print(std::vector<Taken> all, std::int64_t mib) {
  std::sort(all.begin(), all.end(), [](const Taken& a, const Taken& b) { return a.ready > b.ready; });
  std::printf("| model | ready, MiB | at most until then, MiB |\n|---|---|---|\n");
  for (const Taken& one : all)
    std::printf("| %s | %.0f | %.0f |\n", one.model.c_str(), Mib(one.ready), Mib(one.most));
  int pairs = 0, too_large = 0;
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a; b < all.size(); ++b, ++pairs) {
      // The second is made ready while the first one is there.
      if (Mib(all[a].ready + all[b].most) <= static_cast<double>(mib)) continue;
      ++too_large;
      std::printf("too large: %s with %s, %.0f MiB\n", all[a].model.c_str(), all[b].model.c_str(),
                  Mib(all[a].ready + all[b].most));
    }
  }
  std::printf("%d of %d pairs fit into %lld MiB\n", pairs - too_large, pairs, static_cast<long long>(mib));
  return 0;
}

}  // namespace
}  // namespace tandem::gpu

int main(int count, char** words) {
  std::int64_t mib = 4096;
  std::string precision = "fp32";
  std::vector<std::string> models;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--mib") == 0 && i + 1 < count) {
      mib = std::atoll(words[++i]);
    } else if (std::strcmp(words[i], "--precision") == 0 && i + 1 < count) {
      precision = words[++i];
    } else {
      models.emplace_back(words[i]);
    }
  }
  if (models.empty()) {
    for (const tandem::ZooEntry& entry : tandem::Zoo()) models.push_back(entry.name);
  }
  for (const std::string& model : models) {
    if (tandem::FindInZoo(model) != nullptr) continue;
    std::fprintf(stderr, "bench_card_memory: no model %s in the zoo\n", model.c_str());
    return 2;
  }
  std::vector<tandem::gpu::Taken> all;
  for (const std::string& model : models) all.push_back(tandem::gpu::TakenBy(model, precision));
  return tandem::gpu::Print(std::move(all), mib);
}
