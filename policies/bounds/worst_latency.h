// How long requests take at most, whatever the phases of their streams: proved, where every unit has one
// slot, works off what is ready in an order that is fixed by stream, and is never disturbed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policies/engine/policy.h"
#include "policies/problem/problem.h"

namespace tandem {

struct WorstLatency {
  UnitId unit;                   // that runs the stream; invalid: it is not one alone
  std::optional<Nanos> work;     // of one request there
  std::optional<Nanos> longest;  // from its release to its end
  std::string why;               // there is none
  // From the release of the request on which it hangs in the end; only of a stream that follows another, and
  // there wherever `longest` is.
  std::optional<Nanos> end_to_end = {};
  // What it is proved of for want of a measurement: "units "a" and "b" cost each other nothing".
  std::vector<std::string> assumes = {};
};

// Per stream. `longer`: what takes the time that the profile says takes so many times that.
// A request waits for one task of those that come after it, which cannot be interrupted (Joseph and Pandya's
// analysis in its form without preemption, over the whole busy time of its level), and for all that comes
// before it. Streams that come before it arrive by a period, with their jitter, or all at once; one that
// follows others has as jitter how long those take that it waits for. From end to end no request takes longer
// than the longest way of those that it waits for and its own latency together. Each step of
// docs/semantics.md's proof says what it asks for.
std::vector<WorstLatency> WorstLatencies(const Problem& problem, const Policy& policy, double longer = 1);

}  // namespace tandem
