#include "device/profiler/bench/source_turn.h"

#include <algorithm>
#include <utility>

#include "device/host/clock.h"

namespace tandem {
namespace {

std::vector<std::string> NamesOf(const Model& model, const std::vector<LayerId>& layers) {
  std::vector<std::string> names;
  for (const LayerId id : layers) names.push_back(model.layer(id).name);
  return names;
}

}  // namespace

std::vector<SampledPart> PartsOf(const Model& model, const ProfiledChain& chain, const SampleSource& key) {
  std::vector<SampledPart> parts;
  if (key.manner == ProfileManner::kInside) {
    for (const ExecutionStep& step : chain.Steps()) parts.push_back({NamesOf(model, step.layers), {}});
  } else if (key.cut == ProfileCut::kWhole) {
    parts.emplace_back();
  } else {
    for (std::size_t i = 0; i < chain.size(); ++i) {
      parts.push_back({NamesOf(model, chain.spec(i).layers), {}});
    }
  }
  return parts;
}

void SourceTurn::Begin(std::vector<SampledPart> parts, SourceSamples& of) {
  samples = &of;
  const auto same = [](const SampledPart& a, const SampledPart& b) { return a.layers == b.layers; };
  if (!std::equal(parts.begin(), parts.end(), of.parts.begin(), of.parts.end(), same)) {
    of.parts = std::move(parts);
    of.readings.clear();
    of.held_back.clear();
  }
  of.readings.resize(passes());
  of.held_back.resize(passes());
  times.resize(of.parts.size());
}

void SourceTurn::Pass(bool keep) {
  const auto begin = SteadyNow();
  RunOnce();
  pass = SteadyNow() - begin;
  for (std::size_t i = 0; keep && i < times.size(); ++i) samples->parts[i].samples.push_back(times[i]);
}

void SourceTurn::RunOnce() {
  switch (key.manner) {
    case ProfileManner::kWarm:
    case ProfileManner::kCold:
      return chain->Run(times, sweep, timed_by);
    case ProfileManner::kMapped:
      return chain->RunMapped(times);
    case ProfileManner::kInside:
      return chain->RunInside(times);
    case ProfileManner::kCore:  // its thread sleeps while it waits: what is its own is the shorter
      return chain->Run(times, nullptr, TimedBy::kOwn);
    case ProfileManner::kDevice:
      times.front() = *chain->RunOnDeviceClock();
  }
}

}  // namespace tandem
