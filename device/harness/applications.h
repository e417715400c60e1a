// A plan that nobody manages, for real: every stream is an application, a process of its own with threads of
// its own, and what these share the operating system and drivers divide among them. No dispatcher keeps them
// apart.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/host/child_program.h"
#include "policies/problem/problem.h"
#include "scenarios/exchange/run_answer.h"
#include "scenarios/scenario/plan.h"
#include "scenarios/trace/outcome.h"
#include "scenarios/trace/span_log.h"

namespace tandem {

// Starts the application of that stream: device/study/application is its other side.
using StartApplication = std::function<std::unique_ptr<ChildProgram>(const std::string& stream)>;

// Does the policy leave streams to themselves?
bool NobodyManages(const PolicySpec& policy);
// Why such a plan's streams take turns under the dispatcher all the same; empty: they need not. `predicted`:
// where they run.
std::string WhyManaged(const Problem& problem, const std::vector<Span>& predicted);

// What all of them did, as one run.
struct ApplicationsEnd {
  Outcome outcome;  // its figures are those of the spans
  SpanLog spans;
  OutputCheck outputs;
  std::int64_t late_releases = 0;
  // The part of the cores' time that neither they nor this program had, but for two ticks of the clock by
  // which that is told; nothing: it is not known.
  std::optional<double> taken;
  std::string failure;  // why it is not complete
  std::vector<std::string> warnings;
};

class Applications {
 public:
  // The plan outlives it.
  Applications(const PlanFile& plan, StartApplication start) : plan_(&plan), start_(std::move(start)) {}

  // One after the other, until each is ready: what measures to choose its kernels is not to be disturbed.
  // Throws EnvironmentError.
  void Prepare();
  // All begin at one date. `keep_going` is asked ten times a second; false: they are to end.
  ApplicationsEnd Run(const Problem& problem, const std::function<bool()>& keep_going);

 private:
  std::vector<RunAnswer> Answers(const std::function<bool()>& keep_going);
  std::optional<Nanos> OfOthers(std::span<const std::int64_t> cores) const;
  void AwaitEnd(ChildProgram& application, const std::function<bool()>& keep_going);

  const PlanFile* plan_;
  StartApplication start_;
  std::vector<std::unique_ptr<ChildProgram>> applications_;  // per stream
  bool told_to_end_ = false;
  std::optional<double> taken_;  // of the run under way
};

}  // namespace tandem
