// One source while it is measured: a chain on a unit, run in one manner, turn after turn.
#pragma once

#include <limits>
#include <vector>

#include "device/profiler/bench/profiled_chain.h"
#include "device/profiler/samples/samples.h"

namespace tandem {

struct SourceTurn {
  SampleSource key;
  SourceSamples* samples = nullptr;
  std::size_t unit = 0, model = 0;
  ProfiledChain* chain = nullptr;
  CacheSweep* sweep = nullptr;
  TimedBy timed_by = TimedBy::kWall;
  std::vector<Nanos> times;
  Nanos used{0}, skipped{0};   // by this run of the program; of that, not measuring
  Nanos pass{0};               // the last one's
  std::size_t judged_from{0};  // so many passes: judging takes time too
  double want = std::numeric_limits<double>::infinity();  // when it was judged

  // Of samples of an earlier run those that are of the same parts are gone on with.
  void Begin(std::vector<SampledPart> parts, SourceSamples& of);

  // On the unit's thread.
  void Pass(bool keep);
  // Of the passes since the last call: what the unit was like around them.
  void NoteReading(const StateReading& reading) { tandem::NoteReading(reading, *samples); }
  std::size_t passes() const { return samples->parts.front().samples.size(); }

 private:
  void RunOnce();
};

// What such a source has samples of.
std::vector<SampledPart> PartsOf(const Model& model, const ProfiledChain& chain, const SampleSource& key);

}  // namespace tandem
