#include "device/profiler/bench/split_piece.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "device/host/clock.h"
#include "device/profiler/samples/statistics.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

using Layers = std::vector<LayerId>;

Layers IdsOf(const Model& model, const std::vector<std::string>& names) {
  Layers ids;
  for (const std::string& name : names) ids.push_back(model.Find(name));
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

std::vector<std::vector<Layers>> SplitCandidates(const ProfileOrder& request, const ProfilerBench& bench,
                                                 const ProfilerSamples& samples, std::size_t model,
                                                 std::size_t unit) {
  const ProfiledModel& named = bench.wish(model);
  std::vector<std::vector<Layers>> found(1);
  for (const PartsWish::Piece& piece : request.parts->of) {
    if (piece.model == named.model) found.front().push_back(IdsOf(bench.model(model), piece.layers));
  }
  if (!request.parts->of.empty()) return found;
  std::set<Layers> known;
  for (const ProfileCut cut : {ProfileCut::kGroups, ProfileCut::kLayers}) {
    const auto source = samples.sources.find(
        {named, bench.unit(unit).name, cut, ProfileManner::kWarm, bench.variant(unit).precision});
    if (source == samples.sources.end()) continue;
    std::vector<Layers>& chain = found.emplace_back();
    for (const SampledPart& part : source->second.parts) {
      if (part.samples.empty() || IntervalOfMedian(part.samples).median < request.parts->least) continue;
      Layers layers = IdsOf(bench.model(model), part.layers);
      if (known.insert(layers).second) chain.push_back(std::move(layers));
    }
    std::sort(chain.begin(), chain.end(),
              [](const Layers& a, const Layers& b) { return a.back() < b.back(); });
  }
  return found;
}

std::int64_t FirstSizeOf(const Model& model, const Layers& layers, SplitAxis axis, double share) {
  const SplitRange range = SplitRangeOf(model, layers, axis);
  const std::int64_t granules = range.extent / range.granule;
  if (granules < 2) return 0;
  const auto wanted = std::llround(share * static_cast<double>(granules));
  return std::clamp<std::int64_t>(wanted, 1, granules - 1) * range.granule;
}

SplitPiece::SplitPiece(ProfilerBench& bench, std::size_t model, const Layers& layers, SplitAxis axis,
                       std::int64_t first_size, std::size_t unit, Processor& processor) {
  const ModelStore::Entry& entry = bench.Entry(model);
  spec_ = SegmentOf(entry.model, entry.weights, bench.wish(model).model, layers);
  const std::int64_t extent = SplitRangeOf(*entry.model, layers, axis).extent;
  ranges_ = {LayerPart{axis, 0, first_size}, LayerPart{axis, first_size, extent}};
  TensorMemory& memory = bench.MemoryOf(unit, processor);
  for (const LayerId id : spec_.inputs) {
    inputs_.push_back(BufferFor(*entry.model, id, memory));
    values_.push_back(BufferFor(*entry.model, id, processor.host_memory()));
    reads_.push_back(inputs_.back().data());
    const std::span<float> of = values_.back().values();
    for (std::size_t i = 0; i < of.size(); ++i) of[i] = static_cast<float>(i % 17) / 16;
  }
  output_ = BufferFor(*entry.model, spec_.outputs[0], memory);
}

bool SplitPiece::Compile(std::size_t part, ProfilerBench& bench, std::size_t unit, Processor& processor,
                         std::vector<std::string>& notes) {
  try {
    parts_[part] = bench.Compiled(unit, processor, spec_, ranges_[part]);
    return true;
  } catch (const EnvironmentError& error) {
    const std::string note = "unit " + Quoted(bench.Label(unit)) + " cannot run parts: " + error.what();
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    return false;
  }
}

void SplitPiece::WriteInputs(Processor& processor, std::optional<std::size_t> half) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const std::size_t all = values_[i].size(), middle = all / 2;
    const std::size_t from = half == 1U ? middle : 0, to = half == 0U ? middle : all;
    processor.Copy(inputs_[i].data() + from, values_[i].data() + from, WholeBlock(to - from));
  }
}

Nanos SplitPiece::Run(std::size_t part) {
  float* to = output_.data();
  const auto begin = SteadyNow();
  parts_[part]->Run(reads_, {&to, 1});
  return SteadyNow() - begin;
}

}  // namespace tandem
