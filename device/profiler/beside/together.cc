#include <algorithm>

#include "device/profiler/beside/running_sides.h"

namespace tandem {
namespace {

constexpr std::size_t kLeastRoundsTogether = 3;

// The unit and its neighbours. These go on to their next models every few rounds: what counts is that they
// work, whatever on.
class UnitAmongOthers {
 public:
  UnitAmongOthers(CoRunningContext& context, const CoRunningSide& of, const std::vector<std::size_t>& beside)
      : context_(context),
        of_(of),
        beside_(beside),
        models_(context.bench.FirstOfEachModel()),
        units_{of.unit} {
    units_.insert(units_.end(), beside.begin(), beside.end());
  }

  // False: asked to stop.
  bool Round(std::size_t round) {
    ProfilerBench& bench = context_.bench;
    if (round % kLeastRoundsTogether == 0) Seat(round / kLeastRoundsTogether);
    if (sides_.size() < units_.size()) return true;
    const std::string what =
        bench.wish(of_.model).model + " beside " + std::to_string(beside_.size()) + " units";
    const auto take = [&](std::size_t turn) {
      std::vector<const RunningSide*> at_work;
      for (const RunningSide& side : sides_) {
        if (turn == RunningSide::kBeside || at_work.empty()) at_work.push_back(&side);
      }
      times_.Add(turn, RunAtOnce(bench, at_work, longest_).front().MeanTime(0));
    };
    return context_.Round(what, units_, 2, take, [&] { times_.DropRound(); });
  }

  const TurnTimes& times() const { return times_; }

 private:
  // Each neighbour has the next model that it can run.
  void Seat(std::size_t turn) {
    ProfilerBench& bench = context_.bench;
    sides_.clear();
    std::vector<ProfilerBench::ChainAt> chains = {{of_.unit, of_.model}};
    for (std::size_t i = 0; i < beside_.size(); ++i) {
      chains.push_back({beside_[i], models_[(turn + i) % models_.size()]});
    }
    bench.MakeRoom(chains);
    Take(of_);
    for (std::size_t i = 0; i < beside_.size(); ++i) {
      for (std::size_t tries = 0; tries < models_.size(); ++tries) {
        if (Take({beside_[i], models_[(turn + i + tries) % models_.size()]})) break;
      }
    }
  }
  bool Take(const CoRunningSide& at) {
    const RunningSide side(context_.bench, at);
    if (!side.chain) return false;
    longest_ = std::max(longest_, side.OneRun(context_.bench));
    sides_.push_back(side);
    return true;
  }

  CoRunningContext& context_;
  CoRunningSide of_;
  const std::vector<std::size_t>& beside_;
  std::vector<std::size_t> models_, units_;
  std::vector<RunningSide> sides_;
  Nanos longest_{0};
  TurnTimes times_{2};
};

}  // namespace

bool MeasureTogether(CoRunningContext& context, const CoRunningSide& of,
                     const std::vector<std::size_t>& beside, Nanos time) {
  UnitAmongOthers among(context, of, beside);
  const auto take = [&](std::size_t round) { return among.Round(round); };
  const auto known_to = [&](double error) { return among.times().KnownTo(error); };
  if (!TakeRounds(kLeastRoundsTogether, time, context.request.noise, take, known_to)) return false;
  const auto found = among.times().Slowdown(RunningSide::kBeside);
  if (!found) return true;
  TogetherEntry entry;
  entry.unit = context.bench.unit(of.unit).name;
  entry.model = context.bench.wish(of.model).model;
  for (const std::size_t unit : beside) entry.beside.push_back(context.bench.unit(unit).name);
  entry.slowdown = found->slowdown;
  entry.error = context.ErrorOf(*found);
  context.samples.together.push_back(std::move(entry));
  return true;
}

}  // namespace tandem
