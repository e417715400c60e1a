#include "scenarios/check/chip.h"

#include <algorithm>
#include <cmath>

#include "scenarios/check/rules.h"

namespace tandem {
namespace {

// The list that the model is compiled in, up to itself.
std::vector<ModelId> UpTo(const CheckedRun& run, ModelId model, UnitId unit) {
  for (std::vector<ModelId> list : run.scenario().units[unit.index()].compiled) {
    const auto found = std::find(list.begin(), list.end(), model);
    if (found == list.end()) continue;
    list.erase(found + 1, list.end());
    return list;
  }
  return {model};
}

std::int64_t BytesThere(const CheckedRun& run, ModelId model, UnitId unit) {
  std::int64_t stays = 0, room = *run.platform().unit(unit).on_chip_bytes;
  for (const ModelId each : UpTo(run, model, unit)) {
    stays = std::min(WeightBytes(run, each, unit), room);
    room -= stays;
  }
  return stays;
}

Nanos Takes(const CheckedRun& run, std::int64_t bytes, UnitId unit) {
  const double rate = *run.platform().unit(unit).stream_bytes_per_s;
  return Nanos{static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) / rate * 1e9))};
}

}  // namespace

bool HasChip(const CheckedRun& run, UnitId unit) {
  return run.platform().unit(unit).on_chip_bytes.has_value();
}

bool ShareChip(const CheckedRun& run, UnitId unit, ModelId a, ModelId b) {
  return !HasChip(run, unit) || a == b || UpTo(run, a, unit).front() == UpTo(run, b, unit).front();
}

Nanos ChipLoadTime(const CheckedRun& run, ModelId model, UnitId unit) {
  return Takes(run, BytesThere(run, model, unit), unit);
}

Nanos StreamedTime(const CheckedRun& run, const CheckedSegment& segment, UnitId unit) {
  if (!HasChip(run, unit)) return Nanos{0};
  const Model& model = run.model(segment.model);
  const std::int64_t there = BytesThere(run, segment.model, unit);
  const std::int64_t most = *run.platform().unit(unit).on_chip_bytes;
  if (there == std::min(most, WeightBytes(run, segment.model, unit))) return Nanos{0};
  const std::int64_t element = WeightElementBytes(run, unit);
  std::int64_t at = 0, streamed = 0;
  for (std::size_t l = 0; l < model.size(); ++l) {
    const Counts& counts = model.layer(LayerId(l)).counts;
    const std::int64_t next = at + (counts.params + counts.state) * element;
    const bool of_it = segment.layers.empty() || std::find(segment.layers.begin(), segment.layers.end(),
                                                           LayerId(l)) != segment.layers.end();
    // Where it is compiled alone the chip has all of it up to its size.
    const std::int64_t begin = std::clamp(at, there, std::max(there, most));
    const std::int64_t end = std::clamp(next, there, std::max(there, most));
    if (of_it) streamed += end - begin;
    at = next;
  }
  return Takes(run, streamed, unit);
}

}  // namespace tandem
