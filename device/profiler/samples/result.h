// Makes a profile of samples, and the tables that say how far they can be trusted.
#pragma once

#include <cstddef>
#include <string>

#include "device/profiler/samples/samples.h"

namespace tandem {

// Entries, transfers, loads, kernels, dispatch, co-running and traffic; the origin is the caller's.
void FillProfile(const ProfilerSamples& samples, double noise, Profile& profile);

// One model, batch and unit; times in nanoseconds, medians. A part that was not measured is 0.
struct ProfileSummaryRow {
  ProfiledModel model;
  std::string unit, precision;
  Nanos whole{0};
  double half_width = 0;  // of the whole model's median, a fraction of it
  std::size_t samples = 0;
  std::size_t steps = 0, reorders = 0;  // inside the whole model
  Nanos inside{0};                      // sum of the steps
  Nanos reordering{0};                  // of that: changes of layout
  std::size_t groups = 0;
  Nanos of_groups{0};  // sum of the groups as segments of their own
  Nanos of_layers{0};
  Nanos cold{0};
  Nanos mapped{0};           // through a mapping
  Nanos device{0};           // by the unit's own clock; whole - device: starting it and waiting for its end
  Nanos core{0};             // that the unit's thread kept a core busy meanwhile
  std::size_t unstable = 0;  // entries
};
std::vector<ProfileSummaryRow> SummaryOf(const ProfilerSamples& samples, double noise);

struct CurveError {
  std::size_t pairs = 0;
  double median = 0, worst = 0;  // of |curve / measured - 1|
};
CurveError ErrorOfCurves(const ProfilerSamples& samples);
// Root mean square of curve / measured - 1 over the pairs that a point's curve was set against; nothing
// without one.
std::optional<double> ErrorOfCurve(const ProfilerSamples& samples, const CoRunningEntry& point);

std::string Megabytes(std::int64_t bytes);  // "408 MB"

std::string ProfilerSummaryText(const ProfilerSamples& samples, double noise, std::size_t width);
// For somebody who waits: a line for each model on each unit that has samples, and how much there is of the
// rest.
std::vector<std::string> KnownSoFar(const ProfilerSamples& samples);
std::string ProfilerSummaryJson(const ProfilerSamples& samples, double noise);

// Is it of the request's units and models? In a store there are others, too.
bool IsAskedFor(const ProfileOrder& request, const KernelEntry& of);

}  // namespace tandem
