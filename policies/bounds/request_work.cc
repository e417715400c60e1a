#include "policies/bounds/request_work.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tandem {
namespace {

constexpr std::size_t kMostSums = 4'000'000;  // of samples in a row, for one theta

// Entries that a segment's time has several times are drawn once.
std::vector<SampledTimes::Part> PartsOnce(const SampledTimes& times, SegmentId segment, UnitId unit) {
  std::vector<SampledTimes::Part> once;
  for (const SampledTimes::Part& part : times.PartsOf(segment, unit)) {
    const auto same = std::ranges::find(once, part.entry, &SampledTimes::Part::entry);
    if (same != once.end()) {
      same->share += part.share;
    } else {
      once.push_back(part);
    }
  }
  return once;
}

// By how much a drawn time is rounded up at most; whole samples that count once are whole.
double RoundingOf(const std::vector<SampledTimes::Part>& parts, double longer) {
  const auto whole = [](const SampledTimes::Part& part) {
    return part.share == 1 && !(part.samples && part.samples->tail_mean() > 0);
  };
  return longer == 1 && std::ranges::all_of(parts, whole) ? 0 : 0.5 * longer;
}

double Count(Nanos time) { return static_cast<double>(time.count()); }

// One of the mean, times theta: log E(e^(theta x)), which there is only below 1.
double LogOfTail(double theta, double mean) { return -std::log1p(-theta * mean); }

double GreatestSample(const DrawnSamples& samples) {
  double greatest = samples.tail_mean() > 0 ? samples.tail_from() : 0;
  for (std::size_t p = 0; p < samples.size(); ++p) {
    if (!samples.InTail(p)) greatest = std::max(greatest, Count(samples.Sample(p)));
  }
  return greatest;
}

void AddTo(DrawnTogether& group, const DrawnSamples& samples, double share) {
  group.values.resize(samples.size());
  for (std::size_t p = 0; p < samples.size(); ++p) {
    const bool tail = samples.InTail(p);
    group.values[p] += share * (tail ? samples.tail_from() : Count(samples.Sample(p)));
    if (!tail) continue;
    group.tails.resize(samples.size());
    group.tails[p].push_back(share * samples.tail_mean());
  }
}

}  // namespace

RequestWork::RequestWork(const FixedService& service, const SampledTimes& times, std::size_t stream,
                         double longer) {
  const UnitId unit = service.Of(stream).unit;
  std::map<std::pair<std::size_t, std::size_t>, DrawnTogether> in_blocks;  // by size and block length
  service.ForEachSegment(stream, [&](SegmentId segment) {
    const std::vector<SampledTimes::Part> parts = PartsOnce(times, segment, unit);
    fixed_ += longer * Count(times.FixedOf(segment, unit)) + RoundingOf(parts, longer);
    for (const SampledTimes::Part& part : parts) {
      const double share = longer * part.share;
      if (!part.samples) {
        fixed_ += share * Count(part.median);
      } else if (part.samples->block() > 1) {
        DrawnTogether& group = in_blocks[{part.samples->size(), part.samples->block()}];
        group.block = part.samples->block();
        AddTo(group, *part.samples, share);
      } else {
        AddTo(groups_.emplace_back(), *part.samples, share);
      }
    }
  });
  for (auto& [size, group] : in_blocks) groups_.push_back(std::move(group));
}

bool RequestWork::IsTooMuch() const {
  return std::ranges::any_of(
      groups_, [](const DrawnTogether& group) { return group.values.size() * group.block > kMostSums; });
}

double RequestWork::most() const {
  double most = fixed_;
  for (const DrawnTogether& group : groups_) {
    if (!group.tails.empty()) return kNone;
    most += std::ranges::max(group.values);
  }
  return most;
}

double RequestWork::greatest_tail() const {
  double greatest = 0;
  for (const DrawnTogether& group : groups_) {
    for (const std::vector<double>& tails : group.tails) {
      for (const double mean : tails) greatest = std::max(greatest, mean);
    }
  }
  return greatest;
}

RequestWork::Moments::Moments(const RequestWork& work, double theta) : work_(&work), theta_(theta) {
  slope_ = theta * work.fixed_;
  for (const DrawnTogether& group : work.groups_) {
    std::vector<double>& sums = sums_.emplace_back(1, 0.0);
    for (std::size_t i = 0; i < group.values.size() + group.block; ++i) {
      const std::size_t p = i % group.values.size();
      double exponent = theta * group.values[p];
      if (!group.tails.empty()) {
        for (const double mean : group.tails[p]) exponent += LogOfTail(theta, mean);
      }
      sums.push_back(sums.back() + exponent);
    }
    known_.emplace_back(group.block + 1, -1.0);
  }
  for (std::size_t g = 0; g < known_.size(); ++g) {
    const double whole = OfBlock(g, work.groups_[g].block);
    slope_ += whole / static_cast<double>(work.groups_[g].block);
    offset_ += 2 * whole;  // of blocks that begin before, or end behind
  }
}

double RequestWork::Moments::OfBlock(std::size_t group, std::size_t requests) {
  double& known = known_[group][requests];
  if (known >= 0) return known;
  const std::size_t positions = work_->groups_[group].values.size();
  const std::vector<double>& sums = sums_[group];
  double greatest = 0, total = 0;
  for (std::size_t p = 0; p < positions; ++p) greatest = std::max(greatest, sums[p + requests] - sums[p]);
  for (std::size_t p = 0; p < positions; ++p) total += std::exp(sums[p + requests] - sums[p] - greatest);
  known = std::max(greatest + std::log(total / static_cast<double>(positions)), 0.0);
  return known;
}

double RequestWork::Moments::Log(std::int64_t requests) {
  const auto all = static_cast<std::size_t>(requests);
  if (of_all_.size() <= all) of_all_.resize(all + 1, -1.0);
  if (of_all_[all] >= 0) return of_all_[all];
  double log = theta_ * work_->fixed_ * static_cast<double>(requests);
  for (std::size_t g = 0; g < known_.size(); ++g) {
    const std::size_t block = work_->groups_[g].block;
    double greatest = 0;
    for (std::size_t of_first = 1; of_first <= block; ++of_first) {  // that the first block has of them
      const std::size_t first = std::min(of_first, all), rest = all - first;
      const std::size_t whole = rest / block;  // blocks
      greatest = std::max(greatest, OfBlock(g, first) + static_cast<double>(whole) * OfBlock(g, block) +
                                        OfBlock(g, rest % block));
    }
    log += greatest;
  }
  of_all_[all] = log;
  return log;
}

double TaskLeft::LogMoment(double theta) const {
  double log = theta * fixed;
  for (const double mean : tails) log += LogOfTail(theta, mean);
  return log;
}

std::vector<TaskLeft> TasksLeft(const FixedService& service, const SampledTimes& times, std::size_t stream,
                                UnitId unit, double longer) {
  std::vector<TaskLeft> all;
  service.ForEachSegment(stream, [&](SegmentId segment) {
    if (!service.Takes(stream, segment, unit)) return;
    TaskLeft& left = all.emplace_back();
    const std::vector<SampledTimes::Part> parts = PartsOnce(times, segment, unit);
    const SlotHold hold = service.HoldOf(segment, stream, unit);
    left.fixed = longer * Count(times.FixedOf(segment, unit) + hold.copies) + RoundingOf(parts, longer);
    left.mapped = hold.mapped;
    for (const SampledTimes::Part& part : parts) {
      const double share = longer * part.share;
      left.fixed += share * (part.samples ? GreatestSample(*part.samples) : Count(part.median));
      if (part.samples && part.samples->tail_mean() > 0)
        left.tails.push_back(share * part.samples->tail_mean());
    }
  });
  return all;
}

}  // namespace tandem
