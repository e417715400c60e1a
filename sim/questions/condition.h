// What a run has to keep: "misses <= 1 %", "streams.camera.p99 <= 33 ms and units.*.utilization < 90 %".
#pragma once

#include <string>
#include <vector>

#include "scenarios/report/report.h"

namespace tandem {

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
  kEnergy,
  kPower
};

struct ConditionTerm {
  std::string text;  // as it was written
  ConditionFigure figure = ConditionFigure::kMisses;
  std::string of;      // a stream's or a unit's name, "*": each of them; empty: all together
  bool share = false;  // of requests, in percent of them
  bool below = true;   // else it may not be below
  bool strictly = false;
  double bound = 0;  // in ns, requests, a share, 1/s, J or W
};

class Condition {
 public:
  // Throws InputError, the message without a place. `cloned`: streams that are there several times, each with
  // a number behind its name.
  Condition(const std::string& text, const Scenario& scenario, std::vector<std::string> cloned = {});

  // Of runs of one scenario with several seeds: shares over all of their requests, other figures their mean.
  struct Answer {
    bool holds = false;
    std::vector<double> worst;  // per term, as the bound is; infinite where nothing completed
  };
  Answer Of(const std::vector<Report>& runs) const;  // throws InputError where a figure cannot be told

  const std::string& text() const { return text_; }
  std::string ValueText(std::size_t term, double value) const;  // "misses 0.98 %"
  const std::vector<ConditionTerm>& terms() const { return terms_; }

 private:
  bool Takes(const ConditionTerm& term, const std::string& stream) const;
  std::vector<double> ValuesOf(const ConditionTerm& term, const std::vector<Report>& runs) const;

  std::string text_;
  std::vector<ConditionTerm> terms_;
  std::vector<std::string> cloned_;
};

}  // namespace tandem
