// What copies that were under way at once had of the links, hubs and memories that they shared. Of simulated
// runs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "scenarios/check/checked_run.h"

namespace tandem {

class CheckedCopies {
 public:
  explicit CheckedCopies(const CheckedRun& run);

  // Were any two of them under way at once?
  bool meet() const { return meet_; }
  // Adds the dates between the two at which copies begin or end.
  void AddDates(Nanos start, Nanos end, std::vector<Nanos>& dates) const;
  // How fast the span was right after the date, in thousandths of full speed; `alone`: how fast each of those
  // under way would have been had none of the others been.
  std::int64_t Rate(const TracedSpan& span, Nanos date,
                    const std::function<std::int64_t(const TracedSpan&)>& alone) const;

 private:
  using Shared = std::pair<int, std::size_t>;  // links, then hubs, then memories; which of them
  struct Copy {
    const TracedSpan* span = nullptr;
    std::size_t link = 0;
  };

  std::vector<Copy> UnderWay(Nanos date) const;
  std::map<Shared, std::int64_t> Asks(std::size_t link) const;  // of what, and how much that has

  const CheckedRun& run_;
  std::vector<Copy> copies_;  // by start
  Nanos longest_{0};
  bool meet_ = false;
};

}  // namespace tandem
