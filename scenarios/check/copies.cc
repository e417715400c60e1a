#include "scenarios/check/copies.h"

#include <algorithm>
#include <cmath>

namespace tandem {
namespace {

// Of the whole, rounded down, at least one. A thousand times the greatest bandwidths are too many.
std::int64_t InThousandths(std::int64_t part, std::int64_t whole) {
  const auto thousandths = static_cast<__int128>(part) * 1000 / whole;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(thousandths));
}

}  // namespace

CheckedCopies::CheckedCopies(const CheckedRun& run) : run_(run) {
  const Platform& platform = run.platform();
  const auto name = [&](std::int32_t of) { return run.run().names[static_cast<std::size_t>(of)]; };
  for (const TracedSpan& span : run.run().spans) {
    const bool copies =
        span.kind == SpanKind::kTransfer || (span.kind == SpanKind::kLost && span.tensor >= 0);
    if (!copies || span.start >= span.end) continue;
    const MemoryId from = platform.FindMemory(name(span.from)), to = platform.FindMemory(name(span.to));
    for (std::size_t l = 0; l < platform.links.size(); ++l) {
      const Link& link = platform.links[l];
      if ((link.from == from && link.to == to) || (link.from == to && link.to == from))
        copies_.push_back({&span, l});
    }
  }
  std::sort(copies_.begin(), copies_.end(),
            [](const Copy& a, const Copy& b) { return a.span->start < b.span->start; });
  Nanos busy{0};
  for (const Copy& copy : copies_) {
    meet_ = meet_ || copy.span->start < busy;
    busy = std::max(busy, copy.span->end);
    longest_ = std::max(longest_, copy.span->end - copy.span->start);
  }
}

void CheckedCopies::AddDates(Nanos start, Nanos end, std::vector<Nanos>& dates) const {
  auto copy = std::partition_point(copies_.begin(), copies_.end(),
                                   [&](const Copy& before) { return before.span->start < start - longest_; });
  for (; copy != copies_.end() && copy->span->start < end; ++copy) {
    for (const Nanos date : {copy->span->start, copy->span->end}) {
      if (date > start && date < end) dates.push_back(date);
    }
  }
}

std::vector<CheckedCopies::Copy> CheckedCopies::UnderWay(Nanos date) const {
  std::vector<Copy> under_way;
  auto copy = std::partition_point(copies_.begin(), copies_.end(),
                                   [&](const Copy& before) { return before.span->start < date - longest_; });
  for (; copy != copies_.end() && copy->span->start <= date; ++copy) {
    if (copy->span->end > date) under_way.push_back(*copy);
  }
  return under_way;
}

std::map<CheckedCopies::Shared, std::int64_t> CheckedCopies::Asks(std::size_t link) const {
  const Platform& platform = run_.platform();
  const Link& over = platform.links[link];
  const auto thousandths = [](double bandwidth) {
    return static_cast<std::int64_t>(std::llround(bandwidth * 1000));
  };
  std::map<Shared, std::int64_t> of = {{{0, link}, thousandths(over.bandwidth_bytes_per_s)}};
  if (over.hub.valid())
    of[{1, over.hub.index()}] = thousandths(platform.hubs[over.hub.index()].bandwidth_bytes_per_s);
  for (const MemoryId end : {over.from, over.to}) {
    if (const auto& bandwidth = platform.memories[end.index()].bandwidth_bytes_per_s)
      of[{2, end.index()}] = thousandths(*bandwidth);
  }
  return of;
}

// Round by round: whoever asks for no more than the scarcest thing has for each of its copies gets that;
// where nobody does, its copies get as much as it has for each. Who is slowed down asks for so much less, who
// is faster for no more.
std::int64_t CheckedCopies::Rate(const TracedSpan& span, Nanos date,
                                 const std::function<std::int64_t(const TracedSpan&)>& alone) const {
  struct Claim {
    const TracedSpan* span;
    std::map<Shared, std::int64_t> of;
    std::int64_t full, rate, asks;
  };
  std::vector<Claim> claims;
  std::map<Shared, std::int64_t> left;
  for (const Copy& copy : UnderWay(date)) {
    Claim claim{copy.span, Asks(copy.link), 0, alone(*copy.span), 0};
    claim.full = std::min_element(claim.of.begin(), claim.of.end(), [](const auto& a, const auto& b) {
                   return a.second < b.second;
                 })->second;
    const std::int64_t part = std::min<std::int64_t>(claim.rate, 1000);
    claim.asks = claim.full / 1000 * part + claim.full % 1000 * part / 1000;
    left.insert(claim.of.begin(), claim.of.end());
    claims.push_back(std::move(claim));
  }
  while (!claims.empty()) {
    std::map<Shared, std::int64_t> each;
    for (const Claim& claim : claims) {
      for (const auto& [shared, all] : claim.of) ++each[shared];
    }
    for (auto& [shared, count] : each) count = left[shared] / count;
    const auto scarcest = std::min_element(each.begin(), each.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::int64_t level = scarcest->second;
    const bool modest =
        std::any_of(claims.begin(), claims.end(), [&](const Claim& claim) { return claim.asks <= level; });
    std::vector<Claim> open;
    for (Claim& claim : claims) {
      const bool gets = modest ? claim.asks <= level : claim.of.count(scarcest->first) > 0;
      const std::int64_t share = modest ? claim.asks : level;
      if (!gets) {
        open.push_back(std::move(claim));
        continue;
      }
      if (claim.span == &span) return share == claim.asks ? claim.rate : InThousandths(share, claim.full);
      for (const auto& [shared, all] : claim.of) left[shared] -= share;
    }
    claims = std::move(open);
  }
  return alone(span);
}

}  // namespace tandem
