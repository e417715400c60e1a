#include "device/processor/model_store.h"

#include <random>

#include "profiles/base/hash.h"
#include "profiles/costs/profile.h"
#include "profiles/model/model_source.h"

namespace tandem {

ModelStore::Loaded& ModelStore::Load(const std::string& name, const std::filesystem::path& from,
                                     const std::filesystem::path& weights) {
  const std::string key =
      weights.empty() ? ModelKey(name, from) : ModelKey(name, from) + "|" + weights.string();
  Loaded& loaded = loaded_[key];
  if (loaded.model) return loaded;
  ImportOptions options;
  options.weights = weights;
  ImportedModel imported = LoadModel(name, from, options);
  loaded.model = std::make_shared<const Model>(std::move(imported.model));
  loaded.random_weights = imported.weights.empty();
  loaded.weights = std::make_shared<const Weights>(loaded.random_weights ? RandomWeights(*loaded.model, seed_)
                                                                         : std::move(imported.weights));
  return loaded;
}

const ModelStore::Entry& ModelStore::AtBatch(const std::string& name, const Loaded& loaded,
                                             std::int64_t batch) {
  Entry& entry = entries_[{name, batch}];
  if (entry.model) return entry;
  entry.model = loaded.model->batch() == batch
                    ? loaded.model
                    : std::make_shared<const Model>(loaded.model->WithBatch(batch));
  entry.weights = loaded.weights;
  entry.random_weights = loaded.random_weights;
  return entry;
}

const ModelStore::Entry& ModelStore::Get(const std::string& name, std::int64_t batch,
                                         const std::filesystem::path& from,
                                         const std::filesystem::path& weights) {
  const Loaded& loaded = Load(name, from, weights);
  return AtBatch(weights.empty() ? ModelKey(name, from) : ModelKey(name, from) + "|" + weights.string(),
                 loaded, batch == 0 ? loaded.model->batch() : batch);
}

const ModelStore::Entry& ModelStore::Put(const std::string& name, const Model& model, std::int64_t batch) {
  Loaded& loaded = loaded_[name];
  if (!loaded.model) {
    loaded.model = std::make_shared<const Model>(model);
    loaded.weights = std::make_shared<const Weights>(RandomWeights(model, seed_));
    loaded.random_weights = true;
  }
  return AtBatch(name, loaded, batch);
}

std::vector<Buffer> RandomInputs(const Model& model, std::uint64_t seed, TensorMemory& memory) {
  std::vector<Buffer> inputs;
  for (const LayerId id : model.Inputs()) {
    inputs.push_back(BufferFor(model, id, memory));
    std::mt19937_64 bits(Fnv1a64(model.layer(id).name) ^ seed);
    for (float& value : inputs.back().values()) {
      value = static_cast<float>(static_cast<std::int64_t>(bits() >> 39) - (1 << 24)) / (1 << 24);
    }
  }
  return inputs;
}

Buffer BufferFor(const Model& model, LayerId id, TensorMemory& memory) {
  return Buffer(static_cast<std::size_t>(Elements(model.layer(id).output)), memory);
}

}  // namespace tandem
