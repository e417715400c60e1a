#include "tests/support/span_lines.h"

#include "tests/support/run_policy.h"

namespace tandem {

void SpanLines::Add(const Span& span) {
  static const char* const kKinds[] = {"compute", "transfer", "load", "lost"};
  lines_.push_back("u" + std::to_string(span.unit.value) + " " + kKinds[static_cast<int>(span.kind)] + " #" +
                   std::to_string(span.index) + " " + std::to_string(span.start.count()) + "-" +
                   std::to_string(span.end.count()));
}

std::vector<std::string> SpansOf(const Scenario& scenario, const std::string& policy) {
  SpanLines seen;
  RunOptions options;
  options.spans = &seen;
  RunPolicy(scenario, policy, options);
  return seen.lines();
}

}  // namespace tandem
