// Writing a model with its weights in another tool's format, chosen by the suffix of the file.
#pragma once

#include <filesystem>
#include <string>

#include "profiles/model/model.h"
#include "profiles/model/weights.h"

namespace tandem {

// One file format. Each exporter registers itself from its own file in profiles/importers/.
struct ModelExporter {
  std::string suffix;  // ".onnx"
  void (*write)(const std::filesystem::path& file, const Model& model, const Weights& weights);
  // The same for any batch, which is open in the file; null: the format cannot say that.
  void (*write_any_batch)(const std::filesystem::path& file, const Model& model,
                          const Weights& weights) = nullptr;
};
struct ModelExporterRegistration {
  explicit ModelExporterRegistration(ModelExporter exporter);
};

// The suffixes that this build writes: ".onnx".
std::string ModelExportFormats();

// The file is there whole or not at all. Throws InputError where no exporter of this build knows the suffix,
// where weights are missing or do not fit, or where the format cannot say what a layer does.
void ExportModel(const std::filesystem::path& file, const Model& model, const Weights& weights);

// Throws InputError that says why where the model, which is in batch 1, does not do in any other batch what
// it does in that: twice the batch has to make twice the rows of each output, and nothing else.
void CheckAnyBatch(const Model& model);
// As ExportModel, with the first extent of inputs and outputs open. The model is in batch 1.
void ExportModelOfAnyBatch(const std::filesystem::path& file, const Model& model, const Weights& weights);

}  // namespace tandem
