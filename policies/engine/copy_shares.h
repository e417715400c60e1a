// What copies that are under way at once get of the links, hubs and memories that they share.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/engine/occupation.h"
#include "policies/problem/problem.h"

namespace tandem {

// A copy asks for what it has alone, the least of the bandwidths of its link, its hub and the memories at its
// ends, and where its slot is slowed down for as many thousandths of that as its slot's rate is.
// What all ask for is divided fairly: nobody gets more than it asks for, and nobody less than another one at
// the same bottleneck, unless it asks for less. In thousandths of a byte a second.
class CopyShares {
 public:
  explicit CopyShares(const Problem& problem);

  // Can copies be in each other's way at all? Else each has what it asks for, always.
  bool on() const { return on_; }
  // Divides among what is under way now. `rates`: of each place, as if it copied alone; afterwards no more
  // than what its copy gets.
  void Divide(const std::vector<Occupation>& all, std::vector<Rate>& rates);
  // Of a copy over the link by a slot at its full rate, in thousandths of what it would do alone, whatever
  // else is under way.
  Rate Least(LinkId link) const;

 private:
  struct Sharer {  // a link, a hub or a memory
    std::int64_t bandwidth = 0;
    std::int64_t left = 0;    // of Divide: of what is not given yet
    std::int64_t copies = 0;  // and that have nothing yet
  };
  struct Copy {
    PlaceId place;
    LinkId link;
    std::int64_t asks = 0;
  };
  struct OfLink {
    std::int64_t alone = 0;
    std::vector<std::size_t> sharers;
  };

  void AddLink(const Platform& platform, const Link& link);
  bool CanMeet(const Problem& problem);
  std::vector<LinkId> UsedBy(const Problem& problem, UnitId unit) const;
  void Give(std::size_t copy, std::int64_t bandwidth, std::vector<Rate>& rates);

  std::vector<Sharer> sharers_;  // links, hubs, memories; those without a bandwidth count for nobody
  std::vector<OfLink> links_;
  std::vector<std::int64_t> most_;  // per sharer: places that may copy there at once
  bool on_ = false;
  std::vector<Copy> copies_;  // of Divide: that have nothing yet
};

}  // namespace tandem
