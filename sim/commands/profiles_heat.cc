// tandem profiles heat LOG
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"
#include "profiles/base/json_reader.h"
#include "profiles/program/command_line.h"
#include "profiles/program/program.h"
#include "scenarios/exchange/heat_log.h"
#include "scenarios/scenario/heat_fit.h"

namespace tandem::profiles_heat {
namespace {

struct HeatArguments {
  std::string log, unit = "gpu", zone;
  double ambient = std::numeric_limits<double>::quiet_NaN();
  bool json = false;
};

// Few digits are known of them.
double Rounded(double value) { return std::round(value * 1e4) / 1e4; }

nlohmann::ordered_json HeatJson(const HeatFit& fit, const std::string& unit) {
  return {{"unit", unit},
          {"time_constant_ms", std::round(static_cast<double>(fit.heat.time_constant.count()) / 1e6)},
          {"hot", Rounded(fit.heat.hot)},
          {"cool", Rounded(fit.heat.cool)},
          {"speed", Rounded(fit.heat.speed)}};
}

std::string FitText(const HeatFit& fit, const std::string& unit, std::size_t rows) {
  const auto degrees = [](double value) { return Fixed(value, 1) + " C"; };
  std::string text =
      "Of " + Counted(static_cast<std::int64_t>(rows), "row") + ": work at full speed takes " + unit + " " +
      degrees(fit.rise) + " above " + degrees(fit.ambient) + " in the end; after each " +
      Fixed(static_cast<double>(fit.heat.time_constant.count()) / 1e9, 1) +
      " s 1/e of the way is left. It is held back to " + PercentInTenths(fit.heat.speed) +
      " of its clock at " + degrees(fit.hot) + ", " +
      (fit.recovered
           ? "and has all of it again at " + degrees(fit.cool)
           : "and where it would have all of it again is not in the log: assumed are " + degrees(fit.cool)) +
      ". Temperatures are off by " + Fixed(fit.off, 2) + " C (root mean square).\n";
  return text + "For a scenario, to which \"warmth\" at the start may be added (here it was " +
         Fixed(fit.heat.warmth, 2) + "):\n  \"heat\": [" + HeatJson(fit, unit).dump() + "]\n";
}

// A table, or what `tandem-device run --json` printed.
std::vector<HeatLogRow> RowsOf(const HeatArguments& arguments) {
  const std::string text = ReadTextFile(arguments.log);
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') {
    const JsonDocument document = JsonDocument::Parse(text, arguments.log);
    return HeatLogOf(ReadRunAnswer(document.root()), arguments.unit, arguments.zone, arguments.log);
  }
  if (!arguments.zone.empty())
    throw InputError("--zone: a table has one temperature; a device's result several");
  return ReadHeatLog(text, arguments.log);
}

int FitLog(const HeatArguments& arguments) {
  const std::vector<HeatLogRow> rows = RowsOf(arguments);
  const HeatFit fit = FitHeat(
      rows, arguments.log, std::isnan(arguments.ambient) ? std::nullopt : std::optional(arguments.ambient));
  if (arguments.json) {
    WriteOutput(JsonOutput({{"heat", {HeatJson(fit, arguments.unit)}},
                            {"rows", rows.size()},
                            {"ambient_c", fit.ambient},
                            {"rise_c", fit.rise},
                            {"hot_c", fit.hot},
                            {"cool_c", fit.cool},
                            {"recovered", fit.recovered},
                            {"warmth_at_start", fit.heat.warmth},
                            {"off_c", fit.off}}));
  } else {
    WriteOutput(FitText(fit, arguments.unit, rows.size()));
  }
  return kExitDone;
}

void Declare(Command& command, HeatArguments& arguments) {
  command
      .Add("LOG", &arguments.log,
           "a table with the columns time_s, celsius, mhz, and perhaps busy (0 to 1); or what `tandem-device "
           "run --json` printed")
      .Required();
  command.Add("--unit", &arguments.unit, "the unit's name in the scenario (gpu)").Shown("NAME");
  command
      .Add("--zone", &arguments.zone,
           "the thermal zone of a device's result; else the one that grew the warmest")
      .Shown("NAME");
  command
      .Add("--ambient", &arguments.ambient,
           "what the unit cools down to, in degrees; else that of the coolest row")
      .Shown("CELSIUS")
      .RealRange(-60, 150);
  command.Flag("--json", &arguments.json, "print what was found as JSON");
  command.Footer(
      "Log a unit at constant work from cold until it has been held back for a while, a row a second: what\n"
      "`tegrastats` prints, or a loop over /sys/class/thermal and cpufreq. `tandem-device run --json` has "
      "one\n"
      "beside each run (\"moments\"); the longest counts. Two numbers are fitted to all "
      "rows, how\n"
      "warm work makes the unit and how fast; where it is held back, to what, and where it recovers are read "
      "off.\n"
      "Examples:\n"
      "  tandem profiles heat burn.csv --unit gpu\n"
      "  tandem profiles heat burn.run-result.json --unit cpu --zone cpu-thermal\n"
      "  tandem profiles heat burn.csv --ambient 24.5 --json");
}

const CommandRegistration kProfilesHeat{
    {.name = "profiles heat",
     .summary = "a scenario's \"heat\" of a log of a run that became too hot",
     .order = 45},
    Declare,
    FitLog};

}  // namespace
}  // namespace tandem::profiles_heat
