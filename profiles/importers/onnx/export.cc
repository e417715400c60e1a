#include "profiles/importers/onnx/export.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <exception>
#include <limits>

#include "profiles/base/check.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/importers/onnx/writer.h"
#include "profiles/model/model_export.h"
#include "profiles/program/version.h"

namespace tandem {
namespace {

constexpr int kIrVersion = 8;
constexpr int kOpset = 17;  // the first with layer norm, and read by runtimes of many years
constexpr std::size_t kLargest = std::numeric_limits<int>::max();  // of a protobuf message

const ModelExporterRegistration kRegistration({".onnx", WriteOnnx, WriteOnnxOfAnyBatch});

onnx::ModelProto OnnxProto(const Model& model, const Weights& weights, OnnxBatch batch) {
  onnx::ModelProto proto;
  proto.set_ir_version(kIrVersion);
  proto.set_producer_name("tandem");
  proto.set_producer_version(std::string(Version()));
  proto.add_opset_import()->set_version(kOpset);
  proto.mutable_graph()->set_name(model.name());
  OnnxWriter writer(*proto.mutable_graph(), model, weights, batch);
  for (std::size_t i = 0; i < model.size(); ++i) {
    writer.Begin(LayerId(i));
    if (model.layer(LayerId(i)).op == Op::kInput) {
      writer.AddInput();
    } else {
      writer.Give(WriteOnnxLayer(writer));
    }
  }
  writer.AddOutputs();
  if (proto.ByteSizeLong() > kLargest) {
    throw InputError(model.name() + ": an ONNX file holds at most 2 GiB, this model needs more");
  }
  return proto;
}

// Hands what protobuf writes to a file piece by piece, so that the weights are not copied once more. No
// exception goes through protobuf, whose streams write once more when they end: it waits here.
class FileStream final : public google::protobuf::io::CopyingOutputStream {
 public:
  explicit FileStream(FileWriter& file) : file_(file) {}
  bool Write(const void* buffer, int size) override {
    if (failure_) return false;
    try {
      file_.Append({static_cast<const char*>(buffer), static_cast<std::size_t>(size)});
    } catch (const EnvironmentError&) {
      failure_ = std::current_exception();
    }
    return !failure_;
  }
  void Tell() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  FileWriter& file_;
  std::exception_ptr failure_;
};

void WriteProto(const std::filesystem::path& file, const onnx::ModelProto& proto) {
  FileWriter writer(file);
  FileStream stream(writer);
  google::protobuf::io::CopyingOutputStreamAdaptor adaptor(&stream);
  const bool written = proto.SerializeToZeroCopyStream(&adaptor) && adaptor.Flush();
  stream.Tell();
  TANDEM_CHECK(written, "an ONNX model of less than 2 GiB can be serialised");
  writer.Commit();
}

}  // namespace

void WriteOnnx(const std::filesystem::path& file, const Model& model, const Weights& weights) {
  WriteProto(file, OnnxProto(model, weights, OnnxBatch::kStated));
}

void WriteOnnxOfAnyBatch(const std::filesystem::path& file, const Model& model, const Weights& weights) {
  WriteProto(file, OnnxProto(model, weights, OnnxBatch::kOpen));
}

std::string OnnxBytes(const Model& model, const Weights& weights) {
  return OnnxProto(model, weights, OnnxBatch::kStated).SerializeAsString();
}

}  // namespace tandem
