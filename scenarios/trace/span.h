// What happened: one occupation of a slot or a copy engine.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "profiles/base/ids.h"
#include "profiles/base/time.h"

namespace tandem {

// kLost: what was under way when its unit left, and is begun again; a transfer where it has a tensor.
enum class SpanKind : std::uint8_t { kCompute, kTransfer, kLoad, kLost };

struct Span {
  UnitId unit;  // copy engines follow the platform's units
  std::int32_t slot = 0;
  SpanKind kind = SpanKind::kCompute;
  StreamId stream;
  std::int32_t index = 0;
  std::int32_t segment = 0;  // of the plan: position among all segments
  std::int32_t tensor = -1;  // transfers: position among the tensors of the request's cut
  std::int32_t from_memory = -1, to_memory = -1;
  Nanos release{0};  // of the request
  Nanos ready{0};    // when the task could have started
  Nanos taken{0};    // when it was given its slot; what brings outputs back: when it was asked for
  Nanos start{0}, end{0};
};

struct RequestEnd {
  StreamId stream;
  std::int32_t index = 0;
  Nanos release{0}, at{0};
  bool dropped = false;           // else completed
  std::int32_t with = -1;         // it has no spans of its own: it ran at once with this one
  StreamId with_stream = {};      // of that one, which may be another stream of the model
  std::optional<Nanos> due = {};  // its deadline, the earlier of two

  bool missed() const { return dropped || (due && at > *due); }
};

// Takes what happens as it ends, in order of end, then unit and slot.
struct SpanSink {
  virtual void Add(const Span& span) = 0;
  // After all spans of the request; a stream's requests need not end in order.
  virtual void Ended(const RequestEnd& end) = 0;

 protected:
  ~SpanSink() = default;
};

// Passes everything on to several.
class SpanTee final : public SpanSink {
 public:
  explicit SpanTee(std::vector<SpanSink*> sinks) : sinks_(std::move(sinks)) {}

  void Add(const Span& span) override {
    for (SpanSink* sink : sinks_) sink->Add(span);
  }
  void Ended(const RequestEnd& end) override {
    for (SpanSink* sink : sinks_) sink->Ended(end);
  }

 private:
  std::vector<SpanSink*> sinks_;
};

}  // namespace tandem
