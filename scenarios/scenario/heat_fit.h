// From a log of a run that became too hot to what a scenario says of the unit's heat.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario/heat.h"

namespace tandem {

struct HeatLogRow {
  double time_s = 0, celsius = 0;
  double mhz = 0;
  double busy = 1;          // share of the time since the row before that the unit was at work
  std::string place;        // "burn.csv:7"
  bool tells_busy = false;  // else `busy` is assumed
};

// A table with the columns time_s, celsius and mhz, and perhaps busy. Throws InputError where it has others,
// what is no number, or dates that do not ascend.
std::vector<HeatLogRow> ReadHeatLog(std::string_view text, const std::string& file);

struct HeatFit {
  UnitHeat heat;       // its warmth that of the first row
  double ambient = 0;  // in degrees; what work at full speed adds in the end
  double rise = 0;
  double off = 0;            // root mean square of what temperatures are off by, in degrees
  double hot = 0, cool = 0;  // in degrees
  bool recovered =
      false;  // else where it would have its speed again is not in the log: the usual share of hot
};

// The two parameters, time constant and rise, by least squares over all rows. The unit is held back where its
// clock is low in rows in which it is busy for more than half of the time. Where no row tells how busy it
// was, a low clock before the first full one, and one at the end while it cools down, are taken for no work;
// what could be either is left out. `ambient`: without one that of the coolest row. Throws InputError where
// the unit is never held back, or the log ends before it says how warm the unit would become.
HeatFit FitHeat(std::span<const HeatLogRow> rows, const std::string& file,
                std::optional<double> ambient = {});

}  // namespace tandem
