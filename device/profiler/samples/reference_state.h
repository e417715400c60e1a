// Which passes count: those in which the machine was in its reference state, by the yardsticks that were read
// around them, and by whether clocks were held back for the heat. Pure functions of samples.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/profiler/samples/samples.h"

namespace tandem {

inline constexpr std::size_t kTooFewReadings = 10;   // to say what state is the reference
inline constexpr std::size_t kLeastInReference = 5;  // passes; fewer say too little

// Were clocks held back at more than four fifths of the readings, so that this is the state that counts? The
// other one is found where it holds for a fifth of the time, as any state is.
bool IsHot(const std::vector<bool>& held_back, std::size_t readings);
// What a yardstick reads in the reference state, by at least one reading: where that is not hot, by those at
// which nothing was held back.
Nanos LevelOf(const std::vector<Nanos>& readings, const std::vector<bool>& held_back);

// By unit; those without a yardstick are not there.
std::map<std::string, Nanos> LevelsOf(const ProfilerSamples& samples);
// The same of readings while others had theirs, where there are enough.
std::map<std::string, Nanos> LevelsAtOnce(const ProfilerSamples& samples);

// The passes in the reference state; where they are fewer than five all of them, each scaled by its reading
// to what it would have taken there, and marked. `level` 0: there is no yardstick, and nothing to scale by.
// `hot`: in that state clocks are held back, else passes that were do not count.
SourceSamples InReference(const SourceSamples& all, Nanos level, bool hot = false);
// All sources so, with a note for each unit of which some had to be scaled. Once more it changes nothing.
ProfilerSamples InReferenceState(ProfilerSamples samples);
// A sentence for each unit whose clocks were held back at some of its readings: at how many, and what came of
// it. By all samples, before those are taken out.
std::vector<std::string> HeldBackNotes(const ProfilerSamples& samples);

// How disturbed each unit with readings was, in order of time: a reading holds until the next one of its
// unit. What lies more than a quarter of a second behind the last reading of any unit is not known, and left
// out. Units' stretches are equally many and equally long.
std::map<std::string, MachineCourse> MachineWhile(const ProfilerSamples& samples);

// Relative standard error that all times may share: of what a run in the reference state takes against what
// was profiled. docs/profiling.md has the reasons. Nothing where there is too little to tell.
std::optional<double> SharedError(const ProfilerSamples& in_reference);

}  // namespace tandem
