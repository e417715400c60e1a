// Which unit works off a stream's tasks, and whose come before them, where the policy ranks tasks in an order
// that is fixed by stream: what response times are proved from.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "policies/bounds/slot_hold.h"
#include "policies/engine/policy.h"
#include "policies/problem/estimates.h"
#include "policies/problem/problem.h"

namespace tandem {

// A unit takes the least first: those of critical streams before all others, then by the policy's rank.
struct PlaceInOrder {
  bool other = false;  // not critical
  std::int64_t rank = 0;
  friend auto operator<=>(const PlaceInOrder&, const PlaceInOrder&) = default;
};

// A stream on its unit.
struct Served {
  UnitId unit;  // invalid: none, or not one alone
  PlaceInOrder place;
  Nanos work{0}, shortest_task{0};
  std::string why;  // it is not served by one undisturbed unit in a fixed place
};

// The tasks of a stream that the unit may take.
struct StreamOn {
  std::size_t stream = 0;
  UnitId unit;
};

class FixedService {
 public:
  // Both outlive it. `longer`: tasks take so many times what the profile says.
  FixedService(const Problem& problem, const Policy& policy, double longer);

  const Problem& problem() const { return problem_; }
  const Served& Of(std::size_t stream) const { return served_[stream]; }
  // The other streams of which its unit may take tasks: those that come before it, or with it, ...
  std::vector<std::size_t> NotAfter(std::size_t stream) const;
  // ... and the critical ones of units that share cores or a device with its unit, whatever their place; ...
  std::vector<StreamOn> Beside(std::size_t stream) const;
  // ... and those that come after it, of which its unit, or each of these units, may have begun tasks before.
  std::vector<StreamOn> Behind(std::size_t stream) const;
  Nanos Blocking(std::size_t stream) const;  // the longest task of these, with its copies
  // Units of its unit's memory that work at once with it, in the order of the platform, where no profile says
  // what they cost each other: nothing is taken.
  std::vector<UnitId> Unslowed(std::size_t stream) const;
  // Of streams that have a place in an order.
  bool Takes(std::size_t stream, SegmentId segment, UnitId unit) const;
  // What a task of the stream may have its slot for beside its work.
  SlotHold HoldOf(SegmentId segment, std::size_t stream, UnitId unit) const;

  template <class Each>
  void ForEachSegment(std::size_t stream, const Each& each) const {
    const Cut& cut = problem_.cut(StreamId(stream));
    for (std::int32_t i = 0; i < cut.segments; ++i)
      each(SegmentId(cut.first.index() + static_cast<std::size_t>(i)));
  }

 private:
  struct Taken {  // what a unit may take of a stream
    bool any = false;
    PlaceInOrder place;  // the best of its parts
    bool one_place = true, timed = false;
    Nanos longest_task{0};  // with copies
    std::string held_why;   // nobody can say that
  };

  Nanos Longer(Nanos time) const;
  void FindTaken();
  Served ServedBy(std::size_t stream) const;
  std::string NameOf(UnitId unit) const;
  bool IsServing(UnitId unit) const;
  std::string TroubleOf(UnitId unit) const;
  std::string TroubleBeside(std::size_t stream) const;
  std::string TroubleBehind(std::size_t stream) const;
  std::string KeptFrom(std::size_t stream) const;
  const Taken& TakenOf(std::size_t other, std::size_t stream) const {
    return taken_[other][served_[stream].unit.index()];
  }

  const Problem& problem_;
  const Policy& policy_;
  const std::vector<Stream>& streams_;
  SlotHolds holds_;
  double longer_;
  std::vector<std::vector<UnitId>> excluded_;  // per unit
  std::vector<std::vector<Taken>> taken_;      // per stream and unit; empty: in no fixed order
  std::vector<Served> served_;
  BesideEachOther beside_each_other_;
};

}  // namespace tandem
