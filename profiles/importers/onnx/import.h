// Room profiles/importers/onnx: ONNX files to models and back. The only room that knows ONNX.
//
// Reading ONNX models: opsets 7 to 21, the operators of image networks.
#pragma once

#include <filesystem>
#include <string>

#include "profiles/model/model_source.h"

namespace tandem {

ImportedModel ImportOnnx(const std::filesystem::path& file, const ImportOptions& options);

// Of a file's contents; `file` is for messages, the model's name and external data.
ImportedModel ImportOnnxBytes(std::string bytes, const std::filesystem::path& file,
                              const ImportOptions& options);

}  // namespace tandem
