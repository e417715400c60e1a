#include "policies/engine/copy_shares.h"

#include <algorithm>
#include <cmath>

namespace tandem {
namespace {

__extension__ using Wide = __int128;  // the greatest bandwidths, times a thousand

std::int64_t InThousandths(double bandwidth) { return std::llround(bandwidth * kFullRate); }

// value * by / over, rounded down, `by` being a rate. To divide more than 64 bits takes several times as
// long.
std::int64_t Scaled(std::int64_t value, std::int64_t by, std::int64_t over) {
  if (value <= INT64_MAX / kFullRate) return value * by / over;
  return static_cast<std::int64_t>(static_cast<Wide>(value) * by / over);
}

// As many thousandths of it, rounded down.
std::int64_t PartOf(std::int64_t all, Rate thousandths) {
  return thousandths == kFullRate ? all : Scaled(all, thousandths, kFullRate);
}

// How many thousandths of all it is, rounded down, but at least one.
Rate RateOf(std::int64_t part, std::int64_t all) {
  return static_cast<Rate>(std::max<std::int64_t>(1, Scaled(part, kFullRate, all)));
}

}  // namespace

CopyShares::CopyShares(const Problem& problem) {
  const Platform& platform = problem.platform();
  const auto add = [&](double bandwidth) { sharers_.push_back({InThousandths(bandwidth)}); };
  for (const Link& link : platform.links) add(link.bandwidth_bytes_per_s);
  for (const Hub& hub : platform.hubs) add(hub.bandwidth_bytes_per_s);
  for (const Memory& memory : platform.memories) add(memory.bandwidth_bytes_per_s.value_or(0));
  for (const Link& link : platform.links) AddLink(platform, link);
  on_ = !links_.empty() && CanMeet(problem);
}

void CopyShares::AddLink(const Platform& platform, const Link& link) {
  const std::size_t hubs = platform.links.size(), memories = hubs + platform.hubs.size();
  OfLink of{InThousandths(platform.AloneOver(link)), {links_.size()}};
  if (link.hub.valid()) of.sharers.push_back(hubs + link.hub.index());
  for (const MemoryId end : {link.from, link.to}) {
    if (platform.memories[end.index()].bandwidth_bytes_per_s) of.sharers.push_back(memories + end.index());
  }
  links_.push_back(std::move(of));
}

// The links that a slot of the unit may copy over: what it brings in, and outputs on their way back.
std::vector<LinkId> CopyShares::UsedBy(const Problem& problem, UnitId unit) const {
  std::vector<LinkId> used;
  const auto add = [&](MemoryId from, MemoryId to) {
    const auto& way = problem.routes().Way(from, to);
    if (!way || problem.routes().ByEngines(from, to)) return;
    for (const Hop& hop : *way) used.push_back(hop.link);
  };
  const MemoryId own = problem.MemoryOf(unit);
  for (std::size_t m = 0; m < problem.platform().memories.size(); ++m) add(MemoryId(m), own);
  add(own, MemoryId(0));
  return used;
}

// Has anything less than all places together may ask it for?
bool CopyShares::CanMeet(const Problem& problem) {
  bool copies = false;
  for (std::size_t s = 0; s < problem.segments().size() && !copies; ++s)
    copies = problem.Copies(SegmentId(s));
  if (!copies) return false;
  std::vector<Wide> asked(sharers_.size());
  most_.assign(sharers_.size(), 0);
  const auto ask = [&](const std::vector<LinkId>& links, std::size_t places) {
    std::vector<std::int64_t> most(sharers_.size());
    for (const LinkId link : links) {
      const OfLink& of = links_[link.index()];
      for (const std::size_t sharer : of.sharers) most[sharer] = std::max(most[sharer], of.alone);
    }
    for (std::size_t s = 0; s < most.size(); ++s) {
      asked[s] += static_cast<Wide>(most[s]) * static_cast<Wide>(places);
      most_[s] += most[s] > 0 ? static_cast<std::int64_t>(places) : 0;
    }
  };
  for (std::size_t u = 0; u < problem.units(); ++u)
    ask(UsedBy(problem, UnitId(u)), problem.places().slots(UnitId(u)));
  for (std::size_t l = 0; l < links_.size(); ++l) {
    if (problem.platform().links[l].engine) ask({LinkId(l)}, 1);
  }
  for (std::size_t s = 0; s < sharers_.size(); ++s) {
    if (asked[s] > sharers_[s].bandwidth) return true;
  }
  return false;
}

void CopyShares::Give(std::size_t copy, std::int64_t bandwidth, std::vector<Rate>& rates) {
  const Copy& to = copies_[copy];
  const OfLink& of = links_[to.link.index()];
  for (const std::size_t sharer : of.sharers) {
    sharers_[sharer].left -= bandwidth;
    --sharers_[sharer].copies;
  }
  // Who gets all that it asks for is as fast as its slot is.
  if (bandwidth < to.asks) rates[to.place.index()] = RateOf(bandwidth, of.alone);
  copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(copy));
}

void CopyShares::Divide(const std::vector<Occupation>& all, std::vector<Rate>& rates) {
  copies_.clear();
  for (const Occupation& slot : all) {
    if (!slot.working || slot.step >= slot.steps.size()) continue;
    const LinkId link = slot.steps[slot.step].link;
    if (!link.valid()) continue;
    const Rate rate = std::min(rates[slot.place.index()], kFullRate);  // nothing has more than there is
    copies_.push_back({slot.place, link, PartOf(links_[link.index()].alone, rate)});
  }
  if (copies_.size() < 2) return;
  for (Sharer& sharer : sharers_) sharer = {sharer.bandwidth, sharer.bandwidth, 0};
  for (const Copy& copy : copies_) {
    for (const std::size_t sharer : links_[copy.link.index()].sharers) ++sharers_[sharer].copies;
  }
  while (!copies_.empty()) {
    std::size_t narrowest = sharers_.size();
    std::int64_t level = INT64_MAX;
    for (std::size_t s = 0; s < sharers_.size(); ++s) {
      const Sharer& sharer = sharers_[s];
      if (sharer.copies == 0 || sharer.left / sharer.copies >= level) continue;
      level = sharer.left / sharer.copies;
      narrowest = s;
    }
    const auto asks_less = [&](const Copy& copy) { return copy.asks <= level; };
    const auto modest = std::find_if(copies_.begin(), copies_.end(), asks_less);
    if (modest != copies_.end()) {
      Give(static_cast<std::size_t>(modest - copies_.begin()), modest->asks, rates);
      continue;
    }
    for (std::size_t c = copies_.size(); c-- > 0;) {
      const auto& sharers = links_[copies_[c].link.index()].sharers;
      if (std::find(sharers.begin(), sharers.end(), narrowest) != sharers.end()) Give(c, level, rates);
    }
  }
}

// What is divided fairly leaves nobody less than an equal part of each of its bottlenecks, or all it asks
// for.
Rate CopyShares::Least(LinkId link) const {
  if (!on_) return kFullRate;
  const OfLink& of = links_[link.index()];
  std::int64_t least = of.alone;
  for (const std::size_t s : of.sharers)
    least = std::min(least, sharers_[s].bandwidth / std::max<std::int64_t>(most_[s], 1));
  return RateOf(least, of.alone);
}

}  // namespace tandem
