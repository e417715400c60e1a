// The folder that the clock states of a request are measured into: a profile and its samples for each, and
// the platform that they are of.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "device/profiler/samples/samples.h"

namespace tandem {

class ProfileFolder {
 public:
  explicit ProfileFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Is that to be a folder? It is one, or its name ends like one.
  static bool IsMeant(const std::filesystem::path& output);

  std::filesystem::path ProfileOf(const std::string& state) const;
  std::filesystem::path PartialOf(const std::string& state) const;
  std::filesystem::path SamplesOf(const std::string& state) const;

  // Makes it, with platform.json. Throws EnvironmentError.
  void Make(const Platform& platform) const;
  // All samples of a request of one clock state; nothing where that was not measured to its end, or
  // elsewhere.
  std::optional<ProfilerSamples> Measured(const ProfileOrder& of_state) const;
  // What an interrupted run has.
  std::optional<ProfilerSamples> Begun(const ProfileOrder& of_state) const;
  void Keep(const std::string& state, const ProfilerSamples& samples) const;

 private:
  std::filesystem::path folder_;
};

// The request in one of its clock states.
ProfileOrder OfState(ProfileOrder request, std::size_t state);

}  // namespace tandem
