// Which unit works off a stream's tasks, and whose come before them, where the policy ranks tasks in an order
// that is fixed by stream: what response times are proved from.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "policies/engine/policy.h"
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

class FixedService {
 public:
  // Both outlive it. `longer`: tasks take so many times what the profile says.
  FixedService(const Problem& problem, const Policy& policy, double longer);

  const Problem& problem() const { return problem_; }
  const Served& Of(std::size_t stream) const { return served_[stream]; }
  // The other streams of which its unit may take tasks: those that come before it, or with it, ...
  std::vector<std::size_t> NotAfter(std::size_t stream) const;
  // ... and those that come after it, of which the unit may have begun one task just before.
  std::vector<std::size_t> After(std::size_t stream) const;
  Nanos Blocking(std::size_t stream) const;  // the longest task of these

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
    Nanos longest_task{0};
  };

  Nanos Longer(Nanos time) const;
  void FindTaken(const Policy& policy);
  Served ServedBy(std::size_t stream) const;
  std::string NameOf(UnitId unit) const;
  bool IsServing(UnitId unit) const;
  std::string TroubleOf(UnitId unit) const;
  std::string KeptFrom(std::size_t stream) const;
  const Taken& TakenOf(std::size_t other, std::size_t stream) const {
    return taken_[other][served_[stream].unit.index()];
  }

  const Problem& problem_;
  const std::vector<Stream>& streams_;
  double longer_;
  std::vector<std::vector<UnitId>> excluded_;  // per unit
  std::vector<std::vector<Taken>> taken_;      // per stream and unit; empty: in no fixed order
  std::vector<Served> served_;
};

}  // namespace tandem
