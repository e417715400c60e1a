// What the policies decide on: one segment of one request.
#pragma once

#include <cstdint>

#include "policies/problem/problem.h"

namespace tandem {

struct Task {
  Nanos release{0};        // of its request
  std::int32_t index = 0;  // of its request within the stream
  std::int32_t live = -1;  // the dispatcher's own: the request's place among those that have state
  StreamId stream;
  SegmentId segment;
};

inline bool SameTask(const Task& a, const Task& b) {
  return a.stream == b.stream && a.index == b.index && a.segment == b.segment;
}

// Task order, which settles every tie: request order (release, index, place of the stream), then topological.
inline bool InTaskOrder(const Task& a, const Task& b) {
  if (a.release != b.release) return a.release < b.release;
  if (a.index != b.index) return a.index < b.index;
  if (a.stream != b.stream) return a.stream < b.stream;
  return a.segment < b.segment;
}

}  // namespace tandem
