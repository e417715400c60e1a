#include "policies/engine/sampled_times.h"

#include <algorithm>
#include <cmath>

#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

std::size_t DrawBelow(std::size_t count, std::uint64_t bits) {
  const double uniform = static_cast<double>(bits >> 11) * 0x1p-53;
  const auto drawn = static_cast<std::size_t>(std::floor(uniform * static_cast<double>(count)));
  return std::min(drawn, count - 1);
}

}  // namespace

SampledTimes::SampledTimes(const Problem& problem, std::uint64_t draw)
    : problem_(&problem), plain_(Read(false)) {
  const Scenario& scenario = problem.scenario();
  bool maps = false;
  for (std::size_t s = 0; s < problem.segments().size(); ++s) maps = maps || problem.Maps(SegmentId(s));
  if (maps) {
    mapped_ = Read(true);
    // As Problem::MappedTime: the plain time where no profile tells them apart.
    for (std::size_t i = 0; i < mapped_.size(); ++i) {
      if (mapped_[i].drawn.empty() && mapped_[i].fixed == Nanos{0}) mapped_[i] = plain_[i];
    }
  }
  const auto has_samples = [](const SegmentSamples& samples) { return !samples.drawn.empty(); };
  any_ = std::any_of(plain_.begin(), plain_.end(), has_samples) ||
         std::any_of(mapped_.begin(), mapped_.end(), has_samples);
  for (const Stream& stream : scenario.streams) {
    stream_hash_.push_back(MixBits(Fnv1a64(stream.name) ^ scenario.seed ^ (draw == 0 ? 0 : MixBits(draw))));
  }
  for (const Unit& unit : problem.platform().units) unit_hash_.push_back(Fnv1a64(unit.name));
}

SampledTimes::Times SampledTimes::Read(bool mapped) const {
  const Scenario& scenario = problem_->scenario();
  Times times;
  for (std::size_t s = 0; s < problem_->segments().size(); ++s) {
    const Segment& segment = problem_->segment(SegmentId(s));
    const Cut& cut = problem_->cut(segment.cut);
    for (std::size_t u = 0; u < problem_->units(); ++u) {
      const auto query = scenario.Query(cut.model, UnitId(u), cut.batch, segment.layers, mapped);
      times.emplace_back();
      if (!query) continue;
      if (segment.part) {  // what is measured of parts are medians
        const UnitId unit(u);
        times.back().fixed =
            mapped ? problem_->MappedTime(SegmentId(s), unit) : problem_->Profiled(SegmentId(s), unit);
        continue;
      }
      if (const auto samples = scenario.costs->Samples(*query)) times.back() = *samples;
    }
  }
  return times;
}

Nanos SampledTimes::Work(const Task& task, UnitId unit, bool mapped) const {
  const std::size_t at = task.segment.index() * problem_->units() + unit.index();
  const SegmentSamples& samples = mapped ? mapped_[at] : plain_[at];
  Nanos work = problem_->Dispatch(unit) + samples.fixed;
  const std::size_t local = task.segment.index() - problem_->cut(task.stream).first.index();
  std::uint64_t bits = MixBits(stream_hash_[task.stream.index()] ^ static_cast<std::uint64_t>(task.index));
  bits = MixBits(bits ^ unit_hash_[unit.index()] ^ local);
  for (const auto& list : samples.drawn) {
    bits = MixBits(bits);
    work += (*list)[DrawBelow(list->size(), bits)];
  }
  return std::min(work, kLongestTime);
}

}  // namespace tandem
