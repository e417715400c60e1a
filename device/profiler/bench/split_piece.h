// Layers that can be split, as they are measured: which of a model, their tensors, and both parts.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/profiler/bench/bench.h"

namespace tandem {

// In lists that are measured as chains, in the network's order: those that the request names, or the groups
// and layers on which `samples` say that the unit takes long enough.
std::vector<std::vector<std::vector<LayerId>>> SplitCandidates(const ProfileOrder& request,
                                                               const ProfilerBench& bench,
                                                               const ProfilerSamples& samples,
                                                               std::size_t model, std::size_t unit);

// How much the first part has; 0: they cannot be split so.
std::int64_t FirstSizeOf(const Model& model, const std::vector<LayerId>& layers, SplitAxis axis,
                         double share);

// Both parts of some layers. What a unit is to run of them has to be compiled on its thread first.
class SplitPiece {
 public:
  // The tensors lie where the plans of `unit` have them. On its thread.
  SplitPiece(ProfilerBench& bench, std::size_t model, const std::vector<LayerId>& layers, SplitAxis axis,
             std::int64_t first_size, std::size_t unit, Processor& processor);

  const SegmentSpec& spec() const { return spec_; }
  std::int64_t size(std::size_t part) const { return ranges_[part].size(); }

  // On the unit's thread. False where it cannot run parts, which is noted.
  bool Compile(std::size_t part, ProfilerBench& bench, std::size_t unit, Processor& processor,
               std::vector<std::string>& notes);
  void Forget(std::size_t part) { parts_[part].reset(); }  // the same; the rest goes on the tensors' unit's

  // In a network the layers before have just written the inputs: all of them, or one of two halves.
  void WriteInputs(Processor& processor, std::optional<std::size_t> half = {});
  Nanos Run(std::size_t part);

 private:
  SegmentSpec spec_;
  std::array<LayerPart, 2> ranges_;
  std::array<std::unique_ptr<Executable>, 2> parts_;
  std::vector<Buffer> inputs_, values_;  // what they hold, in the host's memory
  std::vector<const float*> reads_;
  Buffer output_;
};

}  // namespace tandem
