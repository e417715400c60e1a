#include "tests/support/span_lines.h"

namespace tandem {

void SpanLines::Add(const Span& span) {
  static const char* const kKinds[] = {"compute", "transfer", "load", "lost"};
  lines_.push_back("u" + std::to_string(span.unit.value) + " " + kKinds[static_cast<int>(span.kind)] + " #" +
                   std::to_string(span.index) + " " + std::to_string(span.start.count()) + "-" +
                   std::to_string(span.end.count()));
}

}  // namespace tandem
