// Stages of which only an application knows what they do: it runs them itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "profiles/base/ids.h"
#include "profiles/model/model.h"

namespace tandem {

// One request of a stage, in memory that the host reads.
struct FunctionCall {
  StreamId stream;
  std::uint64_t number = 0;                        // RequestData::Number
  std::vector<std::span<const std::byte>> inputs;  // of the segment, in its order
  std::vector<std::span<std::byte>> outputs;       // the same
};

// On the thread of the slot that the plan gave it. What it throws is of this request alone.
using StageFunction = std::function<void(const FunctionCall&)>;

// Of what the layer gives: as many as its type takes, else four for each number.
inline std::size_t BytesForFunctions(const Model& model, LayerId layer) {
  return static_cast<std::size_t>(Elements(model.layer(layer).output) *
                                  model.ElementBytes(layer).value_or(std::int64_t{sizeof(float)}));
}

}  // namespace tandem
