// What ONNX Runtime is told of each model: session options, files, and which nodes belong to which provider.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/emit/emitter.h"

namespace tandem::onnxruntime {

// What stands for a unit there.
struct Provider {
  std::string name;  // "cpu", "cuda"; empty: none that onnxruntime-node has
  std::int64_t device = 0;
};
Provider ProviderOf(const Unit& unit);

// As InferenceSession.create takes them; the entries of "extra" are the configuration entries of every
// language that ONNX Runtime speaks.
nlohmann::ordered_json SessionOptions(const Unit& unit);

// "gpu(conv1, conv2); cpu(fc)": which nodes run where, of one session over the whole of a model that is cut.
// Empty where all of it runs by one provider or where a name cannot be said; `emitted` is told why.
std::string LayerAssignment(const Deployment& deployment, const Cut& cut, Emitted& emitted);

// sessions/NAME.json and the models that it names.
void AddSessions(const Deployment& deployment, const Cut& cut, const std::string& name, Emitted& emitted);

}  // namespace tandem::onnxruntime
