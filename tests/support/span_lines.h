// What a run did as lines that a test can read: "u1 transfer #0 0-1000", in the order of the ends.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/span.h"

namespace tandem {

class SpanLines final : public SpanSink {
 public:
  void Add(const Span& span) override;
  void Ended(const RequestEnd& end) override {
    if (end.dropped) drops.emplace_back(end.index, end.at);
  }

  const std::vector<std::string>& lines() const { return lines_; }

  std::vector<std::pair<std::int32_t, Nanos>> drops;

 private:
  std::vector<std::string> lines_;
};

// Of a run in virtual time, with the policy as `policy` writes it: a JSON string or object.
std::vector<std::string> SpansOf(const Scenario& scenario, const std::string& policy = R"("fcfs")");

}  // namespace tandem
