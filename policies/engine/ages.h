// How old what a stream last made becomes before something newer is there: what counts of a camera of which
// not every frame is looked at.
#pragma once

#include <optional>
#include <vector>

#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/outcome.h"

namespace tandem {

class Ages {
 public:
  // Of streams that leave requests out, hang on one that does, or are asked; of no stream where not `any`.
  explicit Ages(const Scenario& scenario, bool any = true);

  bool on() const { return on_; }
  bool Watches(StreamId stream) const { return on_ && watched_[stream.index()].tells; }

  // A request of a watched stream completed, or was dropped. `origin`: when it was released, or that on which
  // it hangs in the end; `outcome`: the stream's.
  void Ended(StreamId stream, Nanos origin, Nanos now, bool completed, StreamOutcome& outcome);
  // All have ended: of those that ended behind the newest the last says how old that became.
  void Finish(Outcome& outcome) const;

 private:
  struct Watched {
    bool tells = false;
    std::optional<Nanos> newest = {};  // origin of the newest that has completed
    Nanos since{0};                    // its age when the last request ended that is no newer
  };
  std::vector<Watched> watched_;  // per stream
  bool on_ = false;               // are there any?
};

}  // namespace tandem
