// What is asked for: one inference (or one batch) of a stream's model at a date.
#pragma once

#include <compare>
#include <cstdint>

#include "profiles/base/ids.h"
#include "profiles/base/time.h"

namespace tandem {

// Compares in request order, which settles every tie: release, index within its stream, place of the stream
// in the file.
struct Request {
  Nanos release{0};
  std::int64_t index = 0;
  StreamId stream;

  friend constexpr auto operator<=>(const Request&, const Request&) = default;
};

}  // namespace tandem
