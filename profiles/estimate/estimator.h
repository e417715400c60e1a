// Room profiles/estimate: times for boards that nobody has, fitted to those that somebody has, with how far
// off they are.
//
// Makes a profile for a board that nobody has at hand. A layer's time is estimated from the unit's peak rate
// and memory bandwidth and from the share of these that layers of its class reach on boards whose layers are
// known; the sums are fitted to whole-model times where those are known. How far off this is:
// docs/estimator.md.
#pragma once

#include <string>
#include <vector>

#include "profiles/costs/profile.h"
#include "profiles/estimate/efficiency_fit.h"
#include "profiles/estimate/known_layers.h"
#include "profiles/estimate/spec.h"

namespace tandem {

// One entry per layer that computes, per unit and model of the spec; origin estimated. The same spec and the
// same known boards give the same bytes everywhere.
Profile EstimateProfile(const EstimateSpec& spec);

// Fits both forms of the roofline and keeps the one that is nearer to most of the layers.
EfficiencyModel FitBestForm(const std::vector<KnownTime>& known);

// The peak rate at which `layers` take `seconds` in all, where that is possible at this bandwidth; else the
// largest or smallest that is tried.
double PeakFor(const EfficiencyModel& efficiency, const std::vector<LayerWork>& layers,
               const Rates& bandwidth, double seconds);

}  // namespace tandem
