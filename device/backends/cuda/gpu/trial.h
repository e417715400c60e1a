// How long work takes on a card, to choose between ways to do it.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "device/backends/cuda/gpu/context.h"

namespace tandem::gpu {

// Held by whoever measures: two that measure at once would measure each other.
std::mutex& MeasuringMutex();

// The time of one of several runs of `start` after each other, by the card's clock; nothing, and why in
// `trouble`, where the card cannot. What takes far longer than `best` is not run often.
std::optional<Nanos> TrialTime(GpuContext& context, const std::function<void(CardStream&)>& start,
                               std::optional<Nanos> best, std::string& trouble);

// What was chosen, for the life of the process: all units of a kind agree on the first answer.
template <class Key, class Choice>
class KnownChoices {
 public:
  template <class Find>
  Choice Get(const Key& key, Find find) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = known_.find(key); known != known_.end()) return known->second;
    }
    const Choice found = find();
    const std::lock_guard lock(mutex_);
    return known_.emplace(key, found).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<Key, Choice> known_;
};

}  // namespace tandem::gpu
