// The inputs of an ONNX file, for libraries that do not tell them. Reads the few fields of protobuf that it
// needs.
#pragma once

#include <optional>
#include <set>
#include <string_view>

#include "scripts/adapters/unit_program.h"

namespace unit_program {

class ProtobufFields {
 public:
  explicit ProtobufFields(std::string_view message) : rest_(message) {}

  // The next field: its number, and its value as a whole number or as bytes. False at the end. Throws Trouble
  // where there is no such field.
  bool Next() {
    if (rest_.empty()) return false;
    const std::uint64_t key = Number();
    field_ = key >> 3;
    bytes_ = {};
    number_ = 0;
    switch (key & 7) {
      case 0:
        number_ = Number();
        break;
      case 1:
        Take(8);
        break;
      case 2:
        Take(Number());
        break;
      case 5:
        Take(4);
        break;
      default:
        throw Trouble("it is no ONNX file");
    }
    return true;
  }
  std::uint64_t field() const { return field_; }
  std::uint64_t number() const { return number_; }
  std::string_view bytes() const { return bytes_; }

 private:
  std::uint64_t Number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw Trouble("it is no ONNX file, or a damaged one");
  }
  void Take(std::uint64_t size) {
    if (size > rest_.size()) throw Trouble("it is no ONNX file, or a damaged one");
    bytes_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }

  std::string_view rest_, bytes_;
  std::uint64_t field_ = 0, number_ = 0;
};

// The first field of that number that is a message or a text.
inline std::string_view FieldOf(std::string_view message, std::uint64_t field) {
  for (ProtobufFields fields(message); fields.Next();) {
    if (fields.field() == field) return fields.bytes();
  }
  return {};
}

// The numbers of fields are those of onnx.proto: ModelProto.graph 7, GraphProto.initializer 5 and input 11,
// TensorProto.name 8, ValueInfoProto.name 1 and type 2, TypeProto.tensor_type 1, its elem_type 1 and shape 2,
// TensorShapeProto.dim 1, its dim_value 1.
inline Input OnnxInput(std::string_view value_info, std::int64_t batch) {
  Input input{std::string(FieldOf(value_info, 1)), {}};
  bool floats = false;
  for (ProtobufFields tensor(FieldOf(FieldOf(value_info, 2), 1)); tensor.Next();) {
    if (tensor.field() == 1) floats = tensor.number() == 1;
    if (tensor.field() != 2) continue;
    for (ProtobufFields dims(tensor.bytes()); dims.Next();) {
      std::int64_t extent = 0;  // open
      for (ProtobufFields dim(dims.bytes()); dim.Next();) {
        if (dim.field() == 1) extent = static_cast<std::int64_t>(dim.number());
      }
      input.shape.push_back(extent);
    }
  }
  if (!floats) throw Trouble("input " + input.name + " is no float32 tensor");
  if (!input.shape.empty() && input.shape[0] == 0) input.shape[0] = batch;
  return input;
}

// Those that are no weights. An open first extent is the batch; --shape speaks for what else is open.
inline std::vector<Input> OnnxInputs(const fs::path& file, std::int64_t batch, const Options& options) {
  const Bytes bytes = inside::Contents(file);
  const std::string_view graph = FieldOf({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, 7);
  std::set<std::string_view> weights;
  for (ProtobufFields fields(graph); fields.Next();) {
    if (fields.field() == 5) weights.insert(FieldOf(fields.bytes(), 8));
  }
  std::vector<Input> inputs;
  for (ProtobufFields fields(graph); fields.Next();) {
    if (fields.field() != 11 || weights.count(FieldOf(fields.bytes(), 1)) > 0) continue;
    Input input = OnnxInput(fields.bytes(), batch);
    if (const Shape given = options.ShapeOf(input.name); !given.empty()) input.shape = given;
    if (input.shape.empty() || *std::min_element(input.shape.begin(), input.shape.end()) < 1) {
      throw Trouble("input " + input.name + " of " + file.string() + " has no fixed shape: --shape " +
                    input.name + "=N,C,H,W says it");
    }
    if (input.shape[0] != batch) {
      throw Trouble(file.string() + " has batch " + std::to_string(input.shape[0]) + ", asked for is " +
                    std::to_string(batch));
    }
    inputs.push_back(std::move(input));
  }
  if (inputs.empty()) throw Trouble(file.string() + " has no inputs; is it an ONNX file?");
  return inputs;
}

}  // namespace unit_program
