#include "device/harness/buffers.h"

#include <algorithm>
#include <tuple>

namespace tandem {
namespace {

constexpr std::int64_t kLeastRoom = 1024;

// From when a tensor takes memory, and until when.
struct Change {
  Nanos at{0};
  std::int64_t by = 0;  // ends come before beginnings of the same instant
  friend auto operator<=>(const Change&, const Change&) = default;
};

struct Life {
  Nanos first{-1}, last{-1};
};

class LivesOfRun {
 public:
  explicit LivesOfRun(const Problem& problem) : problem_(problem) {
    for (const Cut& cut : problem.cuts()) whole_.push_back(WholeTensorsOf(cut));
  }

  void Add(const Span& span) {
    if (span.kind == SpanKind::kCompute) return Computed(span);
    if (span.kind == SpanKind::kTransfer) Copied(span);
  }

  BufferCounts Counts() {
    for (const auto& [key, life] : lives_) {
      const auto& [request, memory] = key;
      Nanos last = life.last;
      if (const auto used = last_use_.find(request); used != last_use_.end())
        last = std::max(last, used->second);
      const auto& [stream, index, tensor] = request;
      std::vector<Change>& list = changes_[{memory, RoomFor(Whole(stream, tensor).elements)}];
      list.push_back({life.first, 1});
      list.push_back({last, -1});
    }
    BufferCounts counts;
    for (auto& [size, list] : changes_) {
      std::sort(list.begin(), list.end());
      std::int64_t now = 0;
      for (const Change& change : list) counts[size] = std::max(counts[size], now += change.by);
    }
    return counts;
  }

 private:
  using OfRequest = std::tuple<StreamId, std::int32_t, std::int32_t>;  // the first tensor of its layer

  const WholeTensor& Whole(StreamId stream, std::int32_t tensor) const {
    return whole_[problem_.cut_of(stream).index()][static_cast<std::size_t>(tensor)];
  }
  OfRequest KeyOf(const Span& span, std::int32_t tensor) const {
    return {span.stream, span.index, Whole(span.stream, tensor).first};
  }

  void Lives(const OfRequest& request, MemoryId memory, const Span& span) {
    Life& life = lives_[{request, memory}];
    life.first = life.first < Nanos{0} ? span.start : std::min(life.first, span.start);
    life.last = std::max(life.last, span.end);
  }
  void Used(const OfRequest& request, const Span& span) {
    Nanos& last = last_use_[request];
    last = std::max(last, span.end);
  }

  // What a model reads in the first memory and what it puts there are its requests' own.
  bool OfRequests(const CutTensor& tensor, MemoryId memory) const {
    return memory == MemoryId(0) && (tensor.leaves || !tensor.producer.valid());
  }

  void Computed(const Span& span) {
    const Segment& segment = problem_.segment(SegmentId(static_cast<std::size_t>(span.segment)));
    const Cut& cut = problem_.cut(segment.cut);
    const MemoryId memory = problem_.MemoryOf(span.unit);
    for (const std::int32_t made : segment.makes) {
      const CutTensor& tensor = cut.tensors[static_cast<std::size_t>(made)];
      if (tensor.leaves && tensor.back != TransferMode::kCopy) continue;  // written where it ends
      if (!OfRequests(tensor, memory)) Lives(KeyOf(span, made), memory, span);
    }
    for (std::size_t i = 0; i < segment.reads.size(); ++i) {
      const std::int32_t read = segment.reads[i];
      const CutTensor& tensor = cut.tensors[static_cast<std::size_t>(read)];
      Used(KeyOf(span, read), span);
      // It may have to be put together for this reader, beside what others have of it.
      const WholeTensor& whole = Whole(span.stream, read);
      if (segment.modes[i] == TransferMode::kCopy || !tensor.producer.valid() || memories_ == 1) continue;
      if (whole.first != read) continue;
      std::vector<Change>& list = changes_[{memory, RoomFor(whole.elements)}];
      list.push_back({span.start, 1});
      list.push_back({span.end, -1});
    }
  }

  void Copied(const Span& span) {
    const Cut& cut = problem_.cut(span.stream);
    const MemoryId to(static_cast<std::size_t>(span.to_memory));
    const OfRequest key = KeyOf(span, span.tensor);
    Used(key, span);
    if (!OfRequests(cut.tensors[static_cast<std::size_t>(span.tensor)], to)) Lives(key, to, span);
  }

  const Problem& problem_;
  std::size_t memories_ = problem_.platform().memories.size();
  std::vector<std::vector<WholeTensor>> whole_;
  std::map<std::pair<OfRequest, MemoryId>, Life> lives_;
  std::map<OfRequest, Nanos> last_use_;  // wherever it was read or copied
  std::map<std::pair<MemoryId, std::int64_t>, std::vector<Change>> changes_;
};

}  // namespace

std::int64_t RoomFor(std::int64_t floats) {
  std::int64_t room = kLeastRoom;
  while (room < floats) room *= 2;
  return room;
}

std::vector<WholeTensor> WholeTensorsOf(const Cut& cut) {
  std::vector<WholeTensor> whole;
  for (std::size_t t = 0; t < cut.tensors.size(); ++t) {
    // Those of one layer follow each other.
    if (t == 0 || cut.tensors[t].layer != cut.tensors[t - 1].layer) {
      WholeTensor all{static_cast<std::int32_t>(t), 0, 0};
      for (std::size_t p = t; p < cut.tensors.size() && cut.tensors[p].layer == cut.tensors[t].layer; ++p) {
        all.elements += cut.tensors[p].elements;
        ++all.parts;
      }
      whole.push_back(all);
    } else {
      whole.push_back(whole.back());
    }
  }
  return whole;
}

BufferCounts BuffersInUse(const Problem& problem, std::span<const Span> spans) {
  LivesOfRun lives(problem);
  for (const Span& span : spans) lives.Add(span);
  return lives.Counts();
}

RequestsInFlight BatchesInFlight(const Problem& problem, std::span<const Span> spans) {
  struct Life {
    Nanos from{0}, to{0};
    MemoryId memory;
  };
  std::map<std::pair<StreamId, std::int32_t>, Life> lives;
  for (const Span& span : spans) {
    if (!problem.scenario().streams[span.stream.index()].batching || span.kind == SpanKind::kLoad) continue;
    const auto [found, is_new] = lives.try_emplace({span.stream, span.index}, Life{span.start, span.end, {}});
    Life& life = found->second;
    life.from = std::min(life.from, span.start);
    life.to = std::max(life.to, span.end);
    if (span.kind == SpanKind::kCompute) life.memory = problem.MemoryOf(span.unit);
  }
  std::map<MemoryId, std::map<Nanos, std::int64_t>> changes;
  for (const auto& [request, life] : lives) {
    if (!life.memory.valid()) continue;
    ++changes[life.memory][life.from];
    --changes[life.memory][life.to];
  }
  RequestsInFlight most;
  for (const auto& [memory, by_date] : changes) {
    std::int64_t now = 0;
    for (const auto& [date, change] : by_date) {
      now += change;
      most[memory] = std::max(most[memory], now);
    }
  }
  return most;
}

std::size_t BufferPools::PoolOf(TensorMemory& memory, MemoryId id, std::int64_t tensor) {
  const std::int64_t floats = RoomFor(tensor);
  const auto [known, is_new] = known_.try_emplace({id, floats}, pools_.size());
  if (is_new) pools_.push_back({&memory, static_cast<std::size_t>(floats), {}});
  return known->second;
}

void BufferPools::Reserve(std::size_t pool, std::int64_t count) {
  Pool& of = pools_[pool];
  of.free.reserve(of.free.size() + static_cast<std::size_t>(2 * count));
  for (std::int64_t i = 0; i < count; ++i) {
    buffers_.emplace_back(of.floats, *of.memory);
    of.free.push_back(buffers_.back().data());
  }
}

float* BufferPools::Take(std::size_t pool) {
  Pool& of = pools_[pool];
  if (of.free.empty()) Reserve(pool, 1);
  float* at = of.free.back();
  of.free.pop_back();
  return at;
}

}  // namespace tandem
