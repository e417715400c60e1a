// Runs of one policy at one value after the other, and what they say of a condition.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiles/program/long_run.h"
#include "sim/questions/limit_search.h"
#include "sim/questions/what_if.h"

namespace tandem {

// The scenario at values of what varies; the last ones are kept, since policies ask for the same.
class VariedScenarios {
 public:
  VariedScenarios(const ScenarioFile& file, std::vector<Supposed> supposed, std::string vary,
                  std::string unit, std::optional<std::uint64_t> seed);

  // Throws InputError where the scenario cannot be that.
  Scenario& At(double value);

 private:
  const ScenarioFile* file_;
  std::vector<Supposed> supposed_;
  std::string vary_, unit_;
  std::optional<std::uint64_t> seed_;
  std::map<double, std::unique_ptr<Scenario>> kept_;
  std::vector<double> order_;  // in which they were asked for
};

struct TrialOptions {
  Engine engine = Engine::kVirtual;
  std::int64_t seeds = 1;
  std::uint64_t first_seed = 1;
  std::optional<std::uint64_t> draw;  // times are drawn, and not what the profiles have as the median
};

class Trials {
 public:
  // `condition` outlives it.
  Trials(VariedScenarios& scenarios, std::string label, const std::vector<ConditionTerm>& condition,
         TrialOptions options, LongRun& watch);

  Holds At(double value);
  bool interrupted() const { return interrupted_; }
  const std::string& why() const { return why_; }  // nothing could be tried at a value: the last reason
  // Of a value that was tried; empty where it could not be.
  std::vector<double> FiguresAt(double value) const;
  // Of the run with the first seed at a value: why nothing is known of how sure its times are; empty: it is.
  std::string UnknownAt(double value);
  // Of a value that was tried: what its runs took for want of a measurement, a sentence each.
  std::vector<std::string> EstimatedAt(double value) const;

 private:
  std::optional<std::vector<Report>> RunsAt(Scenario& scenario);

  VariedScenarios& scenarios_;
  std::string label_;
  const std::vector<ConditionTerm>& condition_;
  TrialOptions options_;
  LongRun& watch_;
  bool interrupted_ = false;
  std::string why_;
  std::map<double, std::vector<double>> figures_;
  std::map<double, std::vector<std::string>> estimated_;
};

}  // namespace tandem
