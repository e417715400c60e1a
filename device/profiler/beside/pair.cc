#include <algorithm>
#include <array>

#include "device/profiler/beside/running_sides.h"

namespace tandem {
namespace {

constexpr std::size_t kLeastPairRounds = 3;

// Turn 0 and 1: a side alone; 2: both.
void Take(ProfilerBench& bench, std::array<RunningSide, 2>& sides, std::size_t turn, Nanos longer) {
  if (turn < 2)
    return sides[turn].Keep(RunningSide::kAlone, RunAtOnce(bench, {&sides[turn]}, longer).front());
  const auto passes = RunAtOnce(bench, {&sides[0], &sides[1]}, longer);
  for (std::size_t side = 0; side < 2; ++side) sides[side].Keep(RunningSide::kBeside, passes[side]);
}

void AddPair(CoRunningContext& context, const RunningSide& side, const RunningSide& other, bool whole) {
  const ProfilerBench& bench = context.bench;
  CoRunningEntry entry;
  entry.unit = bench.unit(side.at.unit).name;
  entry.model = bench.wish(side.at.model).model;
  entry.beside = bench.unit(other.at.unit).name;
  entry.beside_model = bench.wish(other.at.model).model;
  for (std::size_t part = 0; part < side.parts.size(); ++part) {
    entry.layers = LayersOf(bench, side.at, *side.chain, part);
    const auto found = side.parts[part].Slowdown(RunningSide::kBeside);
    if (!found || entry.layers.empty() != whole) continue;  // whole models were measured before
    entry.slowdown = found->slowdown;
    entry.error = context.ErrorOf(*found);
    context.samples.co_running.push_back(entry);
  }
}

}  // namespace

bool MeasurePair(CoRunningContext& context, const CoRunningSide& a, const CoRunningSide& b, Nanos time) {
  ProfilerBench& bench = context.bench;
  bench.MakeRoom({{a.unit, a.model, a.cut}, {b.unit, b.model, b.cut}});
  std::array<RunningSide, 2> sides = {RunningSide(bench, a), RunningSide(bench, b)};
  if (!sides[0].chain || !sides[1].chain) return true;
  const Nanos longer = std::max(sides[0].OneRun(bench), sides[1].OneRun(bench));
  const std::array<std::size_t, 2> units = {a.unit, b.unit};
  const std::string what = bench.wish(a.model).model + " beside " + bench.wish(b.model).model;
  const auto round = [&](std::size_t) {
    return context.Round(
        what, units, 3, [&](std::size_t turn) { Take(bench, sides, turn, longer); },
        [&] {
          for (RunningSide& side : sides) DropRound(side.parts);
        });
  };
  const auto known_to = [&](double error) {
    return KnownTo(error, sides[0].parts) && KnownTo(error, sides[1].parts);
  };
  if (!TakeRounds(kLeastPairRounds, time, context.request.noise, round, known_to)) return false;
  AddPair(context, sides[0], sides[1], a.cut == ProfileCut::kWhole);
  AddPair(context, sides[1], sides[0], b.cut == ProfileCut::kWhole);
  return true;
}

}  // namespace tandem
