#include "policies/engine/handed_data.h"

namespace tandem {

HandedData::HandedData(const Problem& problem, bool any) : problem_(&problem) {
  const std::vector<Stream>& streams = problem.scenario().streams;
  from_.resize(streams.size());
  hands_on_.resize(streams.size());
  stays_.resize(streams.size());
  maker_.resize(streams.size());
  for (std::size_t s = 0; any && s < streams.size(); ++s) {
    stays_[s] = streams[s].stays ? 1 : 0;
    const StreamId from = streams[s].ReadsFrom();
    if (!from.valid()) continue;
    on_ = true;
    from_[s] = from;
    hands_on_[from.index()] = 1;
  }
}

bool HandedData::IsLast(const Task& task) const {
  const Cut& cut = problem_->cut(task.stream);
  return task.segment.index() + 1 == cut.first.index() + static_cast<std::size_t>(cut.segments);
}

void HandedData::Made(const Task& task, UnitId unit) {
  if (!on_ || hands_on_[task.stream.index()] == 0 || !IsLast(task)) return;
  std::vector<UnitId>& makers = maker_[task.stream.index()];
  const auto at = static_cast<std::size_t>(task.index);
  if (makers.size() <= at) makers.resize(at + 1);
  makers[at] = unit;
}

void HandedData::Place(const Task& task, LiveRequests& live) const {
  const UnitId maker = MakerFor(task);
  const MemoryId memory = problem_->MemoryOf(maker);
  const std::vector<CutTensor>& tensors = problem_->cut(task.stream).tensors;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (tensors[t].producer.valid()) continue;
    const auto tensor = static_cast<std::int32_t>(t);
    live.SetMaker(task.live, tensor, maker);
    if (!InFirst(task)) live.SetPlace(task.live, tensor, MemoryId(0), LiveRequests::Place::kAbsent);
    live.SetPlace(task.live, tensor, memory, LiveRequests::Place::kHere);
  }
}

}  // namespace tandem
