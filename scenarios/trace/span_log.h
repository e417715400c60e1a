// Keeps what a run says, to be looked at when it is over.
#pragma once

#include <vector>

#include "scenarios/trace/span.h"

namespace tandem {

class SpanLog final : public SpanSink {
 public:
  // Of more than `most` spans it keeps the first.
  explicit SpanLog(std::size_t most = SIZE_MAX) : most_(most) {}

  // Makes room for so many and touches its pages now: writing takes a device's units no time for it then.
  void Reserve(std::size_t spans) {
    spans_.resize(spans);
    spans_.clear();
    ends_.resize(spans);
    ends_.clear();
  }

  void Add(const Span& span) override {
    if (spans_.size() < most_) {
      spans_.push_back(span);
    } else {
      full_ = true;
    }
  }
  void Ended(const RequestEnd& end) override {
    ends_.push_back(end);
    if (!end.dropped) ++completed_;
  }
  void PassOn(SpanSink& sink) const {
    for (const Span& span : spans_) sink.Add(span);
    for (const RequestEnd& end : ends_) sink.Ended(end);
  }

  std::size_t most() const { return most_; }
  bool full() const { return full_; }                        // there was more than it keeps
  const std::vector<Span>& spans() const { return spans_; }  // as they ended
  const std::vector<RequestEnd>& ends() const { return ends_; }
  std::size_t completed() const { return completed_; }  // how many of them

 private:
  std::size_t most_, completed_ = 0;
  bool full_ = false;
  std::vector<Span> spans_;
  std::vector<RequestEnd> ends_;
};

}  // namespace tandem
