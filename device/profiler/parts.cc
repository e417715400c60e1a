#include "device/profiler/parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "device/host/clock.h"
#include "device/host/own_memory.h"
#include "device/processor/part_executable.h"
#include "device/profiler/statistics.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

using Layers = std::vector<LayerId>;

constexpr Nanos kMostPerSplit{1'000'000'000};
constexpr std::size_t kLeastPassesOfSplit = 3;
constexpr std::size_t kMostPassesOfSplit = 1000;

// One model on one unit, cut along one axis at one share.
struct SplitWish {
  std::size_t model = 0, unit = 0;
  SplitAxis axis = SplitAxis::kChannels;
  double share = 0.5;
};

// Both parts of some layers, ready to run.
struct MeasuredPiece {
  SegmentSpec spec;
  std::array<std::unique_ptr<Executable>, 2> parts;
  std::array<std::int64_t, 2> sizes{};
  std::array<std::vector<Nanos>, 2> samples;
  std::vector<Buffer> inputs, values;  // in the unit's memory, and what they hold, in the host's
  std::vector<const float*> reads;
  Buffer output;

  void AddInput(const Model& model, LayerId id, Processor& processor) {
    inputs.push_back(BufferFor(model, id, processor.memory()));
    values.push_back(BufferFor(model, id, processor.host_memory()));
    reads.push_back(inputs.back().data());
    const std::span<float> of = values.back().values();
    for (std::size_t i = 0; i < of.size(); ++i) of[i] = static_cast<float>(i % 17) / 16;
  }
  // In a network the layers before have just written them.
  void WriteInputs(Processor& processor) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      processor.Copy(inputs[i].data(), values[i].data(), WholeBlock(values[i].size()));
    }
  }
  void Run(Processor& processor, bool keep) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      WriteInputs(processor);
      float* to = output.data();
      const auto begin = SteadyNow();
      parts[part]->Run(reads, {&to, 1});
      if (keep) samples[part].push_back(SteadyNow() - begin);
    }
  }
};

Layers IdsOf(const Model& model, const std::vector<std::string>& names) {
  Layers ids;
  for (const std::string& name : names) ids.push_back(model.Find(name));
  std::sort(ids.begin(), ids.end());
  return ids;
}

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
      auto& finished = samples_.finished;
      if (std::find(finished.begin(), finished.end(), NameOfWish(wish)) != finished.end()) continue;
      MeasureSplit(wish, budget_ > Nanos{0} ? (budget_ - used_) / (total - done) : kMostPerSplit);
      if (watch_.stopped()) return;
      finished.push_back(NameOfWish(wish));
      watch_.Save(samples_);
    }
  }

 private:
  std::string NameOfWish(const SplitWish& wish) const {
    return TextOf(bench_.wish(wish.model)) + " on " + bench_.Label(wish.unit) + " by " +
           std::string(NameOf(kSplitAxisNames, wish.axis)) + " at " + std::to_string(wish.share);
  }

  std::vector<Layers> CandidatesFor(const SplitWish& wish) const {
    const Model& model = bench_.model(wish.model);
    const ProfiledModel& named = bench_.wish(wish.model);
    std::vector<Layers> found;
    for (const PartsWish::Piece& piece : request_.parts->of) {
      if (piece.model == named.model) found.push_back(IdsOf(model, piece.layers));
    }
    if (!request_.parts->of.empty()) return found;
    for (const ProfileCut cut : {ProfileCut::kGroups, ProfileCut::kLayers}) {
      const auto source = samples_.sources.find({named, bench_.unit(wish.unit).name, cut,
                                                 ProfileManner::kWarm, bench_.variant(wish.unit).precision});
      if (source == samples_.sources.end()) continue;
      for (const SampledPart& part : source->second.parts) {
        if (part.samples.empty() || IntervalOfMedian(part.samples).median < request_.parts->least) continue;
        Layers layers = IdsOf(model, part.layers);
        if (std::find(found.begin(), found.end(), layers) == found.end()) found.push_back(std::move(layers));
      }
    }
    std::sort(found.begin(), found.end(),
              [](const Layers& a, const Layers& b) { return a.back() < b.back(); });
    return found;
  }

  // How much the first part has; 0: it cannot be split so, or was measured.
  std::int64_t FirstSize(const SplitWish& wish, const Layers& layers) const {
    const SplitRange range = SplitRangeOf(bench_.model(wish.model), layers, wish.axis);
    const std::int64_t granules = range.extent / range.granule;
    if (granules < 2) return 0;
    const auto wanted = std::llround(wish.share * static_cast<double>(granules));
    const std::int64_t size = std::clamp<std::int64_t>(wanted, 1, granules - 1) * range.granule;
    return Known(wish, layers, size) && Known(wish, layers, range.extent - size) ? 0 : size;
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

  // Nothing where the unit cannot run a part of them, which is noted.
  std::optional<MeasuredPiece> Compile(const SplitWish& wish, const Layers& layers, std::int64_t size,
                                       Processor& processor) const {
    const ModelStore::Entry& entry = bench_.Entry(wish.model);
    MeasuredPiece piece;
    piece.spec = SegmentOf(entry.model, entry.weights, bench_.wish(wish.model).model, layers);
    const std::int64_t extent = SplitRangeOf(*entry.model, layers, wish.axis).extent;
    piece.sizes = {size, extent - size};
    try {
      piece.parts[0] = CompilePart(processor, piece.spec, {wish.axis, 0, size});
      piece.parts[1] = CompilePart(processor, piece.spec, {wish.axis, size, extent});
    } catch (const EnvironmentError& error) {
      const std::string note =
          "unit " + Quoted(bench_.Label(wish.unit)) + " cannot run parts: " + error.what();
      auto& notes = samples_.notes;
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
      return std::nullopt;
    }
    for (const LayerId id : piece.spec.inputs) piece.AddInput(*entry.model, id, processor);
    piece.output = BufferFor(*entry.model, piece.spec.outputs[0], processor.memory());
    return piece;
  }

  void MeasureSplit(const SplitWish& wish, Nanos budget) {
    std::vector<std::pair<Layers, std::int64_t>> candidates;
    for (Layers& layers : CandidatesFor(wish)) {
      const std::int64_t size = FirstSize(wish, layers);
      if (size > 0) candidates.emplace_back(std::move(layers), size);
    }
    if (candidates.empty()) return;
    bench_.MakeRoom({});
    const auto all = static_cast<std::int64_t>(candidates.size());
    bench_.thread(wish.unit).Do([&](Processor& processor) {
      std::vector<MeasuredPiece> pieces;
      for (const auto& [layers, size] : candidates) {
        auto piece = Compile(wish, layers, size, processor);
        if (!piece) return;
        pieces.push_back(std::move(*piece));
        if (ResidentBytes() <= bench_.MostBytes()) continue;
        Measure(wish, pieces, budget / all, processor);
      }
      Measure(wish, pieces, budget / all, processor);
    });
  }

  // As many as memory holds.
  void Measure(const SplitWish& wish, std::vector<MeasuredPiece>& pieces, Nanos of_each,
               Processor& processor) {
    if (pieces.empty()) return;
    const auto begin = SteadyNow();
    RunPieces(pieces, of_each * static_cast<std::int64_t>(pieces.size()), processor);
    used_ += SteadyNow() - begin;
    for (const MeasuredPiece& piece : pieces) Note(wish, piece);
    pieces.clear();
    GiveUnusedBack();
  }

  // All pieces one after the other, so that the weights of one are as cold as in a network.
  void RunPieces(std::vector<MeasuredPiece>& pieces, Nanos budget, Processor& processor) const {
    for (MeasuredPiece& piece : pieces) piece.Run(processor, false);
    const auto begin = SteadyNow();
    for (std::size_t pass = 1; pass <= kMostPassesOfSplit; ++pass) {
      for (MeasuredPiece& piece : pieces) piece.Run(processor, true);
      if (pass < kLeastPassesOfSplit) continue;
      if (SteadyNow() - begin >= budget) return;
      const StopRule rule{request_.noise, request_.min_samples};
      const auto known = [&](const MeasuredPiece& piece) {
        return KnownWell(piece.samples[0], rule) && KnownWell(piece.samples[1], rule);
      };
      if (pass % 8 == 0 && std::all_of(pieces.begin(), pieces.end(), known)) return;
    }
  }

  void Note(const SplitWish& wish, const MeasuredPiece& piece) {
    for (std::size_t part = 0; part < piece.parts.size(); ++part) {
      if (Known(wish, piece.spec.layers, piece.sizes[part])) continue;
      std::vector<Nanos> samples = piece.samples[part];
      if (part == 0 && piece.sizes[0] == piece.sizes[1]) {
        samples.insert(samples.end(), piece.samples[1].begin(), piece.samples[1].end());
      }
      PartEntry entry = EntryFor(wish, piece.spec.layers, piece.sizes[part]);
      entry.time = Timing::OfSamples(Thinned(samples));
      entry.unstable = IsUnstable(samples, request_.noise);
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
