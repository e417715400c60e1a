// Tensor data in files beside the model, for models beyond the 2 GiB of a protobuf message.
#include <charconv>
#include <fstream>
#include <set>
#include <system_error>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/importers/onnx/tensor.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

struct External {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

std::uint64_t ReadNumber(const onnx::StringStringEntryProto& entry) {
  const std::string& text = entry.value();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InputError("the " + entry.key() + " of its external data is no number: " + Quoted(text));
  }
  return value;
}

External ReadEntries(const onnx::TensorProto& tensor) {
  External external;
  for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") external.location = entry.value();
    if (entry.key() == "offset") external.offset = ReadNumber(entry);
    if (entry.key() == "length") external.length = ReadNumber(entry);
  }
  return external;
}

// A model must not make tandem read any other file of the machine: nothing absolute, no "..", no link out of
// the folder of its `file`.
bool IsInside(const std::string& location, const fs::path& file) {
  const fs::path relative(location);
  if (location.empty() || location.find('\0') != std::string::npos || relative.is_absolute()) return false;
  for (const fs::path& part : relative) {
    if (part == "..") return false;
  }
  std::error_code error;
  const fs::path root = fs::weakly_canonical(fs::absolute(file, error).parent_path(), error);
  const fs::path target = fs::weakly_canonical(root / relative, error);
  const fs::path from_root = target.lexically_relative(root);
  return !error && !from_root.empty() && *from_root.begin() != "..";
}

External ReadInside(const onnx::TensorProto& tensor, const fs::path& file) {
  External external = ReadEntries(tensor);
  if (IsInside(external.location, file)) return external;
  throw InputError("its external data " + Quoted(external.location) +
                   " lies outside the folder of the model");
}

}  // namespace

std::vector<fs::path> OnnxExternalFiles(const onnx::GraphProto& graph, const fs::path& file) {
  std::set<fs::path> files;
  const auto add = [&](const onnx::TensorProto& tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
    files.insert(file.parent_path() / ReadInside(tensor, file).location);
  };
  for (const onnx::TensorProto& tensor : graph.initializer()) add(tensor);
  for (const onnx::NodeProto& node : graph.node()) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_t()) add(attribute.t());
    }
  }
  return {files.begin(), files.end()};
}

std::string ReadOnnxExternal(const onnx::TensorProto& tensor, const fs::path& file, std::uint64_t bytes) {
  const External external = ReadInside(tensor, file);
  if (external.length && *external.length != bytes) {
    throw InputError("its external data has " + std::to_string(*external.length) +
                     " bytes, its shape and type need " + std::to_string(bytes));
  }
  const fs::path path = file.parent_path() / external.location;
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (error) throw InputError("its external data " + path.string() + " cannot be read: " + error.message());
  if (external.offset > size || size - external.offset < bytes) {
    throw InputError("its external data reaches beyond the end of " + path.string());
  }
  std::ifstream stream(path, std::ios::binary);
  std::string data(bytes, '\0');
  stream.seekg(static_cast<std::streamoff>(external.offset));
  stream.read(data.data(), static_cast<std::streamsize>(bytes));
  if (!stream) throw InputError("its external data " + path.string() + " cannot be read");
  NoteFileRead(path);
  return data;
}

}  // namespace tandem
