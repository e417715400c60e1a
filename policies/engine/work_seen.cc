#include "policies/engine/work_seen.h"

namespace tandem {
namespace {

bool Computes(const Occupation& slot) {
  return slot.steps.empty() || slot.steps[slot.step].kind == StepKind::kCompute;
}

}  // namespace

WorkSeen::WorkSeen(const Problem& problem)
    : rates_(TaskRates::AsProfiled(problem)), work_(problem.places().of_units()) {}

void WorkSeen::Took(const Occupation& slot, Nanos work) { work_[slot.place.index()] = {work, {}, 1}; }

void WorkSeen::Began(const Occupation& slot, Nanos now) {
  if (slot.place.index() >= work_.size() || !Computes(slot)) return;
  Work& work = work_[slot.place.index()];
  work.progress = Progress(now, work.profiled, slot.credit);
}

void WorkSeen::Meet(const std::vector<Occupation>& all, Nanos now, bool turns) {
  if (turns) rates_.TakeTurns(all, now);
  for (std::size_t p = 0; p < work_.size(); ++p) {
    if (all[p].working && Computes(all[p])) work_[p].progress.SetRate(now, rates_.Of(all[p], all, now));
  }
}

void WorkSeen::Ended(const Occupation& slot, Nanos now) {
  Work& work = work_[slot.place.index()];
  if (!Computes(slot) || work.profiled <= Nanos{0} || work.progress.End() == now) return;
  const double profiled = static_cast<double>(work.profiled.count()) * static_cast<double>(kFullRate);
  work.times = 1 - static_cast<double>(work.progress.Rest(now)) / profiled;
}

std::optional<double> WorkSeen::Times(const Occupation& slot) const {
  const Work& work = work_[slot.place.index()];
  return work.profiled > Nanos{0} ? std::optional(work.times) : std::nullopt;
}

}  // namespace tandem
