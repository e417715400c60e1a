#include "device/profiler/transfers.h"

#include <algorithm>
#include <set>

#include "device/host/clock.h"
#include "device/profiler/bench/turns.h"
#include "device/profiler/samples/statistics.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr std::int64_t kLeastBytes = 1 << 10, kMostBytes = 64 << 20;
constexpr Nanos kMostPerCopy{200'000'000};
constexpr Nanos kTurnOfCopy{2'000'000};
constexpr std::size_t kLeastCopies = 3, kMostCopies = 2000;

std::int64_t BytesOf(const Layer& layer) {
  return Elements(layer.output) * static_cast<std::int64_t>(sizeof(float));
}

// A unit with a memory of its own, and a tensor on either side that holds the largest copy.
struct CopiedUnit {
  std::size_t unit = 0;
  std::string memory;
  Buffer host, own;
};

struct CopyTurn {
  TransferSource key;
  TransferSamples* samples = nullptr;
  CopiedUnit* side = nullptr;
  bool in = true;  // to the unit's memory
  Nanos used{0};
};

class TransferMeasuring {
 public:
  TransferMeasuring(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                    ProfilerSamples& samples)
      : request_(request),
        bench_(bench),
        budget_(budget),
        watch_(watch),
        samples_(samples),
        random_("transfers", request.seed) {}

  void Measure() {
    FindSides();
    AddTurns();
    const auto begin = SteadyNow();
    TakeTurns(
        turns_, random_, [&](const CopyTurn& turn) { return Goes(turn); },
        [&](CopyTurn& turn) {
          Take(turn);
          turn.samples->done = IsDone(turn, SteadyNow() - begin);
        });
  }

 private:
  void FindSides() {
    const Platform& platform = request_.platform;
    std::set<MemoryId> seen;
    for (std::size_t unit = 0; unit < bench_.units(); ++unit) {
      const MemoryId memory = bench_.unit(unit).memory;
      if (memory == MemoryId(0) || !seen.insert(memory).second) continue;
      const std::string& name = platform.memories[memory.index()].name;
      if (!bench_.OwnMemory(unit)) {
        Note(name, "unit " + Quoted(bench_.unit(unit).name) + " has no memory here that tandem copies to");
      } else if (!Linked(memory)) {
        Note(name, "no link of the platform joins it to " + Quoted(platform.memories[0].name) +
                       R"(; such a line in "links" would: {"from": )" + Quoted(platform.memories[0].name) +
                       R"(, "to": )" + Quoted(name) +
                       R"(, "latency_us": 10, "bandwidth_bytes_per_s": 10000000000, "engine": true})");
      } else {
        sides_.push_back({unit, name, {}, {}});
      }
    }
  }

  void Note(const std::string& memory, const std::string& why) {
    samples_.notes.push_back("copies to and from memory " + Quoted(memory) + " were not measured: " + why);
  }

  bool Linked(MemoryId memory) const {
    const auto& links = request_.platform.links;
    return std::any_of(links.begin(), links.end(), [&](const Link& link) {
      return (link.from == MemoryId(0) && link.to == memory) ||
             (link.to == MemoryId(0) && link.from == memory);
    });
  }

  void AddTurns() {
    std::vector<const Model*> models;
    for (std::size_t model = 0; model < request_.models.size(); ++model) {
      models.push_back(&bench_.model(model));
    }
    const std::vector<std::int64_t> sizes = TransferSizes(models);
    const std::string& first = request_.platform.memories[0].name;
    for (CopiedUnit& side : sides_) {
      const auto floats = static_cast<std::size_t>(sizes.back()) / sizeof(float);
      bench_.thread(side.unit).Do([&](Processor& processor) {
        side.host = Buffer(floats, processor.host_memory());
        side.own = Buffer(floats, processor.memory());
      });
      for (const std::int64_t bytes : sizes) {
        AddTurn({first, side.memory, bytes}, side, true);
        AddTurn({side.memory, first, bytes}, side, false);
      }
    }
  }

  void AddTurn(const TransferSource& key, CopiedUnit& side, bool in) {
    TransferSamples& samples = samples_.transfers[key];
    if (!samples.done) turns_.push_back({key, &samples, &side, in});
  }

  bool Goes(const CopyTurn& turn) {
    return watch_.Goes(samples_, "copies " + turn.key.from + " to " + turn.key.to, DoneOf(turns_),
                       static_cast<std::int64_t>(turns_.size()));
  }

  // The first copy of a turn finds caches and clocks as something else left them, and does not count.
  void Take(CopyTurn& turn) {
    const TensorBlock block = WholeBlock(static_cast<std::size_t>(turn.key.bytes) / sizeof(float));
    float* const to = turn.in ? turn.side->own.data() : turn.side->host.data();
    const float* const from = turn.in ? turn.side->host.data() : turn.side->own.data();
    const auto begin = SteadyNow();
    bench_.thread(turn.side->unit).Do([&](Processor& processor) {
      processor.Copy(to, from, block);
      do {
        const auto copy = SteadyNow();
        processor.Copy(to, from, block);
        turn.samples->samples.push_back(SteadyNow() - copy);
      } while (SteadyNow() - begin < kTurnOfCopy);
    });
    turn.used += SteadyNow() - begin;
  }

  bool IsDone(const CopyTurn& turn, Nanos measuring) const {
    const std::vector<Nanos>& samples = turn.samples->samples;
    if (samples.size() >= kMostCopies) return true;
    const bool late = budget_ == Nanos{0} ? turn.used >= kMostPerCopy : measuring >= budget_;
    if (late && samples.size() >= kLeastCopies) return true;
    return KnownWell(samples, {request_.noise, request_.min_samples});
  }

  const ProfileOrder& request_;
  ProfilerBench& bench_;
  Nanos budget_;
  ProfilerWatch& watch_;
  ProfilerSamples& samples_;
  StreamRandom random_;
  std::vector<CopiedUnit> sides_;
  std::vector<CopyTurn> turns_;
};

}  // namespace

std::vector<std::int64_t> TransferSizes(const std::vector<const Model*>& models) {
  std::set<std::int64_t> sizes;
  std::int64_t largest = kLeastBytes;
  for (const Model* model : models) {
    for (std::size_t i = 0; i < model->size(); ++i) {
      const std::int64_t bytes = BytesOf(model->layer(LayerId(i)));
      largest = std::max(largest, bytes);
      const bool edge = model->layer(LayerId(i)).op == Op::kInput || model->users(LayerId(i)).empty();
      if (edge) sizes.insert(bytes);
    }
  }
  for (std::int64_t bytes = kLeastBytes; bytes <= kMostBytes; bytes *= 4) {
    sizes.insert(bytes);
    if (bytes >= largest) break;
  }
  return {sizes.begin(), sizes.end()};
}

void MeasureTransfers(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                      ProfilerSamples& samples) {
  TransferMeasuring(request, bench, budget, watch, samples).Measure();
}

}  // namespace tandem
