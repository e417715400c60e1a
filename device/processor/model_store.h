// The models of a run with their weights, each loaded once, and inputs to feed them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/processor/buffer.h"
#include "device/processor/processor.h"

namespace tandem {

class ModelStore {
 public:
  // `seed`: of the weights where a model's file has none (the zoo's have none).
  explicit ModelStore(std::uint64_t seed) : seed_(seed) {}

  struct Entry {
    std::shared_ptr<const Model> model;  // at the batch asked for
    std::shared_ptr<const Weights> weights;
    bool random_weights = false;
  };
  // A name of the zoo, or a file relative to `from` (empty: the working directory). `batch` 0: the model's
  // own. `weights`: a file of its own for them; may be empty. Throws InputError.
  const Entry& Get(const std::string& name, std::int64_t batch, const std::filesystem::path& from = {},
                   const std::filesystem::path& weights = {});
  // The same for a model that is loaded already (a scenario's), under that name.
  const Entry& Put(const std::string& name, const Model& model, std::int64_t batch);

 private:
  struct Loaded {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Weights> weights;
    bool random_weights = false;
  };
  Loaded& Load(const std::string& name, const std::filesystem::path& from,
               const std::filesystem::path& weights);
  const Entry& AtBatch(const std::string& name, const Loaded& loaded, std::int64_t batch);

  std::uint64_t seed_;
  std::map<std::string, Loaded> loaded_;
  std::map<std::pair<std::string, std::int64_t>, Entry> entries_;
};

// One buffer per input layer, uniform in [-1, 1], the same for the same model, seed and number; in memory
// that the host reads.
std::vector<Buffer> RandomInputs(const Model& model, std::uint64_t seed, TensorMemory& memory = HostMemory());

// What layer `id` gives, zeros.
Buffer BufferFor(const Model& model, LayerId id, TensorMemory& memory = HostMemory());

}  // namespace tandem
