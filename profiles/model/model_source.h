// Any model by what the user calls it: a name of the zoo, or a file that an importer reads.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/model/model.h"
#include "profiles/model/weights.h"

namespace tandem {

struct ImportedModel {
  Model model;
  Weights weights;                      // empty where the file has none
  std::vector<std::string> notes = {};  // what the importer had to assume, a sentence each
};

struct ImportOptions {
  std::filesystem::path
      weights;  // a file of weights beside the model's (.caffemodel, .safetensors); may be empty
  std::optional<Shape> input;  // asked for instead of what the file says
  bool want_weights = true;    // false: read the graph alone, quickly
};

// One file format. Each importer registers itself from its own file in profiles/importers/.
struct Importer {
  std::string format;                 // "onnx"
  std::vector<std::string> suffixes;  // ".onnx"
  ImportedModel (*import)(const std::filesystem::path& file, const ImportOptions& options);
  // The files that it reads beside its own, weights mostly; null: there are none.
  std::vector<std::filesystem::path> (*files_beside)(const std::filesystem::path& file) = nullptr;
  // Is it of this format, by its first bytes? Asked of a file whose suffix says nothing; null: they do not
  // tell.
  bool (*begins)(std::string_view beginning) = nullptr;
};
struct ImporterRegistration {
  explicit ImporterRegistration(Importer importer);
};

// The suffixes that this build reads: ".json, .onnx, .prototxt, .tflite".
std::string ModelFormats();

// By suffix, else by what it begins with. Throws InputError that lists the formats of this build where none
// fits.
ImportedModel ImportModel(const std::filesystem::path& file, const ImportOptions& options = {});

// Has it the suffix of a model that this build reads, or begins it as one?
bool IsModelFile(const std::filesystem::path& file);
// The file of a model and what is read with it. Throws InputError.
std::vector<std::filesystem::path> FilesOfModel(const std::filesystem::path& file);

// `model` with another input shape. Throws InputError, `source` first, where it has not exactly one input.
Model WithInput(const Model& model, const Shape& shape, const std::string& source);

// A zoo name (no '/' and no known suffix), or a file relative to `from`, the file that names it (empty: the
// working directory). Throws InputError with "did you mean".
ImportedModel LoadModel(std::string_view name, const std::filesystem::path& from,
                        const ImportOptions& options = {});

}  // namespace tandem
