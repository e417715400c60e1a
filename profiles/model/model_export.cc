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
  // Standard output has no suffix; where there is one format there is nothing to choose.
  const bool only_one = IsStandardStream(file) && Exporters().size() == 1;
  const std::string suffix = only_one ? Exporters().front().suffix : file.extension().string();
  for (const ModelExporter& exporter : Exporters()) {
    if (exporter.suffix != suffix) continue;
    CheckWeights(model, weights, "the weights of " + model.name());
    return exporter.write(file, model, weights);
  }
  throw InputError(file.string() + ": the suffix tells the format to write, and " +
                   (suffix.empty() ? "there is none" : Quoted(suffix) + " is unknown") +
                   "; this build writes: " + ModelExportFormats());
}

}  // namespace tandem
