// Keeps what a run says, to be looked at from its end.
#pragma once

#include <vector>

#include "scenarios/trace/span.h"

namespace tandem {

class SpanLog final : public SpanSink {
 public:
  struct Completion {
    StreamId stream;
    std::int32_t index = 0;
    Nanos release{0}, at{0};
  };
  static constexpr std::size_t kMost = 4'000'000;  // spans, some 300 MB

  void Add(const Span& span) override {
    if (spans_.size() < kMost) {
      spans_.push_back(span);
    } else {
      full_ = true;
    }
  }
  void Completed(StreamId stream, std::int32_t index, Nanos release, Nanos at) override {
    completions_.push_back({stream, index, release, at});
  }
  void Dropped(StreamId, std::int32_t, Nanos, Nanos) override {}

  bool full() const { return full_; }                        // there was more than it keeps
  const std::vector<Span>& spans() const { return spans_; }  // as they ended
  const std::vector<Completion>& completions() const { return completions_; }

 private:
  bool full_ = false;
  std::vector<Span> spans_;
  std::vector<Completion> completions_;
};

}  // namespace tandem
