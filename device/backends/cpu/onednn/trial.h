// Ways to compute a layer, run on this unit to see which is the fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/backends/cpu/onednn/dnnl_calls.h"
#include "device/backends/cpu/xnnpack/conv.h"

namespace tandem {

struct Trial {
  std::function<void()> run;            // on tensors of no meaning, which take as long
  std::vector<XnnConv::Piece> weights;  // brought out of the caches before each run
  double extra = 0;                     // seconds that it costs beside its own run
};

// Aligned as kernels want it, with room beyond the end that some of them read.
AlignedFloats Zeros(std::int64_t count);
// `bias`: so many numbers; 0: it has none.
Trial TrialOf(const DnnlContext& dnnl, MadePrimitive made, std::int64_t bias);
Trial TrialOf(std::shared_ptr<XnnConv> conv, std::int64_t inputs, std::int64_t outputs);

// Of at least one the one that takes least, by lower medians of a few runs in turn, on the thread that is to
// run it.
std::size_t FastestOf(const std::vector<Trial>& trials, std::size_t threads);

// The least seconds of some runs, by the same clock.
double LeastSeconds(const std::function<void()>& run, std::size_t threads);

// Of the core that this thread is on: what is fastest on one kind need not be on another.
std::string KindOfThisCore();

// Of ways that have a name each. `take` is taken where it names one, and nothing is measured; else what was
// found for `key` before in this process on such a core; else `trials` makes those to be measured, in their
// order.
struct ChosenWay {
  std::size_t way = 0;
  bool anew = true;  // not taken as a profile has it
};
ChosenWay ChooseWay(const std::string& key, const std::vector<std::string>& names, const std::string& take,
                    std::size_t threads, const std::function<std::vector<Trial>()>& trials);

}  // namespace tandem
