// Room policies/engine/draws: possible truths of how long work takes, drawn from what profiles are not sure
// of.
//
// One possible truth of how long tasks take, drawn from what the profiles know of how sure their times are.
// Policies go on deciding by the medians. docs/semantics.md, "Draws", says what is drawn from what.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policies/engine/drawn_moves.h"
#include "policies/engine/draws/drawn_slowdowns.h"
#include "policies/engine/draws/luck.h"
#include "policies/engine/draws/sample_list.h"
#include "policies/problem/problem.h"
#include "policies/problem/task.h"

namespace tandem {

struct RunOptions;
struct SampleTables;
struct SampleTime;

class SampledTimes {
 public:
  // `problem` outlives it; its residents may still change. Another `draw` is other luck under one seed.
  explicit SampledTimes(const Problem& problem, std::uint64_t draw = 0);
  // Of the same problem, for less work. `again`: it begins at another moment of what the machine did.
  SampledTimes Another(std::uint64_t draw, std::uint64_t again = 0) const;

  // Draws of the samples alone: nothing lasts for a whole draw, and nothing disturbs the machine.
  SampledTimes SamplesAlone(std::uint64_t draw) const;

  // Of what a draw of the segment's work is the sum: so many times what is drawn of this entry's samples, or
  // its median where it has none. Entries of one size and block length above 1 are drawn at one position for
  // all segments of a request, and for so many requests of its stream at positions that follow each other.
  // All else, tails too, is drawn by itself.
  struct Part {
    std::size_t entry = 0;
    double share = 1;
    Nanos median{0};
    const DrawnSamples* samples = nullptr;  // null: the median alone
  };
  std::vector<Part> PartsOf(SegmentId segment, UnitId unit) const;
  Nanos FixedOf(SegmentId segment, UnitId unit) const;  // what is not drawn of it, dispatch included

  // Is anything drawn, or would every draw be alike?
  bool any() const;
  bool samples() const;  // are there samples among what it is drawn from?
  // Why nothing is known of how sure a run is that used these units (per unit: did it?); empty where it is.
  std::string Unknown(const std::vector<char>& used) const;

  // Dispatch, and one draw per entry that the segment's time is made of. The same task on the same unit gets
  // the same draw under every policy. Only where the unit runs it.
  Nanos Work(const Task& task, UnitId unit, bool mapped) const;
  // The same for a task that begins at `now` of the run, as the machine is then.
  Nanos WorkFrom(Nanos now, const Task& task, UnitId unit, bool mapped) const;
  // The same of so many requests that are begun together with `first`, from samples of batches; nothing: of
  // such the profile has none, and they vary as one of them does.
  std::optional<Nanos> BatchFrom(Nanos now, const Task& first, UnitId unit, std::int64_t size,
                                 bool mapped) const;
  // Does nothing disturb any unit at that time of the run?
  bool IsUndisturbed(Nanos now) const;
  // The same, and the draw's slowdowns, hand-overs, copies and loads, for a run that this outlives.
  void SetIn(RunOptions& options) const;

 private:
  SampledTimes(std::shared_ptr<const SampleTables> tables, std::uint64_t draw, std::uint64_t again);

  Nanos Draw(const SampleTime& time, const Task& task, UnitId unit) const;  // dispatch included

  std::shared_ptr<const SampleTables> tables_;
  Luck luck_;
  std::vector<double> factors_;  // per entry: what lasts
  double part_error_ = 0;        // of parts without a time of their own
  bool samples_alone_ = false;
  Nanos begin_{0};  // in what the machine did
  std::shared_ptr<const Slowdowns> slowdowns_;
  std::shared_ptr<const HandOvers> hand_overs_;  // null: they are the same in every draw
  std::shared_ptr<const DrawnMoves> moves_;      // the same
  std::vector<double> dispatch_;                 // per unit: times the median
};

}  // namespace tandem
