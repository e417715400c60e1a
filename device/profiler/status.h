// What of a request is measured already and what is left, by the samples that are kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/profiler/samples/samples.h"

namespace tandem {

enum class ProfileProgress : std::uint8_t { kLeft, kBegun, kDone };
inline constexpr std::array<Named<ProfileProgress>, 3> kProfileProgressNames = {
    {{"left", ProfileProgress::kLeft}, {"begun", ProfileProgress::kBegun}, {"done", ProfileProgress::kDone}}};

// A model on a unit, alone: the ways to cut it that were asked for.
struct ProfileStatusRow {
  std::string unit;  // as LabelOf has it
  ProfiledModel model;
  std::size_t done = 0, begun = 0, all = 0;
  double half_width = 0;  // of the whole model's median, a fraction of it; 0: unknown
};
std::vector<ProfileStatusRow> StatusRowsOf(const ProfileOrder& request, const ProfilerSamples& samples);

struct ProfileStatus {
  std::string state;  // of the clocks; may be empty
  ProfileProgress progress = ProfileProgress::kLeft;
  std::vector<ProfileStatusRow> rows;
  std::size_t beside = 0;  // measurements of parts, beside others and under loads that are done
};
// `samples`: nothing is kept where there are none. `done`: all of it is measured.
ProfileStatus StatusOf(const ProfileOrder& request, const std::optional<ProfilerSamples>& samples, bool done);

std::string ProfileStatusText(const std::vector<ProfileStatus>& states, std::size_t width);
std::string ProfileStatusJson(const std::vector<ProfileStatus>& states);

// By which `finished` has that there is no such source: a model of one group is not cut.
std::string NoSuchSource(const SampleSource& source);

}  // namespace tandem
