// Room profiles/importers/tflite: TensorFlow Lite files to models. The only room that knows TensorFlow Lite.
//
// Reading .tflite files, format version 3: the operators of image networks, in float and in 8 bits.
#pragma once

#include <filesystem>
#include <string>

#include "profiles/model/model_source.h"

namespace tandem {

ImportedModel ImportTflite(const std::filesystem::path& file, const ImportOptions& options);

// Of a file's contents; `file` is for messages and the model's name.
ImportedModel ImportTfliteBytes(const std::string& bytes, const std::filesystem::path& file,
                                const ImportOptions& options);

}  // namespace tandem
