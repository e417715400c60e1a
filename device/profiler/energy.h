// Measures the energy of one run of each model on each unit, as far as this machine has sensors for it.
#pragma once

#include "device/energy/meter.h"
#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/watch.h"

namespace tandem {

// Fills `samples`, goes on with what is in there. A model is run again and again for two seconds, or as long
// as its unit's sensor needs; what the sensor counts while nothing runs, measured before, is taken off. What
// cannot be told is noted.
void MeasureEnergy(const ProfileOrder& request, ProfilerBench& bench, EnergyMeter& meter,
                   ProfilerWatch& watch, ProfilerSamples& samples);

// For the profile's origin: by which sensors, what idle came to, what could not be told. Empty where energy
// was not asked for.
std::string EnergyNote(const ProfilerSamples& samples);

}  // namespace tandem
