// Tensors whose values an ONNX file states, or that follow from such ones while it is imported.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiles/model/shape.h"

namespace tandem {

// The values are in at most one of the four places; in none where the file gives the shape alone.
struct OnnxConstant {
  Shape shape;
  bool integer = false;                                   // integers or truth values
  int type = 0;                                           // as the file has it; 0: it was computed
  std::shared_ptr<const std::vector<std::int64_t>> ints;  // of every small integer tensor that is known
  std::shared_ptr<const std::vector<float>> floats;
  const onnx::TensorProto* stored = nullptr;  // decoded when asked for: weights are copied once
  std::optional<float> fill;                  // the same number everywhere
  // Of what DequantizeLinear has made: its numbers are whole multiples of a step, one for all or one for each
  // place along an axis.
  std::shared_ptr<const std::vector<float>> steps;
  std::size_t step_axis = 0;

  bool known() const { return ints || floats || stored != nullptr || fill; }
};

// A larger tensor is no shape or setting but weights: it is left alone where weights are not wanted.
inline constexpr std::int64_t kOnnxSmallTensor = std::int64_t{1} << 16;

// The functions below throw InputError with a plain sentence; the caller names file and tensor. `file` is the
// model's own: external data stands in its folder or below.

// Checks extents, type and, for data inside the model, its size.
OnnxConstant StoredConstant(const onnx::TensorProto& tensor, const std::filesystem::path& file);

// The values, where known. Asked for as integers, a fraction is an error.
std::optional<std::vector<float>> FloatValues(const OnnxConstant& constant,
                                              const std::filesystem::path& file);
std::optional<std::vector<std::int64_t>> IntValues(const OnnxConstant& constant,
                                                   const std::filesystem::path& file);

OnnxConstant MakeConstant(Shape shape, std::vector<std::int64_t> values);
OnnxConstant MakeConstant(Shape shape, std::vector<float> values);

// The bytes of a tensor whose data stands beside the model.
std::string ReadOnnxExternal(const onnx::TensorProto& tensor, const std::filesystem::path& file,
                             std::uint64_t bytes);

// The files beside the model in which the graph's tensors stand, each once.
std::vector<std::filesystem::path> OnnxExternalFiles(const onnx::GraphProto& graph,
                                                     const std::filesystem::path& file);

}  // namespace tandem
