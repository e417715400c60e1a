// What most targets cannot say, in the same words for each.
#pragma once

#include <string>
#include <vector>

#include "sim/emit/emitter.h"
#include "sim/emit/parts.h"

namespace tandem {

// What of it this target says all the same.
struct Expresses {
  bool turns = false;            // who runs next on a unit, by the policy's own rule
  bool priorities = false;       // of streams
  bool splits = false;           // files hold parts of models
  bool weights = true;           // false: says by itself of which models it writes files
  std::vector<bool> drops = {};  // per stream: requests that wait beyond their deadline
};

// That its files have random weights, where the model comes without.
void SayOfWeights(const Deployment& deployment, ModelId model, Emitted& emitted);

// Of policy, units, streams, background and transfers; `target` as in "Triton".
void SayWhatIsLeftOut(const Deployment& deployment, const std::string& target, const Expresses& expresses,
                      Emitted& emitted);

}  // namespace tandem
