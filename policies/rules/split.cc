// Split: a layer, or a group of layers that is fused and can be split, runs on two or more units at once,
// each making some channels or rows of its output; the ratio is such that the last part ends soonest. Only
// where that gains: the layers are placed one after the other, whole on a unit or split, so that their sum is
// least, dispatch and copies of what lies elsewhere counted. Layers that follow each other on one unit are
// one task. Tie-break: whole before split, channels before rows, units in the order of the platform. A unit
// takes the earliest of its tasks. Source: study 001.
#include "policies/cutting/self_cutting.h"
#include "policies/cutting/sequential_pieces.h"

namespace tandem::split {
namespace {

struct SplitParameters : PolicyParameters {
  std::vector<UnitId> units;      // none: all
  std::optional<SplitAxis> axis;  // nothing: each
};

const Fields<SplitParameters>& Keys() {
  static const auto fields = Fields<SplitParameters>()
                                 .Optional("units", &SplitParameters::units, UnitsCodec(), kUnitsHelp)
                                 .Optional("axis", &SplitParameters::axis, as::OneOf(kSplitAxisNames, "axis"),
                                           "along which layers are split; without it each");
  return fields;
}

class SplitCutter final : public ModelCutter {
 public:
  SplitCutter(const PieceTimes& times, std::vector<SplitAxis> axes) : times_(times), axes_(std::move(axes)) {}

  std::optional<AssignedPieces> Cut(std::size_t index, const std::vector<char>& usable) override {
    std::optional<AssignedPieces> best;
    Nanos least{0};
    for (const CutSegments& cut : CutsToTry(times_, index)) {
      const auto placement = ChainPlacer(times_, index, cut).Find({usable, axes_, UnitId()});
      if (!placement || (best && placement->total >= least)) continue;
      best = PiecesOf(times_, index, cut, *placement);
      least = placement->total;
    }
    return best;
  }

 private:
  const PieceTimes& times_;
  std::vector<SplitAxis> axes_;
};

Prepared Make(const PolicySpec& spec, const Problem& problem) {
  const auto& parameters = spec.As<SplitParameters>();
  std::vector<SplitAxis> axes = {SplitAxis::kChannels, SplitAxis::kRows};
  if (parameters.axis) axes = {*parameters.axis};
  const PieceTimes times(problem);
  SplitCutter cutter(times, axes);
  return MakeSelfCutting(spec, problem, {&times, UnitsToUse(parameters.units, problem), 0}, cutter);
}

const PolicyRegistration kSplit{
    {.name = "split",
     .summary = "a layer on two or more units at once, by channels or rows, where that gains",
     .splits = true,
     .takes_granularity = false,
     .keys = KeysFrom<Keys>(),
     .make = Make}};

}  // namespace
}  // namespace tandem::split
