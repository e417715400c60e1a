// The profiled times of all runs of layers that follow each other in a model, as CostTable would tell them
// one by one, found together: a run's time is its own entry's, else the least sum over entries that make it
// up. Runs of a model of 700 layers are a quarter of a million.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/cutting/piece_times.h"
#include "profiles/model/model.h"

namespace tandem {

class RangeTimes {
 public:
  // Of the model of `times.cuts()[cut]` on one unit, for runs that begin and end at `points`: places in
  // WorkingLayers, ascending, from 0 to their number.
  RangeTimes(const PieceTimes& times, std::size_t cut, UnitId unit, const std::vector<std::size_t>& points);

  static constexpr std::int64_t kCannot = -1;
  // From the `first` point to the `end` one, in nanoseconds; kCannot: these layers have no time. Where
  // entries that overlap each other also skip layers, over a long way, a run that has only some of them has
  // no time here.
  std::int64_t Of(std::size_t first, std::size_t end) const { return time_[At(first, end)]; }
  // The least of the runs from `first` to `end` or a later point; kCannot: none of them has a time.
  std::int64_t LeastFrom(std::size_t first, std::size_t end) const { return least_[At(first, end)]; }

 private:
  struct Entry {
    std::vector<std::int32_t> places;  // positions in WorkingLayers, ascending
    std::int64_t time = 0;             // of just these layers
    std::int64_t inside = 0;           // among others
  };
  // What entries of several layers tie together.
  struct Knot {
    std::vector<std::int32_t> places;   // ascending
    std::vector<const Entry*> entries;  // those inside
    bool all_runs = false;              // else only the whole of it has a time
    std::vector<std::int64_t> time;     // of [first, end) of its places
    std::int64_t whole = 0;
    std::int64_t& Time(std::size_t first, std::size_t end) { return time[first * (places.size() + 1) + end]; }
    std::int64_t Time(std::size_t first, std::size_t end) const;
  };

  std::size_t At(std::size_t first, std::size_t end) const { return first * points_.size() + end; }
  void ReadEntries(const PieceTimes& times, std::size_t cut, UnitId unit);
  void TieKnots();
  void TimeKnot(Knot& knot) const;
  static bool WithoutGaps(const Knot& knot);
  static void TimeWithoutGaps(Knot& knot);
  static void TimeByCovers(Knot& knot);
  static std::int64_t CoverOf(const Knot& knot, std::size_t first, std::size_t end);
  void AddUp();
  void AddUpFrom(std::size_t first);
  void TakeOwnEntries();
  void FindLeast();
  void Take(std::size_t first, std::size_t last, std::size_t end, std::size_t most, std::int64_t time);
  bool Costless(std::size_t place) const { return costless_[place] != 0; }

  std::vector<std::size_t> points_;
  std::size_t size_ = 0;
  std::vector<char> free_;      // per place: costs nothing
  std::vector<char> costless_;  // the same, without an entry of its own that says otherwise
  std::vector<Entry> entries_;
  std::int64_t whole_ = kCannot;  // the entry of the whole model
  std::vector<Knot> knots_;
  std::vector<std::int32_t> knot_of_, place_in_knot_;  // per place
  std::vector<std::int64_t> time_, least_;
};

}  // namespace tandem
