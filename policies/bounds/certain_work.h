// Which requests every run completes, whatever the policy does, and when they can begin at the earliest.
// Requests that may be dropped are not among them, nor those that only follow one of these; of a closed
// stream that ends by the clock only the first ones are. Those of random streams are drawn from the seed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/bounds/least_times.h"
#include "policies/problem/problem.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

struct CertainWork {
  Nanos first_release{0};  // of all requests, certain or not
  std::int64_t requests = 0;
  bool all = true;           // are these all requests that there can be?
  Nanos last_completion{0};  // not before that date, by chains alone
  // The mean over all requests of what their chains take; nothing where not all are certain.
  std::optional<Nanos> mean_chain;

  // Dates ascending: of each kind so many requests are released at that date or later. The first holds all.
  struct Tail {
    Nanos from{0};
    std::vector<std::int64_t> of_kind;
  };
  std::vector<Tail> tails;

  std::int64_t inferences = 0;
  // Where all requests are certain and it is known when each is released.
  struct Releases {
    double mean = 0;  // in nanoseconds
    Nanos last{0};
  };
  std::optional<Releases> releases;
};

// Requests that are alike, whatever stream they are of: those of one cut, say.
struct RequestKinds {
  std::vector<std::size_t> of_stream;
  std::vector<Nanos> chain;  // per kind: from release to completion at least
};

CertainWork FindCertainWork(const Scenario& scenario, const RequestKinds& kinds);
// A kind per cut of the problem, in their order.
CertainWork FindCertainWork(const Problem& problem, const LeastTimes& least);

}  // namespace tandem
