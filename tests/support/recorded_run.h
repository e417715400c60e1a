// Everything that a run says, as text, so that two runs can be compared and a difference can be read.
#pragma once

#include <string>

#include "policies/engine/dispatcher.h"
#include "scenarios/trace/outcome.h"

namespace tandem {

class RecordedRun final : public SpanSink {
 public:
  void Add(const Span& span) override;
  void Ended(const RequestEnd& end) override;
  void Add(const Outcome& outcome);

  const std::string& text() const { return text_; }
  std::size_t spans() const { return spans_; }

 private:
  void Line(const char* what, std::initializer_list<std::int64_t> numbers);

  std::string text_;
  std::size_t spans_ = 0;
};

}  // namespace tandem
