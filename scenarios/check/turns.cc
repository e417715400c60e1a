#include "scenarios/check/turns.h"

#include <algorithm>

namespace tandem {
namespace {

// Who comes behind that slot, round and round: itself where it is alone.
std::int32_t Behind(std::int32_t slot, const std::vector<std::int32_t>& slots) {
  for (const std::int32_t next : slots) {
    if (next > slot) return next;
  }
  return slots.front();
}

}  // namespace

std::vector<CheckedTurn> TurnsTaken(const Unit& unit, const std::vector<CheckedAtWork>& at_work) {
  const Nanos slice = unit.slice.value_or(kLongestTime);
  std::vector<CheckedTurn> turns;
  std::int32_t last = -1;  // whose turn it is, or was before a pause
  Nanos begins{0};         // when the unit is, or was, switched to it
  bool pauses = true;      // nobody is at work
  bool counted = false;    // is anybody else waiting, for whom the slice is counted?
  Nanos over{0};           // the end of the slice, where it is counted
  const auto give = [&](std::int32_t slot, Nanos at) {
    begins = last < 0 || slot == last ? at : at + unit.switching;
    last = slot;
    turns.push_back({at, begins > at ? -1 : slot});
  };
  // Until the next change of who is at work.
  const auto pass = [&](const std::vector<std::int32_t>& slots, Nanos until) {
    for (;;) {
      if (turns.back().slot < 0 && begins < until) turns.push_back({begins, last});
      if (!counted || over >= until) return;
      const Nanos at = over;
      give(Behind(last, slots), at);
      over = begins + slice;
    }
  };
  for (std::size_t i = 0; i < at_work.size(); ++i) {
    const auto& [at, slots] = at_work[i];
    if (slots.empty()) {
      pauses = true;
      counted = false;
      turns.push_back({at, -1});
      continue;
    }
    const bool goes_on = !pauses && std::find(slots.begin(), slots.end(), last) != slots.end();
    pauses = false;
    if (!goes_on || (counted && over <= at)) {
      give(Behind(last, slots), at);
      counted = false;
    } else if (turns.back().slot < 0 && begins <= at) {
      turns.push_back({at, last});
    }
    if (slots.size() == 1) {
      counted = false;
    } else if (!counted) {
      counted = true;
      over = std::max(begins, at) + slice;
    }
    pass(slots, i + 1 < at_work.size() ? at_work[i + 1].at : at);
  }
  return turns;
}

}  // namespace tandem
