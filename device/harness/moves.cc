#include "device/harness/moves.h"

#include <algorithm>
#include <set>

#include "profiles/base/input_error.h"

namespace tandem {

void TensorMove::Make() const {
  if (!first) return CopyOnHost(to, from, *block);
  first->Copy(second ? between : to, from, *block);
  if (second) second->Copy(to, between, *block);
}

TensorMoves::TensorMoves(const Problem& problem, const HarnessUnits& units)
    : problem_(&problem), units_(&units) {
  std::set<const TensorMemory*> own;
  for (std::size_t m = 0; m < problem.platform().memories.size(); ++m) {
    const TensorMemory& memory = units.memory(MemoryId(m));
    host_reads_.push_back(memory.HostReads() ? 1 : 0);
    emulated_.push_back(OnlyEmulated(problem.platform(), MemoryId(m)) ? 1 : 0);
    if (!memory.HostReads()) own.insert(&memory);
  }
  if (own.size() < 2) return;
  std::int64_t most = 0;
  for (const Cut& cut : problem.cuts()) {
    for (const WholeTensor& whole : WholeTensorsOf(cut)) most = std::max(most, whole.elements);
  }
  for (std::size_t p = 0; p < units.places() + units.engines(); ++p) {
    between_.emplace_back(static_cast<std::size_t>(most), units.memory(MemoryId(0)));
  }
}

TensorMove TensorMoves::Between(std::size_t place, MemoryId from, MemoryId to) {
  TensorMove move;
  const bool one = &units_->memory(from) == &units_->memory(to);
  for (const MemoryId end : {from, to}) {
    if (HostReads(end) || (one && move.first)) continue;
    Copier* const copier = units_->copier(place, end);
    if (!copier) {
      throw EnvironmentError("nothing here copies between memory \"" +
                             problem_->platform().memories[from.index()].name + "\" and \"" +
                             problem_->platform().memories[to.index()].name + "\" for it");
    }
    (move.first ? move.second : move.first) = copier;
  }
  if (move.second) move.between = between_[place].data();
  return move;
}

}  // namespace tandem
