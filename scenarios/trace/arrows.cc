#include "scenarios/trace/arrows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tandem {
namespace {

using Request = std::pair<std::size_t, std::int32_t>;  // stream, index

class ArrowMaker {
 public:
  ArrowMaker(const TraceRun& run, const Scenario& scenario, const std::vector<Span>& spans)
      : tables_(*run.tables), scenario_(scenario), spans_(spans) {
    for (std::size_t s = 0; s < spans.size(); ++s) {
      const bool shown = spans[s].kind != SpanKind::kLoad && spans[s].kind != SpanKind::kLost;
      if (shown && spans[s].end > spans[s].start) {
        of_request_[{spans[s].stream.index(), spans[s].index}].push_back(s);
      }
    }
  }

  std::vector<Arrow> Make() {
    for (const auto& [request, own] : of_request_) {
      own_ = &own;
      for (const std::size_t s : own) {
        spans_[s].kind == SpanKind::kTransfer ? ToCopy(s) : ToTask(s);
      }
      ToFollower(request);
    }
    return std::move(arrows_);
  }

 private:
  std::int32_t MemoryOf(const Span& span) const {
    return static_cast<std::int32_t>(scenario_.platform->units[span.unit.index()].memory.index());
  }

  // The one that ends last of those that have ended when the span begins.
  template <class Is>
  std::optional<std::size_t> LastBefore(std::size_t at, const Is& is) const {
    std::optional<std::size_t> last;
    for (const std::size_t s : *own_) {
      if (s == at || spans_[s].end > spans_[at].start || !is(spans_[s])) continue;
      if (!last || spans_[s].end >= spans_[*last].end) last = s;
    }
    return last;
  }
  std::optional<std::size_t> CopyInto(std::int32_t memory, std::int32_t tensor, std::size_t before) const {
    return LastBefore(before, [&](const Span& span) {
      return span.kind == SpanKind::kTransfer && span.tensor == tensor && span.to_memory == memory;
    });
  }
  std::optional<std::size_t> MakerOf(std::int32_t tensor, std::size_t before) const {
    const StreamId stream = spans_[before].stream;
    const std::int32_t maker = tables_.tensors[stream.index()][static_cast<std::size_t>(tensor)].maker;
    return LastBefore(
        before, [&](const Span& span) { return span.kind == SpanKind::kCompute && span.segment == maker; });
  }

  // To what needs the tensor in that memory.
  void Bring(std::int32_t tensor, std::int32_t memory, std::size_t to) {
    const auto copy = CopyInto(memory, tensor, to);
    const auto from = copy ? copy : MakerOf(tensor, to);
    if (!from) return;
    const bool copied = copy || spans_[to].kind == SpanKind::kTransfer;
    const Arrow arrow{*from, to, copied ? ArrowKind::kCopy : ArrowKind::kDependency};
    const bool known = std::any_of(arrows_.begin() + static_cast<std::ptrdiff_t>(first_), arrows_.end(),
                                   [&](const Arrow& a) { return a.from == arrow.from && a.to == arrow.to; });
    if (!known) arrows_.push_back(arrow);
  }
  void ToCopy(std::size_t at) {
    first_ = arrows_.size();
    Bring(spans_[at].tensor, spans_[at].from_memory, at);
  }
  void ToTask(std::size_t at) {
    first_ = arrows_.size();
    for (const std::int32_t tensor : tables_.reads[static_cast<std::size_t>(spans_[at].segment)]) {
      Bring(tensor, MemoryOf(spans_[at]), at);
    }
  }

  // From the last span of the request that this one follows to its first.
  void ToFollower(const Request& request) {
    const auto* follows = std::get_if<DependentArrival>(&scenario_.streams[request.first].arrival);
    if (!follows) return;
    std::optional<std::size_t> last;
    for (const StreamId stream : follows->WaitsFor()) {
      const auto before = of_request_.find({stream.index(), request.second});
      if (before == of_request_.end()) continue;
      for (const std::size_t s : before->second) {
        if (!last || spans_[s].end > spans_[*last].end) last = s;
      }
    }
    if (!last) return;
    const auto first = std::min_element(own_->begin(), own_->end(), [&](std::size_t a, std::size_t b) {
      return spans_[a].start < spans_[b].start;
    });
    if (spans_[*last].end <= spans_[*first].start) arrows_.push_back({*last, *first, ArrowKind::kFollows});
  }

  const TraceTables& tables_;
  const Scenario& scenario_;
  const std::vector<Span>& spans_;
  std::map<Request, std::vector<std::size_t>> of_request_;
  const std::vector<std::size_t>* own_ = nullptr;  // of the request that is looked at
  std::vector<Arrow> arrows_;
  std::size_t first_ = 0;  // of those to the same span
};

}  // namespace

std::vector<Arrow> ArrowsOf(const TraceRun& run, const Scenario& scenario, const std::vector<Span>& spans) {
  return ArrowMaker(run, scenario, spans).Make();
}

}  // namespace tandem
