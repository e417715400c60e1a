// What came out on the device. File kind "run-result/1": what `tandem-device run --json` prints and `tandem
// validate` reads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/json_reader.h"
#include "profiles/base/time.h"

namespace tandem {

// How the outputs of a run compare with those of one unit that runs the whole model alone.
struct OutputCheck {
  std::int64_t checked = 0;  // requests
  std::int64_t wrong = 0;
  std::int64_t unchecked = 0;  // emulated units compute nothing; what found no room to be kept
  double worst = 0;            // the largest relative error in the l2 norm
  double tolerance = 1e-4;     // an error up to which none is wrong; more where units of less precision ran
};

// Of a stretch of time, by the board's sensors.
struct MeasuredEnergy {
  std::optional<double> joules;      // all that the units drew
  std::optional<double> above_idle;  // without what they draw while nothing runs
  std::string why = {};              // there are none; empty where there are
  std::string by = {};               // the sensors
};

// What a unit's yardstick took just before and just after a run.
struct YardstickReadings {
  Nanos before{0}, after{0};
};

// What the board's sensors told while a run was under way; what has none is left out.
struct RunMoment {
  Nanos at{0};                            // since the run began
  std::map<std::string, double> celsius;  // by thermal zone, and by card
  std::map<std::string, double> mhz;      // by unit, of its cores the slowest; and by what the kernel scales
  std::map<std::string, double> busy;     // by unit what of the time since the moment before it worked
  bool held_back = false;                 // clocks were, for the heat
};

struct DeviceRun {
  std::size_t plan = 0;  // position in the request
  std::string policy, label;
  std::int64_t repeat = 0;
  Nanos makespan{0};
  std::optional<double> objective;  // in the objective's unit
  std::optional<double> excess;     // by how much it breaks the scenario's limits; nothing: there are none
  bool complete = true;             // else it was cut short
  std::string failure;              // why it was
  OutputCheck outputs;
  MeasuredEnergy energy;
  std::int64_t late_releases = 0;  // handed out later than 1 ms after they were due, though a unit was idle
  Nanos dispatch{0};               // median time between the end of one task and the start of the next
  std::int64_t tries = 1;          // this one is the least disturbed of so many
  std::optional<double> taken;     // the part of the cores' time that others had; nothing: it is not known
  std::map<std::string, YardstickReadings> yardsticks;  // by unit, of those with one in their profile
  std::map<std::string, std::string> heat;              // by thermal zone, before and after: "48 to 61 C"
  std::string held_back;           // what held clocks back for the heat; empty: nothing did
  std::vector<RunMoment> moments;  // ascending; empty: nothing here tells of clocks or heat
  // Others had more than 1 %, a yardstick read another state than its profile's, or clocks were held back.
  bool disturbed = false;
};

struct RunAnswer {
  std::string host;                              // as Origin::host
  std::string date;                              // as Origin::date
  std::map<std::string, std::string> libraries;  // as Origin::libraries
  std::vector<std::string> warnings;             // "made for another machine"; forced
  bool forced = false;
  std::vector<DeviceRun> runs;  // in the order in which they ran
  std::string trace;            // a file of kind trace/1, as text: every run in the same order; may be empty
  std::string reports;          // a JSON list of report/1, one per run
};

std::string RunAnswerJson(const RunAnswer& result);
RunAnswer ReadRunAnswer(const JsonReader& root);  // throws InputError
// Judges what stands in it in place, too, which ReadRunAnswer keeps as text: the trace, and the reports.
RunAnswer ReadJudgedRunAnswer(const JsonReader& root);

inline constexpr char kEndOfRunRecord = 0x1e;
// Where RunSettings::each is asked for, there are several answers one after the other, of a run each. So what
// is finished is known whatever becomes of the device.
std::string RunRecord(const RunAnswer& result);
// Those that have come whole; an answer by itself is one.
std::vector<std::string_view> RunRecords(std::string_view output);
// All of them as one; at least one, and no two of their traces' processes have the same number.
RunAnswer JoinRuns(std::vector<RunAnswer> answers);

}  // namespace tandem
