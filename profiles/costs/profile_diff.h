// What changed from one profile to another: layers, units and copies that moved beyond their own noise.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/costs/profile.h"

namespace tandem {

// In the order in which they are told.
enum class TimeMove : std::uint8_t {
  kSlower,
  kFaster,
  kUntested,  // another median, but no samples that tell the noise
  kGone,      // the new profile has it no more
  kNew,
  kSame,  // as far as the noise lets one tell
};
inline constexpr std::array<Named<TimeMove>, 6> kTimeMoveNames = {{{"slower", TimeMove::kSlower},
                                                                   {"faster", TimeMove::kFaster},
                                                                   {"untested", TimeMove::kUntested},
                                                                   {"gone", TimeMove::kGone},
                                                                   {"new", TimeMove::kNew},
                                                                   {"same", TimeMove::kSame}}};

struct ProfileDiffRow {
  std::string kind;  // "entry", "part", "transfer", "load", "dispatch"
  std::string unit;  // of a transfer "dram to gpu"
  std::string what;  // "resnet50, conv1 to relu1, batch 4"
  std::optional<Timing> before, after;
  std::optional<double> p;     // that noise alone makes them differ so
  std::optional<double> rate;  // of false discoveries, were everything of this p or less taken for moved
  TimeMove move = TimeMove::kSame;

  std::optional<double> Change() const;  // of the medians: after / before - 1
};

// What is moved to tell: at most this share of it is noise.
inline constexpr double kMostFalseDiscoveries = 0.05;

// Moved ones first, the slowest of them first. What moved by less than the fraction `least` counts as the
// same.
std::vector<ProfileDiffRow> DiffProfiles(const Profile& before, const Profile& after, double least = 0);

}  // namespace tandem
