#include "device/harness_tensors.h"

#include <algorithm>
#include <utility>

#include "profiles/check.h"

namespace tandem {
namespace {

constexpr std::size_t kRequests = 64;  // that have memory for their state beforehand

// From when a tensor takes memory, and until when.
struct Change {
  Nanos at{0};
  std::int64_t by = 0;  // ends come before beginnings of the same instant
  friend auto operator<=>(const Change&, const Change&) = default;
};

}  // namespace

std::vector<WholeTensor> WholeTensorsOf(const Cut& cut) {
  std::vector<WholeTensor> whole;
  for (std::size_t t = 0; t < cut.tensors.size(); ++t) {
    // Those of one layer follow each other.
    if (t == 0 || cut.tensors[t].layer != cut.tensors[t - 1].layer) {
      std::int64_t elements = 0;
      for (std::size_t p = t; p < cut.tensors.size() && cut.tensors[p].layer == cut.tensors[t].layer; ++p) {
        elements += cut.tensors[p].elements;
      }
      whole.push_back({static_cast<std::int32_t>(t), elements});
    } else {
      whole.push_back(whole.back());
    }
  }
  return whole;
}

BufferCounts BuffersInUse(const Problem& problem, std::span<const Span> spans) {
  struct Life {
    Nanos first{-1}, last{-1};
  };
  std::map<std::tuple<StreamId, std::int32_t, std::int32_t>, Life> lives;
  std::vector<std::vector<WholeTensor>> whole;
  for (const Cut& cut : problem.cuts()) whole.push_back(WholeTensorsOf(cut));
  for (const Span& span : spans) {
    const Cut& cut = problem.cut(span.stream);
    if (span.kind != SpanKind::kCompute || cut.segments == 1) continue;
    const Segment& segment = problem.segment(SegmentId(static_cast<std::size_t>(span.segment)));
    const auto& of_cut = whole[segment.cut.index()];
    for (const std::int32_t made : segment.makes) {
      Life& life = lives[{span.stream, span.index, of_cut[static_cast<std::size_t>(made)].first}];
      life.first = life.first < Nanos{0} ? span.start : std::min(life.first, span.start);
      life.last = std::max(life.last, span.end);
    }
    for (const std::int32_t read : segment.reads) {
      Life& life = lives[{span.stream, span.index, of_cut[static_cast<std::size_t>(read)].first}];
      life.last = std::max(life.last, span.end);
    }
  }
  std::map<std::int64_t, std::vector<Change>> changes;
  for (const auto& [tensor, life] : lives) {
    if (life.first < Nanos{0}) continue;  // an input of the model
    const auto& of_cut = whole[problem.cut_of(std::get<0>(tensor)).index()];
    std::vector<Change>& of_size = changes[of_cut[static_cast<std::size_t>(std::get<2>(tensor))].elements];
    of_size.push_back({life.first, 1});
    of_size.push_back({life.last, -1});
  }
  BufferCounts counts;
  for (auto& [size, list] : changes) {
    std::sort(list.begin(), list.end());
    std::int64_t now = 0;
    for (const Change& change : list) counts[size] = std::max(counts[size], now += change.by);
  }
  return counts;
}

LiveTensors::LiveTensors(const Problem& problem, const BufferCounts& counts) : problem_(&problem) {
  for (const Cut& cut : problem.cuts()) {
    most_tensors_ = std::max(most_tensors_, cut.tensors.size());
    whole_.push_back(WholeTensorsOf(cut));
  }
  // Of every size one more per unit: on the device things come in another order.
  const auto spare = static_cast<std::int64_t>(problem.units());
  for (const auto& [size, count] : counts) {
    std::vector<float*>& free = free_[size];
    free.reserve(static_cast<std::size_t>(2 * (count + spare)));
    for (std::int64_t i = 0; i < count + spare; ++i) {
      buffers_.emplace_back(static_cast<std::size_t>(size));
      free.push_back(buffers_.back().data());
    }
  }
  if (counts.empty()) return;
  requests_.resize(kRequests);
  for (Request& request : requests_) {
    request.at.reserve(most_tensors_);
    request.readers_left.reserve(most_tensors_);
  }
}

void LiveTensors::Begin(const Task& task) {
  if (task.live < 0) return;
  const Cut& cut = problem_->cut(task.stream);
  if (requests_.size() <= static_cast<std::size_t>(task.live)) {
    requests_.resize(static_cast<std::size_t>(task.live) + 1);
  }
  Request& request = Of(task);
  if (request.at.size() != cut.tensors.size() ||
      std::none_of(request.at.begin(), request.at.end(), [](const float* at) { return at != nullptr; })) {
    request.at.assign(cut.tensors.size(), nullptr);
    request.readers_left.clear();
    request.readers_left.resize(cut.tensors.size());
    for (std::size_t t = 0; t < cut.tensors.size(); ++t) {
      const auto first = static_cast<std::size_t>(Whole(task, static_cast<std::int32_t>(t)).first);
      request.readers_left[first] += static_cast<std::int32_t>(cut.tensors[t].consumers.size());
    }
  }
  for (const std::int32_t made : problem_->segment(task.segment).makes) {
    if (cut.tensors[static_cast<std::size_t>(made)].consumers.empty()) continue;
    const WholeTensor& whole = Whole(task, made);
    float*& at = request.at[static_cast<std::size_t>(whole.first)];
    if (at != nullptr) continue;  // another part has begun
    std::vector<float*>& free = free_[whole.elements];
    if (free.empty()) {
      buffers_.emplace_back(static_cast<std::size_t>(whole.elements));
      free.push_back(buffers_.back().data());
    }
    at = free.back();
    free.pop_back();
  }
}

float* LiveTensors::At(const Task& task, std::int32_t tensor) const {
  const auto first = static_cast<std::size_t>(Whole(task, tensor).first);
  float* at = requests_[static_cast<std::size_t>(task.live)].at[first];
  TANDEM_CHECK(at != nullptr, "a task reads only what another one has made");
  return at;
}

void LiveTensors::Ended(const Task& task) {
  if (task.live < 0) return;
  Request& request = Of(task);
  const Cut& cut = problem_->cut(task.stream);
  for (const std::int32_t read : problem_->segment(task.segment).reads) {
    const WholeTensor& whole = Whole(task, read);
    const auto first = static_cast<std::size_t>(whole.first);
    if (!cut.tensors[first].producer.valid() || --request.readers_left[first] > 0) continue;
    free_[whole.elements].push_back(request.at[first]);
    request.at[first] = nullptr;
  }
}

}  // namespace tandem
