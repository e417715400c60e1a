// What of a run's spans was done in vain, as it belongs to what a unit lost when it left.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "scenarios/trace/span.h"

namespace tandem {

class LostAttempts {
 public:
  explicit LostAttempts(const std::vector<Span>& spans) {
    for (const Span& span : spans) {
      if (span.kind == SpanKind::kLost) all_.insert(Of(span));
    }
  }
  // All that the task had done by then since it got its slot.
  bool Have(const Span& span) const { return !all_.empty() && all_.contains(Of(span)); }

 private:
  using Attempt = std::tuple<StreamId, std::int32_t, std::int32_t, Nanos>;
  static Attempt Of(const Span& span) { return {span.stream, span.index, span.segment, span.taken}; }

  std::set<Attempt> all_;
};

}  // namespace tandem
