#include "profiles/model/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_reader.h"
#include "profiles/base/stored_numbers.h"

namespace tandem {
namespace {

constexpr std::uint64_t kLargestHeader = 100'000'000;  // the format's own limit
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
constexpr std::size_t kMostTensorAxes = 16;
constexpr std::size_t kPrefix = 8;  // bytes that hold the header's length

enum class DataType : std::uint8_t { kF16, kBf16, kF32, kF64 };
constexpr std::array<Named<DataType>, 4> kDataTypeNames = {
    {{"F32", DataType::kF32}, {"F16", DataType::kF16}, {"BF16", DataType::kBf16}, {"F64", DataType::kF64}}};

constexpr std::int64_t SizeOf(DataType type) {
  return type == DataType::kF64 ? 8 : type == DataType::kF32 ? 4 : 2;
}

struct Entry {
  WeightKey key;
  DataType type = DataType::kF32;
  Shape shape;
  std::int64_t begin = 0, end = 0;
  JsonReader place;
};

WeightKey SplitName(const JsonReader& value) {
  const std::string_view name = value.key();
  const std::size_t colon = name.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == name.size()) {
    value.Fail("a tensor is named \"LAYER:ROLE\", such as \"conv1:weight\"");
  }
  return {std::string(name.substr(0, colon)), std::string(name.substr(colon + 1))};
}

Shape ReadShape(const JsonReader& value) {
  Shape shape;
  std::int64_t elements = 1;
  for (const JsonReader extent : value.Elements()) {
    shape.push_back(extent.Integer(1, kMostElements));
    if (shape.back() > kMostElements / elements) value.Fail("has more than 2^40 elements");
    if (shape.size() > kMostTensorAxes)
      value.Fail("has more than " + std::to_string(kMostTensorAxes) + " axes");
    elements *= shape.back();
  }
  return shape;
}

Entry ReadEntry(const JsonReader& value, std::int64_t data_bytes) {
  value.OnlyKeys({"dtype", "shape", "data_offsets"});
  Entry entry{SplitName(value),
              value.Get("dtype").OneOf(kDataTypeNames, "number type"),
              ReadShape(value.Get("shape")),
              0,
              0,
              value};
  const JsonReader offsets = value.Get("data_offsets");
  std::vector<std::int64_t> ends;
  for (const JsonReader offset : offsets.Elements()) ends.push_back(offset.Integer(0, data_bytes));
  if (ends.size() != 2) offsets.Fail("expected the first byte and the one past the last");
  entry.begin = ends[0];
  entry.end = ends[1];
  const std::int64_t needed = Elements(entry.shape) * SizeOf(entry.type);
  if (entry.end - entry.begin != needed) {
    offsets.Fail("its shape needs " + std::to_string(needed) + " bytes, it has " +
                 std::to_string(entry.end - entry.begin));
  }
  return entry;
}

// In order of their places, without gaps and overlaps.
std::vector<Entry> ReadEntries(const JsonReader& header, std::int64_t data_bytes) {
  std::vector<Entry> entries;
  for (const JsonReader value : header.Members()) {
    if (value.key() != "__metadata__") {
      entries.push_back(ReadEntry(value, data_bytes));
      continue;
    }
    for (const JsonReader text : value.Members()) text.String();
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.begin < b.begin; });
  std::int64_t at = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != at) {
      entry.place.Get("data_offsets")
          .Fail(std::string(entry.begin < at ? "overlaps the tensor before it" : "leaves a gap before it") +
                ", which ends at byte " + std::to_string(at));
    }
    at = entry.end;
  }
  if (at != data_bytes) {
    header.Fail("the tensors end at byte " + std::to_string(at) + " of " + std::to_string(data_bytes));
  }
  return entries;
}

void ReadBytes(std::ifstream& stream, char* to, std::int64_t count, const std::string& name) {
  if (!stream.read(to, count)) throw InputError(name + ": ended while it was read");
}

Tensor ReadTensor(std::ifstream& stream, const Entry& entry, const std::string& name) {
  Tensor tensor{entry.shape, std::vector<float>(static_cast<std::size_t>(Elements(entry.shape)))};
  if (entry.type == DataType::kF32) {
    ReadBytes(stream, reinterpret_cast<char*>(tensor.values.data()), entry.end - entry.begin, name);
    return tensor;
  }
  std::string bytes(static_cast<std::size_t>(entry.end - entry.begin), '\0');
  ReadBytes(stream, bytes.data(), entry.end - entry.begin, name);
  if (entry.type == DataType::kF64) {
    tensor.values = FromBytes<float, double>(bytes);
  } else if (entry.type == DataType::kF16) {
    tensor.values = FromBytes<float, Half>(bytes);
  } else {
    tensor.values = FromBytes<float, Bfloat>(bytes);
  }
  return tensor;
}

// Opens the file; `size` is that of all of it.
std::ifstream Open(const std::filesystem::path& file, std::int64_t& size) {
  const std::string name = file.string();
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) throw InputError(name + ": no such file");
  if (!std::filesystem::is_regular_file(status)) throw InputError(name + ": is not a regular file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError(name + ": cannot be opened: " + std::strerror(errno));
  size = static_cast<std::int64_t>(std::filesystem::file_size(file));
  NoteFileRead(file);
  return stream;
}

// The stream then stands at the numbers, which have `data_bytes`.
std::string ReadHeader(std::ifstream& stream, const std::string& name, std::int64_t size,
                       std::int64_t& data_bytes) {
  std::uint64_t length = 0;
  const std::int64_t rest = size - static_cast<std::int64_t>(kPrefix);
  if (rest < 0) throw InputError(name + ": is too short for a safetensors file");
  ReadBytes(stream, reinterpret_cast<char*>(&length), kPrefix, name);
  if (length > kLargestHeader || length > static_cast<std::uint64_t>(rest)) {
    throw InputError(name + ": is no safetensors file: it does not begin with the length of its header");
  }
  const auto header_bytes = static_cast<std::int64_t>(length);
  std::string header(length, '\0');
  ReadBytes(stream, header.data(), header_bytes, name);
  data_bytes = rest - header_bytes;
  return header;
}

}  // namespace

Weights ReadSafetensors(const std::filesystem::path& file) {
  const std::string name = file.string();
  std::int64_t size = 0, data_bytes = 0;
  std::ifstream stream = Open(file, size);
  const JsonDocument document = JsonDocument::Parse(ReadHeader(stream, name, size, data_bytes), name);
  Weights weights;
  for (const Entry& entry : ReadEntries(document.root(), data_bytes)) {
    weights[entry.key] = ReadTensor(stream, entry, name);
  }
  return weights;
}

std::map<WeightKey, Shape> ReadSafetensorsShapes(const std::filesystem::path& file) {
  const std::string name = file.string();
  std::int64_t size = 0, data_bytes = 0;
  std::ifstream stream = Open(file, size);
  const JsonDocument document = JsonDocument::Parse(ReadHeader(stream, name, size, data_bytes), name);
  std::map<WeightKey, Shape> shapes;
  for (const Entry& entry : ReadEntries(document.root(), data_bytes)) shapes[entry.key] = entry.shape;
  return shapes;
}

void AppendSafetensors(const Weights& weights, FileWriter& writer) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::size_t at = 0;
  for (const auto& [key, tensor] : weights) {
    const std::size_t bytes = tensor.values.size() * sizeof(float);
    header[key.layer + ":" + key.role] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {at, at + bytes}}};
    at += bytes;
  }
  std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.append((kPrefix - text.size() % kPrefix) % kPrefix, ' ');  // the numbers start at a multiple of 8
  const std::uint64_t length = text.size();
  writer.Append({reinterpret_cast<const char*>(&length), kPrefix});
  writer.Append(text);
  for (const auto& [key, tensor] : weights) {
    writer.Append(
        {reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size() * sizeof(float)});
  }
}

void WriteSafetensors(const std::filesystem::path& file, const Weights& weights) {
  FileWriter writer(file);
  AppendSafetensors(weights, writer);
  writer.Commit();
}

}  // namespace tandem
