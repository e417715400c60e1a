// Weights in files of the safetensors format: a JSON header (names, types, shapes, places), then raw numbers.
// A tensor is named "LAYER:ROLE", the role after the last colon.
#pragma once

#include <filesystem>
#include <map>

#include "profiles/base/files.h"
#include "profiles/model/weights.h"

namespace tandem {

// Strict: every byte after the header belongs to exactly one tensor. F16, BF16 and F64 become fp32.
// Throws InputError with `file:/tensor name: what is wrong`.
Weights ReadSafetensors(const std::filesystem::path& file);

// Of its header alone, as strictly; throws the same.
std::map<WeightKey, Shape> ReadSafetensorsShapes(const std::filesystem::path& file);

// Writes fp32; the file is there whole or not at all.
void WriteSafetensors(const std::filesystem::path& file, const Weights& weights);
void AppendSafetensors(const Weights& weights, FileWriter& writer);

}  // namespace tandem
