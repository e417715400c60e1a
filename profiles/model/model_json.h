// Models as files of this project, kind "model/1": what an import writes and a person may write by hand.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/json_reader.h"
#include "profiles/model/model_source.h"

namespace tandem {

// Reads and judges, its weights too where they are wanted; throws InputError.
ImportedModel ReadModel(const JsonReader& root, const ImportOptions& options = {});

// `weights` is the file that holds them, relative to the model's; empty where there is none.
std::string ModelJson(const Model& model, std::string_view weights);

// "alexnet, 24 layers, 60,965,224 parameters".
std::string ModelSummary(const Model& model);

// STEM.json and, where there are weights, STEM.safetensors beside it; `out` may be either name or STEM. For
// "-" that alone: there is no place beside standard output for weights.
std::vector<std::filesystem::path> ModelFilesOf(const std::filesystem::path& out,
                                                const ImportedModel& imported);
// Writes these: both, or where one cannot be written neither.
void WriteModelFiles(const std::vector<std::filesystem::path>& files, const ImportedModel& imported);

}  // namespace tandem
