// Arrows of a trace: from what makes a tensor, or brings it, to what reads it, and from a request to the one
// of another stream that follows it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiles/base/fields.h"
#include "scenarios/trace/trace.h"

namespace tandem {

enum class ArrowKind : std::uint8_t { kCopy, kDependency, kFollows };
inline constexpr std::array<Named<ArrowKind>, 3> kArrowKindNames = {
    {{"copy", ArrowKind::kCopy}, {"dependency", ArrowKind::kDependency}, {"follows", ArrowKind::kFollows}}};

struct Arrow {
  std::size_t from = 0, to = 0;  // positions among the spans
  ArrowKind kind = ArrowKind::kDependency;
};

// Between spans that take time, in order of the request and of where they end. `run` has tables.
std::vector<Arrow> ArrowsOf(const TraceRun& run, const Scenario& scenario, const std::vector<Span>& spans);

}  // namespace tandem
