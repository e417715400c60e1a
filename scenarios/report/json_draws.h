// What draws say of a figure as JSON: beside "makespan_ns" its interval, "makespan_interval_ns", and its
// median, "makespan_median_ns".
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/base/fields.h"
#include "scenarios/report/draws.h"
#include "scenarios/report/json_fields.h"
#include "scenarios/report/latency_summary.h"

namespace tandem {

// [low, high].
template <class Value>
CodecOf<std::vector<Value>> IntervalOf(CodecOf<Value> end) {
  return as::ListOf(std::move(end), {.least = 2, .most = 2});
}

template <class Value>
std::optional<std::vector<Value>> Ends(const std::optional<DrawnFigure<Value>>& drawn) {
  return drawn ? std::optional(std::vector<Value>{drawn->low, drawn->high}) : std::nullopt;
}
template <class Value>
std::optional<Value> Median(const std::optional<DrawnFigure<Value>>& drawn) {
  return drawn ? std::optional(drawn->median) : std::nullopt;
}

// What `get` finds in the draws of a report, a stream, a unit: nothing where there are none.
template <class Draws, class Get>
auto IfDrawn(const std::optional<Draws>& draws, const Get& get) {
  using Found = decltype(std::optional(get(*draws)));
  return draws ? Found(get(*draws)) : Found();
}

// The same of something that has `draws`.
template <auto kFigure, class Of>
auto DrawnIn(const Of& of) {
  return IfDrawn(of.draws, [](const auto& draws) { return draws.*kFigure; });
}

struct DrawnKeys {
  std::string_view interval, median;
};

// Both keys, null where nothing was drawn. `get`: of the object the optional DrawnFigure.
template <class T, class Value, class Get>
Fields<T>& SayDrawn(Fields<T>& fields, DrawnKeys keys, CodecOf<Value> codec, Get get,
                    std::string_view help = {}) {
  return fields
      .Says(keys.interval, as::OrNull(IntervalOf(codec)), [get](const T& of) { return Ends(get(of)); })
      .Says(
          keys.median, as::OrNull(codec), [get](const T& of) { return Median(get(of)); }, help);
}
// Both keys where something was drawn.
template <class T, class Value, class Get>
Fields<T>& MaySayDrawn(Fields<T>& fields, DrawnKeys keys, CodecOf<Value> codec, Get get,
                       std::string_view help = {}) {
  return fields
      .MaySay(
          keys.interval, IntervalOf(codec), [get](const T& of) { return Ends(get(of)); }, help)
      .MaySay(keys.median, codec, [get](const T& of) { return Median(get(of)); });
}

// {"mean": [low, high], ...}
CodecOf<DrawnFigure<LatencySummary>> LatencyInterval();
inline std::optional<Latency> MedianLatency(const std::optional<DrawnFigure<LatencySummary>>& drawn) {
  if (!drawn) return std::nullopt;
  return std::optional<Latency>(std::in_place, drawn->median);
}

// The same of latencies.
template <class T, class Get>
Fields<T>& SayDrawnLatency(Fields<T>& fields, DrawnKeys keys, Get get) {
  return fields.Says(keys.interval, as::OrNull(LatencyInterval()), get)
      .Says(keys.median, as::OrNull(as::ObjectOf(LatencyFields())),
            [get](const T& of) { return MedianLatency(get(of)); });
}
template <class T, class Get>
Fields<T>& MaySayDrawnLatency(Fields<T>& fields, DrawnKeys keys, Get get) {
  return fields.MaySay(keys.interval, LatencyInterval(), get)
      .MaySay(keys.median, as::ObjectOf(LatencyFields()),
              [get](const T& of) { return MedianLatency(get(of)); });
}

}  // namespace tandem
