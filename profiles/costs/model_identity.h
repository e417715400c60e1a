// Which model of a profile is which of somebody else's, where names and paths alone do not tell.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/costs/profile.h"
#include "profiles/model/model.h"

namespace tandem {

// Says of each model what network it is, where that can be told and is not said yet.
void AddStructures(Profile& profile);

// `name`, as it stands in the file `from`, for one in `to`: what is shipped as it is, a file by its path from
// there; by its full path where `to` is empty.
std::string NameFrom(std::string_view name, const std::filesystem::path& from,
                     const std::filesystem::path& to);
// The same for all that the profile names; it is that file's then.
void MoveProfile(Profile& profile, const std::filesystem::path& to);

// A model of a scenario.
struct WantedModel {
  std::string name;  // as it is written
  std::string key;   // ModelKey
  const Model* model = nullptr;
};

// A model of which no profile has a time gets the entries of one of the same structure, whatever its name and
// those of its layers are; a sentence for each. Throws InputError where a name stands for another network now
// than the one that was measured.
std::vector<std::string> TakeAlikeModels(const std::vector<Profile*>& profiles,
                                         const std::vector<WantedModel>& wanted);

// Where no profile has a time for the model: what they have instead, or what is nearest: "; the profiles have
// times for a, b".
std::string WhatProfilesHave(const std::vector<Profile>& profiles, const WantedModel& wanted);

}  // namespace tandem
