// What a run has to keep: "misses <= 1 %", "streams.camera.p99 <= 33 ms and units.*.utilization < 90 %".
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct Scenario;

enum class ConditionFigure : std::uint8_t {
  kMisses,
  kDrops,
  kMean,
  kP50,
  kP90,
  kP95,
  kP99,
  kMax,
  kMakespan,
  kThroughput,
  kUtilization,
  kEnergy,  // of a stream: what its tasks took above idle
  kEnergyPerInference,
  kPower
};

// Which times a mean, a percentile or a maximum is of.
enum class ConditionTimes : std::uint8_t {
  kLatency,
  kEndToEnd,  // since the release of whom the request hangs on in the end: "p99_end_to_end"
  kAge        // of the newest result: "p99_age"
};

struct ConditionTerm {
  static constexpr double kNone = std::numeric_limits<double>::infinity();  // nothing completed

  std::string text;  // as it was written
  ConditionFigure figure = ConditionFigure::kMisses;
  ConditionTimes times = ConditionTimes::kLatency;
  std::string
      of;  // a stream's or a unit's name, "*": each of them; empty: all together, or each that has the figure
  bool share = false;  // of requests, in percent of them
  bool below = true;   // else it may not be below
  bool strictly = false;
  double bound = 0;  // in ns, requests, a share, 1/s, J or W

  bool Keeps(double value) const;
  // By how much of the bound the value breaks it, as RoundedExcess, at least a billionth; of a bound that is
  // 0 by how much. 0: it keeps it.
  double Excess(double value) const;
  std::string Subject() const;                 // "camera p99"
  std::string ValueText(double value) const;   // "camera p99 35.2 ms"
  std::string FigureText(double value) const;  // "35.2 ms"
  std::string EnoughText(double value) const;  // the same, rounded so that it would keep a bound of this

  bool IsOfLatency() const { return figure >= ConditionFigure::kMean && figure <= ConditionFigure::kMax; }
  bool NeedsCompleted() const { return IsOfLatency() || figure == ConditionFigure::kEnergyPerInference; }
  bool IsOfEnergy() const { return figure >= ConditionFigure::kEnergy; }
  bool IsCount() const { return figure <= ConditionFigure::kDrops; }
};

// Throws InputError, the message without a place.
std::vector<ConditionTerm> ReadCondition(std::string_view text, const Scenario& scenario);

// In whole billionths: what is equal is so in whatever order it was added up.
double RoundedExcess(double excess);

// Streams whose ages the terms name tell them, though they leave nothing out; those that name no stream ask
// all of them where none leaves anything out.
void AskForAges(const std::vector<ConditionTerm>& terms, Scenario& scenario);

// Is it that name with a number behind it, as streams have that are there several times, or with more than
// one, as those that follow each of several several times?
bool IsNumbered(std::string_view name, std::string_view of);

}  // namespace tandem
