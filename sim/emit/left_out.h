// What a target leaves out of a plan, by its answers.
#pragma once

#include <string>

#include "sim/emit/emitter.h"

namespace tandem {

// That its files have random weights, where the model comes without.
void SayOfWeights(const Deployment& deployment, ModelId model, Emitted& emitted);
void SayOfWeights(const Deployment& deployment, Emitted& emitted);  // of all models

// What the target writes, and behind what it says itself all that its answers say it leaves out. One without
// answers says everything itself.
Emitted EmittedBy(const EmitterDeclaration& target, const Deployment& deployment);

// The answers of all targets as a table in Markdown, a feature a line.
std::string FeatureTable();

}  // namespace tandem
