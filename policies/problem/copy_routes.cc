#include "policies/problem/copy_routes.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tandem {
namespace {

// Ways are chosen once, for a tensor of middling size, so that a plan's copies do not jump between ways.
constexpr std::int64_t kTypicalBytes = 1 << 20;

}  // namespace

CopyRoutes::CopyRoutes(const Scenario& scenario)
    : CopyRoutes(scenario, [&](std::size_t profile, std::size_t entry) {
        return scenario.profiles[profile].transfers[entry].time.median;
      }) {}

CopyRoutes::CopyRoutes(const Scenario& scenario, const TimeOf& time_of)
    : platform_(&*scenario.platform),
      memories_(platform_->memories.size()),
      measured_(memories_ * memories_),
      ways_(memories_ * memories_) {
  for (std::size_t p = 0; p < scenario.profiles.size(); ++p) {
    const std::vector<TransferEntry>& transfers = scenario.profiles[p].transfers;
    for (std::size_t e = 0; e < transfers.size(); ++e) {
      const MemoryId from = platform_->FindMemory(transfers[e].from),
                     to = platform_->FindMemory(transfers[e].to);
      if (from.valid() && to.valid()) measured_[At(from, to)].push_back({transfers[e].bytes, time_of(p, e)});
    }
  }
  for (auto& samples : measured_) {
    std::sort(samples.begin(), samples.end(),
              [](const Sample& a, const Sample& b) { return a.bytes < b.bytes; });
  }
  FindWays();
}

// From every memory outwards, always on from the nearest one reached; few memories, so by plain search.
void CopyRoutes::FindWays() {
  for (std::size_t start = 0; start < memories_; ++start) {
    std::vector<std::pair<Nanos, std::size_t>> best(memories_, {Nanos{INT64_MAX}, 0});  // time, links
    std::vector<bool> settled(memories_);
    best[start] = {Nanos{0}, 0};
    ways_[start * memories_ + start] = std::vector<Hop>{};
    for (std::size_t round = 0; round < memories_; ++round) {
      std::size_t at = memories_;
      for (std::size_t m = 0; m < memories_; ++m) {
        if (!settled[m] && ways_[start * memories_ + m] && (at == memories_ || best[m] < best[at])) at = m;
      }
      if (at == memories_) break;
      settled[at] = true;
      for (std::size_t l = 0; l < platform_->links.size(); ++l) {
        const Link& link = platform_->links[l];
        const MemoryId here(at);
        const MemoryId next = link.from == here ? link.to : link.to == here ? link.from : MemoryId();
        if (!next.valid()) continue;
        const Hop hop{LinkId(l), here, next};
        const std::pair<Nanos, std::size_t> cost{best[at].first + Time(hop, kTypicalBytes),
                                                 best[at].second + 1};
        if (!(cost < best[next.index()])) continue;
        best[next.index()] = cost;
        std::vector<Hop> way = *ways_[start * memories_ + at];
        way.push_back(hop);
        ways_[start * memories_ + next.index()] = std::move(way);
      }
    }
  }
}

const std::optional<std::vector<Hop>>& CopyRoutes::Way(MemoryId from, MemoryId to) const {
  return ways_[At(from, to)];
}

bool CopyRoutes::IsEngine(LinkId link) const { return platform_->links[link.index()].engine; }

bool CopyRoutes::ByEngines(MemoryId from, MemoryId to) const {
  const auto& way = Way(from, to);
  return way && !way->empty() &&
         std::all_of(way->begin(), way->end(), [&](const Hop& hop) { return IsEngine(hop.link); });
}

// Between two measured sizes on the straight line, below the least one its time, beyond the greatest at its
// bytes per second.
Nanos CopyRoutes::Time(const Hop& hop, std::int64_t bytes) const {
  const auto& samples = measured_[At(hop.from, hop.to)];
  const auto up = [](double value) { return Nanos{static_cast<std::int64_t>(std::ceil(value))}; };
  if (samples.empty()) {
    const Link& link = platform_->links[hop.link.index()];
    return link.latency + up(static_cast<double>(bytes) / platform_->AloneOver(link) * 1e9);
  }
  const auto above =
      std::find_if(samples.begin(), samples.end(), [&](const Sample& s) { return s.bytes >= bytes; });
  if (above == samples.end()) {
    const Sample& last = samples.back();
    return up(static_cast<double>(last.time.count()) * static_cast<double>(bytes) /
              static_cast<double>(std::max<std::int64_t>(last.bytes, 1)));
  }
  if (above->bytes == bytes || above == samples.begin()) return above->time;
  const Sample& below = *(above - 1);
  const double share =
      static_cast<double>(bytes - below.bytes) / static_cast<double>(above->bytes - below.bytes);
  return below.time + up(share * static_cast<double>((above->time - below.time).count()));
}

Nanos CopyRoutes::Time(MemoryId from, MemoryId to, std::int64_t bytes) const {
  const auto& way = Way(from, to);
  if (!way) return Nanos{-1};
  Nanos total{0};
  for (const Hop& hop : *way) total += Time(hop, bytes);
  return total;
}

}  // namespace tandem
