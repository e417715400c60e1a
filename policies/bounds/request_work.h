// What requests of a stream take that follow each other, as draws of samples have it: a bound of how likely
// long sums are. docs/semantics.md, "How likely", has the proof.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "policies/bounds/fixed_service.h"
#include "policies/engine/draws/sampled_times.h"

namespace tandem {

// Numbers drawn at one position: of `values.size()` positions one, and the next ones for the requests after
// it, `block` requests in a row. What is drawn from tails at a position comes on top: exponential numbers of
// these means, each by itself.
struct DrawnTogether {
  std::vector<double> values;              // nanoseconds, per position
  std::vector<std::vector<double>> tails;  // the same; empty: nothing has a tail
  std::size_t block = 1;
};

class RequestWork {
 public:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  // Of the stream on its unit, all of it times `longer`.
  RequestWork(const FixedService& service, const SampledTimes& times, std::size_t stream, double longer);

  double fixed() const { return fixed_; }                               // of each request, whatever is drawn
  const std::vector<DrawnTogether>& groups() const { return groups_; }  // that are independent
  bool drawn() const { return !groups_.empty(); }
  // Could it be looked at in a reasonable time?
  bool IsTooMuch() const;
  // The most of one request; kNone: it has a tail.
  double most() const;
  double greatest_tail() const;  // the greatest mean of one; 0: none

  // What E(e^(theta x the work of n in a row)) is at most, wherever they begin, for one theta.
  class Moments {
   public:
    Moments(const RequestWork& work, double theta);
    double Log(std::int64_t requests);
    // It is at most slope x n + offset for all n.
    double slope() const { return slope_; }
    double offset() const { return offset_; }

   private:
    double OfBlock(std::size_t group, std::size_t requests);  // the first so many of a block

    const RequestWork* work_;
    double theta_, slope_ = 0, offset_ = 0;
    std::vector<std::vector<double>> sums_;   // per group: of the exponents up to each position, twice around
    std::vector<std::vector<double>> known_;  // per group and number of requests; below 0: not yet
    std::vector<double> of_all_;              // Log, as far as it was asked for; below 0: not yet
  };

 private:
  double fixed_ = 0;  // per request
  std::vector<DrawnTogether> groups_;
};

// What is left of a task of these streams that the unit has begun before some date is at most `fixed` and, on
// top, exponential numbers of these means: whatever was before, since the tails have no memory.
struct TaskLeft {
  double fixed = 0;
  std::vector<double> tails = {};
  bool mapped = false;  // it may take longer: nothing here tells what it takes where it reads a mapping

  double LogMoment(double theta) const;
};

// Per task of the stream's requests on the unit, all times `longer`.
std::vector<TaskLeft> TasksLeft(const FixedService& service, const SampledTimes& times, std::size_t stream,
                                UnitId unit, double longer);

}  // namespace tandem
