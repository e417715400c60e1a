#include "policies/engine/request_peaks.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr std::int32_t kFewTasks = 12;  // of a block: so many that all of its states are looked at

// From which part of the request to which a tensor is there, parts counted along the topological order.
struct Stay {
  std::int32_t from = 0, to = 0;
};

class PeakFinder {
 public:
  PeakFinder(const Problem& problem, const Cut& cut)
      : problem_(problem), cut_(cut), memories_(problem.platform().memories.size()) {
    FindBytes();
    FindBlocks();
  }

  RequestPeaks Find() const {
    std::vector<std::int32_t> each(Tasks());
    for (std::size_t i = 0; i < each.size(); ++i) each[i] = static_cast<std::int32_t>(i);
    RequestPeaks peaks;
    std::vector<std::vector<std::int64_t>> there = Sums(StaysIn(block_of_));
    SharpenSmallBlocks(there);
    peaks.at_once = Greatest(there);
    peaks.in_order = Greatest(Sums(StaysIn(each)));
    return peaks;
  }

 private:
  std::size_t Tasks() const { return static_cast<std::size_t>(cut_.segments); }
  std::size_t Local(SegmentId segment) const { return segment.index() - cut_.first.index(); }
  const Segment& SegmentAt(std::size_t local) const {
    return problem_.segment(SegmentId(cut_.first.index() + local));
  }
  std::int64_t BytesAt(std::size_t tensor, std::size_t memory) const {
    return bytes_[tensor * memories_ + memory];
  }

  // Per task and memory, how wide the elements are that units there make of it: at most, 0 where none runs
  // it.
  std::vector<std::int64_t> Widths() const {
    std::vector<std::int64_t> widths(Tasks() * memories_);
    for (std::size_t t = 0; t < Tasks(); ++t) {
      for (std::size_t u = 0; u < problem_.units(); ++u) {
        if (!problem_.Runs(SegmentId(cut_.first.index() + t), UnitId(u))) continue;
        std::int64_t& width = widths[t * memories_ + problem_.MemoryOf(UnitId(u)).index()];
        width = std::max(width, problem_.ElementBytes(UnitId(u)));
      }
    }
    return widths;
  }

  // What each tensor takes in each memory at most: made there, or read there as wide as any unit makes it.
  void FindBytes() {
    const std::vector<std::int64_t> widths = Widths();
    const auto width = [&](SegmentId task, std::size_t m) { return widths[Local(task) * memories_ + m]; };
    for (const CutTensor& tensor : cut_.tensors) {
      std::int64_t widest = kFp32Bytes;
      if (tensor.producer.valid()) {
        widest = 0;
        for (std::size_t m = 0; m < memories_; ++m) widest = std::max(widest, width(tensor.producer, m));
      }
      for (std::size_t m = 0; m < memories_; ++m) {
        const bool read = Problem::Occupies(tensor, MemoryId(m)) &&
                          std::any_of(tensor.consumers.begin(), tensor.consumers.end(),
                                      [&](SegmentId reader) { return width(reader, m) > 0; });
        const std::int64_t made = tensor.producer.valid() ? width(tensor.producer, m) : 0;
        const std::int64_t wide = std::max(read ? widest : 0, made);
        bytes_.push_back(wide > 0 ? tensor.Bytes(wide) : 0);
      }
    }
  }

  // Tasks that are before or after each of the others stand alone; those between two of them are a block.
  // Only one such part of a request is under way at a time.
  void FindBlocks() {
    const std::vector<char> after_all = FollowsAllBefore(), before_all = PrecedesAllBehind();
    std::int32_t block = 0;
    for (std::size_t i = 0; i < Tasks(); ++i) {
      const bool alone = after_all[i] && before_all[i];
      if (alone) ++block;
      block_of_.push_back(block);
      if (alone) ++block;
    }
  }

  // A task comes after all those before it where each of these that feeds none of them feeds it: every way
  // through them ends at such a one.
  std::vector<char> FollowsAllBefore() const {
    std::vector<char> follows;
    std::vector<std::int32_t> feeds_first(Tasks() +
                                          1);  // per task: how many have it as the first that they feed
    std::int32_t open = 0;                     // that feed none of those before the task
    for (std::size_t i = 0; i < Tasks(); ++i) {
      follows.push_back(open == feeds_first[i] ? 1 : 0);
      open += 1 - feeds_first[i];
      const std::vector<SegmentId>& feeds = SegmentAt(i).feeds;
      ++feeds_first[feeds.empty() ? Tasks() : Local(feeds.front())];
    }
    return follows;
  }

  // The same from behind: it comes before all those behind it where it is the last to feed each of these that
  // none of them feeds.
  std::vector<char> PrecedesAllBehind() const {
    std::vector<std::size_t> fed_last(Tasks(), Tasks());  // per task: the last that feeds it
    for (std::size_t i = 0; i < Tasks(); ++i) {
      for (const SegmentId next : SegmentAt(i).feeds) fed_last[Local(next)] = i;
    }
    std::vector<std::int32_t> feeds_last(Tasks() + 1);
    std::vector<char> precedes(Tasks());
    std::int32_t open = 0;
    for (std::size_t i = Tasks(); i-- > 0;) {
      precedes[i] = open == feeds_last[i] ? 1 : 0;
      open += 1 - feeds_last[i];
      ++feeds_last[fed_last[i]];
    }
    return precedes;
  }

  // What leaves the model, or is read by nobody, stays until the end.
  std::vector<Stay> StaysIn(const std::vector<std::int32_t>& part_of) const {
    std::vector<Stay> stays;
    for (const CutTensor& tensor : cut_.tensors) {
      const auto& readers = tensor.consumers;
      Stay stay{0, part_of.back()};
      if (tensor.producer.valid()) {
        stay.from = part_of[Local(tensor.producer)];
      } else if (!readers.empty()) {
        stay.from = part_of[Local(readers.front())];
      }
      if (!tensor.leaves && !readers.empty()) stay.to = part_of[Local(readers.back())];
      stays.push_back(stay);
    }
    return stays;
  }

  // Per part and memory, all that is there at any time of it.
  std::vector<std::vector<std::int64_t>> Sums(const std::vector<Stay>& stays) const {
    const auto parts = static_cast<std::size_t>(cut_.segments) * 2 + 2;
    std::vector<std::vector<std::int64_t>> sums(parts, std::vector<std::int64_t>(memories_));
    for (std::size_t t = 0; t < stays.size(); ++t) {
      for (std::size_t m = 0; m < memories_; ++m) {
        sums[static_cast<std::size_t>(stays[t].from)][m] += BytesAt(t, m);
        sums[static_cast<std::size_t>(stays[t].to) + 1][m] -= BytesAt(t, m);
      }
    }
    for (std::size_t p = 1; p < parts; ++p) {
      for (std::size_t m = 0; m < memories_; ++m) sums[p][m] += sums[p - 1][m];
    }
    return sums;
  }

  std::vector<std::int64_t> Greatest(const std::vector<std::vector<std::int64_t>>& sums) const {
    std::vector<std::int64_t> most(memories_);
    for (const auto& part : sums) {
      for (std::size_t m = 0; m < memories_; ++m) most[m] = std::max(most[m], part[m]);
    }
    return most;
  }

  // Per block the tensors that are there at some time of it; those of many blocks are listed once.
  struct TensorLists {
    std::vector<std::vector<std::size_t>> of_block;
    std::vector<std::size_t> of_many;
  };

  TensorLists ListsOf(const std::vector<Stay>& stays) const {
    constexpr std::int32_t kMany = 4;
    TensorLists lists;
    lists.of_block.resize(static_cast<std::size_t>(block_of_.back()) + 1);
    for (std::size_t t = 0; t < stays.size(); ++t) {
      if (stays[t].to - stays[t].from >= kMany) {
        lists.of_many.push_back(t);
        continue;
      }
      for (std::int32_t b = stays[t].from; b <= stays[t].to; ++b) {
        lists.of_block[static_cast<std::size_t>(b)].push_back(t);
      }
    }
    return lists;
  }

  void SharpenSmallBlocks(std::vector<std::vector<std::int64_t>>& there) const {
    const std::vector<Stay> stays = StaysIn(block_of_);
    const TensorLists lists = ListsOf(stays);
    for (std::size_t first = 0, end = 0; first < Tasks(); first = end) {
      while (end < Tasks() && block_of_[end] == block_of_[first]) ++end;
      if (end - first < 2 || end - first > static_cast<std::size_t>(kFewTasks)) continue;
      std::vector<std::size_t> tensors = lists.of_block[static_cast<std::size_t>(block_of_[first])];
      tensors.insert(tensors.end(), lists.of_many.begin(), lists.of_many.end());
      there[static_cast<std::size_t>(block_of_[first])] =
          MostOfBlock(first, end, InBlockOf(first, end, tensors, stays));
    }
  }

  // A tensor as the states of one block see it: from the task that makes it until these have read it.
  struct InBlock {
    std::size_t tensor = 0;
    std::uint32_t maker = 0, readers = 0;  // sets of tasks of the block; no maker: it is there before
    bool stays = false;                    // beyond the block
  };

  std::vector<InBlock> InBlockOf(std::size_t first, std::size_t end, const std::vector<std::size_t>& tensors,
                                 const std::vector<Stay>& stays) const {
    const auto bit = [&](SegmentId task) {
      const std::size_t local = Local(task);
      return local >= first && local < end ? std::uint32_t{1} << (local - first) : 0;
    };
    std::vector<InBlock> in_block;
    for (const std::size_t t : tensors) {
      const std::int32_t block = block_of_[first];
      if (stays[t].from > block || stays[t].to < block) continue;
      const CutTensor& tensor = cut_.tensors[t];
      InBlock seen{t, tensor.producer.valid() ? bit(tensor.producer) : 0, 0, false};
      for (const SegmentId reader : tensor.consumers) seen.readers |= bit(reader);
      seen.stays = tensor.leaves || tensor.consumers.empty() || stays[t].to > block;
      in_block.push_back(seen);
    }
    return in_block;
  }

  // Over all sets of tasks that may have ended, with all begun that can be.
  std::vector<std::int64_t> MostOfBlock(std::size_t first, std::size_t end,
                                        const std::vector<InBlock>& tensors) const {
    std::vector<std::uint32_t> before(end - first);  // per task those of the block that feed it
    for (std::size_t i = first; i < end; ++i) {
      for (const SegmentId next : SegmentAt(i).feeds) {
        const std::size_t local = Local(next);
        if (local < end) before[local - first] |= std::uint32_t{1} << (i - first);
      }
    }
    std::vector<std::int64_t> most(memories_);
    for (std::uint32_t ended = 0; ended < std::uint32_t{1} << before.size(); ++ended) {
      std::uint32_t begun = 0;
      for (std::size_t i = 0; i < before.size(); ++i) {
        if ((before[i] & ~ended) == 0) begun |= std::uint32_t{1} << i;
      }
      if ((ended & ~begun) != 0) continue;  // no task ends before those that feed it
      AddState(tensors, begun, ended, most);
    }
    return most;
  }

  void AddState(const std::vector<InBlock>& tensors, std::uint32_t begun, std::uint32_t ended,
                std::vector<std::int64_t>& most) const {
    for (std::size_t m = 0; m < memories_; ++m) {
      std::int64_t bytes = 0;
      for (const InBlock& tensor : tensors) {
        const bool made = tensor.maker == 0 || (tensor.maker & begun) != 0;
        const bool read = !tensor.stays && (tensor.readers & ~ended) == 0;
        if (made && !read) bytes += BytesAt(tensor.tensor, m);
      }
      most[m] = std::max(most[m], bytes);
    }
  }

  const Problem& problem_;
  const Cut& cut_;
  std::size_t memories_;
  std::vector<std::int64_t> bytes_;     // per tensor and memory
  std::vector<std::int32_t> block_of_;  // per task
};

}  // namespace

RequestPeaks PeaksOf(const Problem& problem, const Cut& cut) { return PeakFinder(problem, cut).Find(); }

}  // namespace tandem
