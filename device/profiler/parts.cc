#include "device/profiler/parts.h"

#include <algorithm>

#include "device/host/clock.h"
#include "device/host/own_memory.h"
#include "device/profiler/bench/split_piece.h"
#include "device/profiler/bench/unit_state.h"
#include "device/profiler/samples/reference_state.h"
#include "device/profiler/samples/statistics.h"

namespace tandem {
namespace {

using Layers = std::vector<LayerId>;

constexpr Nanos kMostPerSplit{1'000'000'000};
constexpr std::size_t kLeastPassesOfSplit = 3;
constexpr std::size_t kMostPassesOfSplit = 1000;
constexpr Nanos kTurnOfSplit{20'000'000};  // between readings of the yardstick, which leaves caches its own
constexpr Nanos kWarmSplitBelow{200'000'000};

// One model on one unit, cut along one axis at one share.
struct SplitWish {
  std::size_t model = 0, unit = 0;
  SplitAxis axis = SplitAxis::kChannels;
  double share = 0.5;
};

// A pass through all pieces, both parts of each; `taken` has the first parts and the second in turn.
void RunAll(std::vector<SplitPiece>& pieces, Processor& processor, SourceSamples* taken = nullptr) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (std::size_t part = 0; part < 2; ++part) {
      pieces[i].WriteInputs(processor);
      const Nanos time = pieces[i].Run(part);
      if (taken) taken->parts[2 * i + part].samples.push_back(time);
    }
  }
}

std::size_t PassesOf(const SourceSamples& taken) { return taken.parts.front().samples.size(); }

class Parts {
 public:
  Parts(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
        ProfilerSamples& samples)
      : request_(request), bench_(bench), budget_(budget), watch_(watch), samples_(samples) {
    for (std::size_t model = 0; model < request.models.size(); ++model) {
      for (std::size_t unit = 0; unit < bench.units(); ++unit) {
        for (const SplitAxis axis : request.parts->axes) {
          for (const double share : request.parts->shares) wishes_.push_back({model, unit, axis, share});
        }
      }
    }
  }

  void Measure() {
    const auto total = static_cast<std::int64_t>(wishes_.size());
    for (std::int64_t done = 0; done < total; ++done) {
      const SplitWish& wish = wishes_[static_cast<std::size_t>(done)];
      if (!watch_.Goes(samples_, "parts: " + NameOfWish(wish), done, total)) return;
      if (IsFinished(samples_, NameOfWish(wish))) continue;
      MeasureSplit(wish, budget_ > Nanos{0} ? (budget_ - used_) / (total - done) : kMostPerSplit);
      if (watch_.stopped()) return;
      samples_.finished.push_back(NameOfWish(wish));
      watch_.Save(samples_);
    }
  }

 private:
  std::string NameOfWish(const SplitWish& wish) const {
    return TextOf(bench_.wish(wish.model)) + " on " + bench_.Label(wish.unit) + " by " +
           std::string(NameOf(kSplitAxisNames, wish.axis)) + " at " + std::to_string(wish.share);
  }

  // How much the first part has; 0: it cannot be split so, or was measured.
  std::int64_t FirstSize(const SplitWish& wish, const Layers& layers) const {
    const Model& model = bench_.model(wish.model);
    const std::int64_t size = FirstSizeOf(model, layers, wish.axis, wish.share);
    const std::int64_t rest = SplitRangeOf(model, layers, wish.axis).extent - size;
    return Known(wish, layers, size) && Known(wish, layers, rest) ? 0 : size;
  }

  PartEntry EntryFor(const SplitWish& wish, const Layers& layers, std::int64_t size) const {
    PartEntry entry;
    entry.model = bench_.wish(wish.model).model;
    entry.batch = bench_.wish(wish.model).batch;
    entry.unit = bench_.unit(wish.unit).name;
    entry.variant = bench_.variant(wish.unit);
    for (const LayerId id : layers) entry.layers.push_back(bench_.model(wish.model).layer(id).name);
    entry.axis = wish.axis;
    entry.size = size;
    return entry;
  }
  bool Known(const SplitWish& wish, const Layers& layers, std::int64_t size) const {
    const PartEntry entry = EntryFor(wish, layers, size);
    return std::any_of(samples_.parts.begin(), samples_.parts.end(), [&](const PartEntry& known) {
      return known.model == entry.model && known.batch == entry.batch && known.unit == entry.unit &&
             known.variant == entry.variant && known.layers == entry.layers && known.axis == entry.axis &&
             known.size == entry.size;
    });
  }

  struct Candidate {
    Layers layers;
    std::int64_t size = 0;  // of the first part
  };
  using Chain = std::vector<Candidate>;

  void MeasureSplit(const SplitWish& wish, Nanos budget) {
    std::vector<Chain> chains;
    std::int64_t all = 0;
    for (std::vector<Layers>& candidates :
         SplitCandidates(request_, bench_, samples_, wish.model, wish.unit)) {
      Chain& chain = chains.emplace_back();
      for (Layers& layers : candidates) {
        const std::int64_t size = FirstSize(wish, layers);
        if (size > 0) chain.push_back({std::move(layers), size});
      }
      all += static_cast<std::int64_t>(chain.size());
    }
    if (all == 0) return;
    bench_.MakeRoom({});
    bench_.thread(wish.unit).Do([&](Processor& processor) {
      for (const Chain& chain : chains) {
        if (!MeasureChain(wish, chain, budget / all, processor)) return;
      }
    });
  }

  // False: the unit cannot run parts.
  bool MeasureChain(const SplitWish& wish, const Chain& chain, Nanos of_each, Processor& processor) {
    std::vector<SplitPiece> pieces;
    for (const Candidate& candidate : chain) {
      SplitPiece& piece = pieces.emplace_back(bench_, wish.model, candidate.layers, wish.axis, candidate.size,
                                              wish.unit, processor);
      for (std::size_t part = 0; part < 2; ++part) {
        if (!piece.Compile(part, bench_, wish.unit, processor, samples_.notes)) return false;
      }
      if (ResidentBytes() <= bench_.MostBytes()) continue;
      Measure(wish, pieces, of_each, processor);
    }
    Measure(wish, pieces, of_each, processor);
    return true;
  }

  // As many as memory holds.
  void Measure(const SplitWish& wish, std::vector<SplitPiece>& pieces, Nanos of_each, Processor& processor) {
    if (pieces.empty()) return;
    const auto begin = SteadyNow();
    UnitState state(bench_, wish.unit, samples_);
    const SourceSamples taken =
        RunPieces(pieces, of_each * static_cast<std::int64_t>(pieces.size()), processor, state);
    used_ += SteadyNow() - begin;
    for (std::size_t i = 0; i < pieces.size(); ++i) Note(wish, pieces[i], taken, i);
    pieces.clear();
    GiveUnusedBack();
  }

  // All pieces one after the other, so that the weights of one are as cold as in a network; what was taken in
  // the unit's reference state.
  SourceSamples RunPieces(std::vector<SplitPiece>& pieces, Nanos budget, Processor& processor,
                          UnitState& state) const {
    SourceSamples taken;
    taken.parts.resize(2 * pieces.size());
    const auto warm_up = SteadyNow();
    RunAll(pieces, processor);
    const auto begin = SteadyNow();
    const bool warm_again = begin - warm_up < kWarmSplitBelow;
    Nanos skipped{0};
    std::size_t judged_from = kLeastPassesOfSplit;
    while (PassesOf(taken) < kMostPassesOfSplit) {
      const auto turn = SteadyNow();
      const StateReading before = state.Read();
      if (!state.WorthMeasuring(before) && skipped < budget / 2) {
        skipped += SteadyNow() - turn;
        continue;
      }
      if (warm_again) RunAll(pieces, processor);
      do {
        RunAll(pieces, processor, &taken);
      } while (SteadyNow() - turn < kTurnOfSplit);
      NoteReading(Worse(before, state.Read()), taken);
      if (PassesOf(taken) < judged_from) continue;
      judged_from = PassesOf(taken) * 5 / 4;
      if (SteadyNow() - begin >= budget || IsKnown(Counting(taken, state))) break;
    }
    return Counting(taken, state);
  }
  static SourceSamples Counting(const SourceSamples& taken, const UnitState& state) {
    return InReference(taken, state.level(), state.hot());
  }
  bool IsKnown(const SourceSamples& counted) const {
    const StopRule rule{request_.noise, request_.min_samples};
    return std::all_of(counted.parts.begin(), counted.parts.end(),
                       [&](const SampledPart& part) { return KnownWell(part.samples, rule); });
  }

  void Note(const SplitWish& wish, const SplitPiece& piece, const SourceSamples& taken, std::size_t at) {
    for (std::size_t part = 0; part < 2; ++part) {
      if (Known(wish, piece.spec().layers, piece.size(part))) continue;
      std::vector<Nanos> samples;  // of halves, pass by pass, both
      const bool halves = piece.size(0) == piece.size(1);
      for (std::size_t pass = 0; pass < PassesOf(taken); ++pass) {
        samples.push_back(taken.parts[2 * at + part].samples[pass]);
        if (halves) samples.push_back(taken.parts[2 * at + 1].samples[pass]);
      }
      PartEntry entry = EntryFor(wish, piece.spec().layers, piece.size(part));
      entry.time = Timing::OfSamples(Thinned(samples));
      entry.unstable = taken.scaled || IsUnstable(samples, request_.noise);
      samples_.parts.push_back(std::move(entry));
    }
  }

  const ProfileOrder& request_;
  ProfilerBench& bench_;
  Nanos budget_;
  ProfilerWatch& watch_;
  ProfilerSamples& samples_;
  std::vector<SplitWish> wishes_;
  Nanos used_{0};
};

}  // namespace

void MeasureParts(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                  ProfilerSamples& samples) {
  if (!request.parts) return;
  Parts(request, bench, budget, watch, samples).Measure();
}

}  // namespace tandem
