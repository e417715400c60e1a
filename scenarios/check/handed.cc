#include "scenarios/check/handed.h"

#include <algorithm>

namespace tandem {
namespace {

const CheckedTask* LastOf(const CheckedRun& run, const CheckedRequest& request) {
  const CheckedTask* last = nullptr;
  for (std::size_t t = request.first_task; t < request.last_task; ++t) {
    const CheckedTask& task = run.tasks[t];
    if (!last || task.place > last->place) last = &task;
  }
  return last;
}

}  // namespace

const CheckedTask* MakerOfInputs(const CheckedRun& run, const CheckedRequest& request) {
  const StreamId from = run.stream(request.stream).ReadsFrom();
  if (!from.valid() || !run.simulated()) return nullptr;
  const auto before = [](const CheckedRequest& of, const std::pair<StreamId, std::int64_t>& name) {
    return std::pair(of.stream, of.index) < name;
  };
  const auto found =
      std::lower_bound(run.requests.begin(), run.requests.end(), std::pair(from, request.index), before);
  const bool there = found != run.requests.end() && found->stream == from && found->index == request.index;
  return there ? LastOf(run, *found) : nullptr;
}

bool StaysWhereMade(const CheckedRun& run, const CheckedRequest& request, const CheckedTask& task) {
  return run.stream(request.stream).stays && run.simulated() && LastOf(run, request) == &task;
}

}  // namespace tandem
