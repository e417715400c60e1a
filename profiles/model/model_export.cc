#include "profiles/model/model_export.h"

#include <algorithm>
#include <vector>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

// In order of suffix, whatever order the files were linked in.
std::vector<ModelExporter>& Exporters() {
  static std::vector<ModelExporter> exporters;
  return exporters;
}

const ModelExporter& ExporterFor(const std::filesystem::path& file) {
  // Standard output has no suffix; where there is one format there is nothing to choose.
  const bool only_one = IsStandardStream(file) && Exporters().size() == 1;
  const std::string suffix = only_one ? Exporters().front().suffix : file.extension().string();
  for (const ModelExporter& exporter : Exporters()) {
    if (exporter.suffix == suffix) return exporter;
  }
  throw InputError(file.string() + ": the suffix tells the format to write, and " +
                   (suffix.empty() ? "there is none" : Quoted(suffix) + " is unknown") +
                   "; this build writes: " + ModelExportFormats());
}

// What it is in batch 2, if it is twice what it is in batch 1.
bool IsTwice(const Shape& one, const Shape& two) {
  return !one.empty() && one.size() == two.size() && one[0] == 1 && two[0] == 2 &&
         std::equal(one.begin() + 1, one.end(), two.begin() + 1);
}

}  // namespace

ModelExporterRegistration::ModelExporterRegistration(ModelExporter exporter) {
  auto& exporters = Exporters();
  const auto after = [](const ModelExporter& a, const ModelExporter& b) { return a.suffix < b.suffix; };
  exporters.insert(std::upper_bound(exporters.begin(), exporters.end(), exporter, after),
                   std::move(exporter));
}

std::string ModelExportFormats() {
  std::string list = Joined(Exporters(), ", ", &ModelExporter::suffix);
  return list.empty() ? "none; its configuration says which package is missing" : list;
}

void ExportModel(const std::filesystem::path& file, const Model& model, const Weights& weights) {
  const ModelExporter& exporter = ExporterFor(file);
  CheckWeights(model, weights, "the weights of " + model.name());
  exporter.write(file, model, weights);
}

void CheckAnyBatch(const Model& model) {
  const Model twice = model.WithBatch(2);
  for (const std::vector<LayerId>& ends : {model.Inputs(), model.Outputs()}) {
    for (const LayerId end : ends) {
      const Shape &one = model.layer(end).output, &two = twice.layer(end).output;
      if (IsTwice(one, two)) continue;
      throw InputError(model.name() + ": layer " + Quoted(model.layer(end).name) + " is " + ShapeText(one) +
                       " in batch 1 and " + ShapeText(two) +
                       " in batch 2: its first extent is not the batch");
    }
  }
}

void ExportModelOfAnyBatch(const std::filesystem::path& file, const Model& model, const Weights& weights) {
  const ModelExporter& exporter = ExporterFor(file);
  if (exporter.write_any_batch == nullptr) {
    throw InputError(file.string() + ": the format " + Quoted(exporter.suffix) +
                     " has no models of any batch; export one for each batch");
  }
  CheckAnyBatch(model);
  CheckWeights(model, weights, "the weights of " + model.name());
  exporter.write_any_batch(file, model, weights);
}

}  // namespace tandem
