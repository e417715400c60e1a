#include "profiles/model/model_source.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/model/safetensors.h"
#include "profiles/model/zoo.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

// In order of format, whatever order the files were linked in.
std::vector<Importer>& Importers() {
  static std::vector<Importer> importers;
  return importers;
}

// Formats whose importers a build may lack.
struct OptionalFormat {
  std::string_view suffix, name;
};
constexpr std::array<OptionalFormat, 3> kOptionalFormats = {
    {{".onnx", "ONNX"}, {".prototxt", "Caffe"}, {".tflite", "TensorFlow Lite"}}};

const Importer* FindImporter(const std::string& suffix) {
  for (const Importer& importer : Importers()) {
    for (const std::string& known : importer.suffixes) {
      if (known == suffix) return &importer;
    }
  }
  return nullptr;
}

const OptionalFormat* FindOptional(const std::string& suffix) {
  const auto found = std::find_if(kOptionalFormats.begin(), kOptionalFormats.end(),
                                  [&](const OptionalFormat& format) { return format.suffix == suffix; });
  return found == kOptionalFormats.end() ? nullptr : &*found;
}

// What a vendor's compiler makes for one accelerator: nobody else can look into it.
constexpr std::array<std::string_view, 5> kClosedEndings = {".rknn", ".engine", ".trt", ".hef",
                                                            "_edgetpu.tflite"};

bool IsClosed(const fs::path& file) {
  const std::string name = file.filename().string();
  return std::any_of(kClosedEndings.begin(), kClosedEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

const Importer* FindByBeginning(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return nullptr;
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 16> bytes{};
  stream.read(bytes.data(), bytes.size());
  const std::string_view beginning(bytes.data(), static_cast<std::size_t>(stream.gcount()));
  for (const Importer& importer : Importers()) {
    if (importer.begins != nullptr && importer.begins(beginning)) return &importer;
  }
  return nullptr;
}

// What comes from standard input has no suffix: it is a model of our own.
const Importer* ImporterOf(const fs::path& file) {
  if (IsClosed(file)) return nullptr;
  const std::string suffix = IsStandardStream(file) ? ".json" : file.extension().string();
  const Importer* importer = FindImporter(suffix);
  return importer != nullptr || FindOptional(suffix) != nullptr ? importer : FindByBeginning(file);
}

[[noreturn]] void FailOnFormat(const fs::path& file) {
  const std::string suffix = file.extension().string();
  if (IsClosed(file)) {
    const std::string described = file.stem().string() + ".model.json";
    throw InputError(file.string() +
                     ": is an engine for one accelerator, which nobody else can look into. Describe it in a "
                     "model/1 file, " +
                     Quoted(described) +
                     ", with a layer of operation \"opaque\" and the sizes of what goes in and comes out "
                     "(docs/formats.md, \"model/1: a network\"); a unit of backend \"command\" runs it");
  }
  if (const OptionalFormat* format = FindOptional(suffix)) {
    throw InputError(file.string() + ": this build reads no " + std::string(format->name) +
                     " models; its configuration says which package is missing");
  }
  throw InputError(file.string() + ": the suffix tells the format of a model, and " +
                   (suffix.empty() ? "there is none" : Quoted(suffix) + " is unknown") +
                   "; known: " + ModelFormats());
}

bool IsPath(std::string_view name) {
  const std::string suffix = fs::path(name).extension().string();
  return name.find('/') != std::string_view::npos || IsStandardStream(name) ||
         FindImporter(suffix) != nullptr || FindOptional(suffix) != nullptr || IsClosed(fs::path(name));
}

[[noreturn]] void FailOnName(std::string_view name, const fs::path& from) {
  std::error_code ignored;
  if (fs::is_regular_file(ResolvePath(name, from), ignored)) FailOnFormat(ResolvePath(name, from));
  std::vector<std::string> known;
  for (const ZooEntry& entry : Zoo()) known.push_back(entry.name);
  throw InputError("unknown model " + Quoted(name) + Suggestion(name, known, "tandem models list"));
}

ImportedModel FromZoo(const ZooEntry& entry, const ImportOptions& options) {
  ImportedModel imported{entry.build(), {}};
  if (options.input) imported.model = WithInput(imported.model, *options.input, entry.name);
  if (options.want_weights && !options.weights.empty()) imported.weights = ReadSafetensors(options.weights);
  return imported;
}

}  // namespace

ImporterRegistration::ImporterRegistration(Importer importer) {
  auto& importers = Importers();
  const auto after = [](const Importer& a, const Importer& b) { return a.format < b.format; };
  importers.insert(std::upper_bound(importers.begin(), importers.end(), importer, after),
                   std::move(importer));
}

std::string ModelFormats() {
  std::string list;
  for (const Importer& importer : Importers()) {
    for (const std::string& suffix : importer.suffixes) list += (list.empty() ? "" : ", ") + suffix;
  }
  return list;
}

Model WithInput(const Model& model, const Shape& shape, const std::string& source) {
  const std::size_t inputs = model.Inputs().size();
  if (inputs != 1) {
    throw InputError(source + ": an input shape can be asked for where a model has one input; this one has " +
                     std::to_string(inputs));
  }
  return model.WithInputShape(shape);
}

ImportedModel ImportModel(const fs::path& file, const ImportOptions& options) {
  const Importer* importer = ImporterOf(file);
  if (importer == nullptr) FailOnFormat(file);
  ImportedModel imported = importer->import(file, options);
  if (!imported.weights.empty()) {
    CheckWeights(imported.model, imported.weights,
                 (options.weights.empty() ? file : options.weights).string());
  }
  return imported;
}

bool IsModelFile(const fs::path& file) { return ImporterOf(file) != nullptr; }

std::vector<fs::path> FilesOfModel(const fs::path& file) {
  const Importer* importer = ImporterOf(file);
  if (importer == nullptr) FailOnFormat(file);
  std::vector<fs::path> files = {file};
  if (importer->files_beside == nullptr) return files;
  for (fs::path& beside : importer->files_beside(file)) files.push_back(std::move(beside));
  return files;
}

ImportedModel LoadModel(std::string_view name, const fs::path& from, const ImportOptions& options) {
  if (IsPath(name)) return ImportModel(FileToRead(name, from), options);
  const ZooEntry* entry = FindInZoo(name);
  if (entry == nullptr && ImporterOf(ResolvePath(name, from)) != nullptr) {
    return ImportModel(FileToRead(name, from), options);
  }
  if (entry == nullptr) FailOnName(name, from);
  ImportedModel imported = FromZoo(*entry, options);
  if (!imported.weights.empty()) CheckWeights(imported.model, imported.weights, options.weights.string());
  return imported;
}

}  // namespace tandem
