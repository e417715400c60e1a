// Policies in which an idle unit takes, of the tasks that it can run, the one whose request is due first,
// less what that still needs; those that are never due come last, and task order settles ties.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "policies/engine/policy.h"

namespace tandem {

// What is due of a stream's requests, each less what is needed for it of the requests that follow.
struct DueOfStream {
  // Since the release of whom the request hangs on in the end, which may be itself: of those whose index is a
  // multiple of `every`, since the others are not followed.
  struct SinceRoot {
    Nanos after{0};
    std::int64_t every = 1;
    friend bool operator==(const SinceRoot&, const SinceRoot&) = default;
  };
  std::optional<Nanos> since_own;  // release
  std::vector<SinceRoot> since_root;
};

// A deadline from end to end is one of all requests on whose end the stream's wait, too. `needs`: per segment
// what its request needs from it on; may be nothing.
std::vector<DueOfStream> DuesOf(const Problem& problem, const std::vector<Nanos>& needs);

// Where nothing is due by end to end the order in a stream is that of releases: that is a list's.
std::unique_ptr<Policy> ByDeadline(const Problem& problem, std::vector<Nanos> needs);

}  // namespace tandem
