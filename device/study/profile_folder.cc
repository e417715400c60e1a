#include "device/study/profile_folder.h"

#include <system_error>
#include <utility>

#include "device/profiler/profiler.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

// Samples of just this request, taken here; nothing where what is kept is of something else.
std::optional<ProfilerSamples> SamplesIn(const std::filesystem::path& file, const ProfileOrder& request) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  try {
    return KeptSamples(request, file, "");
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

bool ProfileFolder::IsMeant(const std::filesystem::path& output) {
  std::error_code error;
  return output.string().ends_with('/') || std::filesystem::is_directory(output, error);
}

std::filesystem::path ProfileFolder::ProfileOf(const std::string& state) const {
  return folder_ / (state + ".profile.json");
}

std::filesystem::path ProfileFolder::PartialOf(const std::string& state) const {
  return folder_ / (state + ".profile.json.partial");
}

std::filesystem::path ProfileFolder::SamplesOf(const std::string& state) const {
  return folder_ / (state + ".samples.json");
}

void ProfileFolder::Make(const Platform& platform) const {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw EnvironmentError(folder_.string() + ": " + error.message());
  WriteFile(folder_ / "platform.json", PlatformJson(platform));
}

std::optional<ProfilerSamples> ProfileFolder::Measured(const ProfileOrder& of_state) const {
  const std::string& name = of_state.clock_states.at(0).name;
  std::error_code error;
  if (!std::filesystem::exists(ProfileOf(name), error)) return std::nullopt;
  return SamplesIn(SamplesOf(name), of_state);
}

std::optional<ProfilerSamples> ProfileFolder::Begun(const ProfileOrder& of_state) const {
  return SamplesIn(PartialOf(of_state.clock_states.at(0).name), of_state);
}

void ProfileFolder::Keep(const std::string& state, const ProfilerSamples& samples) const {
  WriteFile(SamplesOf(state), ProfilerSamplesJson(samples));
}

ProfileOrder OfState(ProfileOrder request, std::size_t state) {
  request.clock_states = {request.clock_states.at(state)};
  return request;
}

}  // namespace tandem
