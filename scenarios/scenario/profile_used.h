// Where the times of a result come from: said beside everything that was made of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/base/fields.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

struct ProfileUsed {
  std::string name;  // of its file, without folders; "in place"
  Origin origin;     // without what only the profile itself has to keep: clocks, libraries, threads

  // Of what was measured: is it known how far all its times may lie off together? Of others that is no drift.
  bool DriftIsMeasured() const { return origin.kind != OriginKind::kMeasured || origin.error; }
  friend bool operator==(const ProfileUsed&, const ProfileUsed&) = default;
};

// The scenario's, in their order.
std::vector<ProfileUsed> ProfilesUsed(const Scenario& scenario);
// Adds those that are not among them: of what was made of several scenarios.
void AddProfilesUsed(const Scenario& scenario, std::vector<ProfileUsed>& used);

// Is any drift of several not known? What one profile's times drift by is the same luck for all; those of
// another do not drift along.
bool MayHaveDriftedApart(const std::vector<ProfileUsed>& used);

// How far off the times of the streams' models may be, as a share, as far as the profiles say: their error,
// and how far the mean of samples lies from the median, with the standard error of that mean. Nothing: nobody
// knows of one that has neither (few samples that are all alike say nothing), profiles may have drifted
// apart, or none has an entry of these models.
std::optional<double> UnknownShare(const Scenario& scenario);

// By what it is told who is best. Draws have what profiles are off by in them; runs of medians have not.
enum class ToldBy : std::uint8_t { kRuns, kDraws };

// "x.profile.json: times estimated (by a roofline), +-18 % that all share: a margin inside that is no win": a
// sentence each, none twice. By draws: how they take that error.
std::vector<std::string> OriginSentences(const std::vector<ProfileUsed>& profiles, ToldBy by = ToldBy::kRuns);

// What is said below results of the times that they were made of: behind "estimated: " what was taken for
// want of a measurement, then the origins.
std::vector<std::string> SentencesOfTimes(const std::vector<std::string>& estimated,
                                          const std::vector<ProfileUsed>& profiles,
                                          ToldBy by = ToldBy::kRuns);

// What is said of an origin beside a result, for objects that have more keys.
const Fields<Origin>& OriginOfTimesFields();
CodecOf<std::vector<ProfileUsed>> UsedProfiles();

}  // namespace tandem
