// Are the numbers of an ONNX file read in every way that it may hold them, and are broken ones refused?
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/support/onnx_test_graph.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Floats = std::vector<float>;
using onnx::TensorProto;

// y = x + c, c being `tensor`.
OnnxTestGraph Adding(TensorProto tensor) {
  OnnxTestGraph graph;
  tensor.set_name("c");
  graph.Input("x", {1, 2}).Node("Add", {"x", "c"}, {"y"});
  *graph.graph().add_initializer() = std::move(tensor);
  return graph;
}

TensorProto Typed(TensorProto::DataType type) {
  TensorProto tensor;
  tensor.set_data_type(type);
  tensor.add_dims(2);
  return tensor;
}

Floats ValuesOf(const TensorProto& tensor) {
  return Adding(tensor).Import().weights.at({"n_y", "constant"}).values;
}

template <class T>
void SetRaw(TensorProto& tensor, const std::vector<T>& values) {
  tensor.set_raw_data(values.data(), values.size() * sizeof(T));
}

TEST(OnnxTensor, IsReadFromEveryField) {
  TensorProto floats = Typed(TensorProto::FLOAT);
  floats.add_float_data(1.5F);
  floats.add_float_data(-2);
  EXPECT_EQ(ValuesOf(floats), (Floats{1.5, -2}));
  TensorProto doubles = Typed(TensorProto::DOUBLE);
  SetRaw(doubles, std::vector<double>{0.5, 3});
  EXPECT_EQ(ValuesOf(doubles), (Floats{0.5, 3}));
  TensorProto halves = Typed(TensorProto::FLOAT16);
  SetRaw(halves, std::vector<std::uint16_t>{0x3e00, 0x8001});
  EXPECT_EQ(ValuesOf(halves), (Floats{1.5, -0x1p-24F}));
  halves.clear_raw_data();
  halves.add_int32_data(0xc000);
  halves.add_int32_data(0x7bff);
  EXPECT_EQ(ValuesOf(halves), (Floats{-2, 65504}));
  TensorProto brain = Typed(TensorProto::BFLOAT16);
  SetRaw(brain, std::vector<std::uint16_t>{0x3fc0, 0xc000});
  EXPECT_EQ(ValuesOf(brain), (Floats{1.5, -2}));
  TensorProto ints = Typed(TensorProto::INT32);
  SetRaw(ints, std::vector<std::int32_t>{7, -8});
  EXPECT_EQ(ValuesOf(ints), (Floats{7, -8}));
  TensorProto bytes = Typed(TensorProto::INT8);
  SetRaw(bytes, std::vector<std::int8_t>{7, -8});
  EXPECT_EQ(ValuesOf(bytes), (Floats{7, -8}));
}

TEST(OnnxTensor, MustHaveAsManyNumbersAsItsShape) {
  const std::string at = "net.onnx: initializer \"c\": ";
  TensorProto few = Typed(TensorProto::FLOAT);
  few.add_float_data(1);
  EXPECT_EQ(Adding(few).Error(), at + "it has 1 numbers of data, its shape 2 needs 2");
  EXPECT_EQ(Adding(Typed(TensorProto::FLOAT)).Error(), at + "it has 0 numbers of data, its shape 2 needs 2");
  TensorProto raw = Typed(TensorProto::FLOAT);
  raw.set_raw_data("12345");
  EXPECT_EQ(Adding(raw).Error(), at + "it has 5 bytes of data, its shape 2 needs 8");
  raw.set_dims(0, -2);
  EXPECT_EQ(Adding(raw).Error(), at + "its extent -2 is negative");
  raw.set_dims(0, INT64_MAX);
  raw.add_dims(INT64_MAX);
  EXPECT_EQ(Adding(raw).Error(), at + "it has more than 2^40 elements");
}

TEST(OnnxTensor, OfAnotherTypeIsNamed) {
  EXPECT_EQ(Adding(Typed(TensorProto::STRING)).Error(),
            "net.onnx: initializer \"c\": its elements are of type STRING, which is not supported");
  EXPECT_EQ(Adding(Typed(TensorProto::COMPLEX64)).Error(),
            "net.onnx: initializer \"c\": its elements are of type COMPLEX64, which is not supported");
  TensorProto unknown;
  unknown.set_data_type(99);
  EXPECT_EQ(Adding(unknown).Error(),
            "net.onnx: initializer \"c\": its elements are of type number 99, which is not supported");
}

class OnnxExternal : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "model");
    std::ofstream(folder_ / "secret.bin", std::ios::binary) << std::string(64, 'x');
    const Floats values = {0, 0, 4, 5};
    std::ofstream(folder_ / "model" / "data.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()), 16);
  }
  void TearDown() override { fs::remove_all(folder_); }

  OnnxTestGraph Graph(const std::string& location, const std::string& offset,
                      const std::string& length) const {
    TensorProto tensor = Typed(TensorProto::FLOAT);
    tensor.set_data_location(TensorProto::EXTERNAL);
    for (const auto& [key, value] :
         {std::pair("location", location), std::pair("offset", offset), std::pair("length", length)}) {
      if (value.empty()) continue;
      tensor.add_external_data()->set_key(key);
      tensor.mutable_external_data()->rbegin()->set_value(value);
    }
    return Adding(tensor);
  }
  ImportedModel Import(OnnxTestGraph graph, bool want_weights = true) const {
    ImportOptions options;
    options.want_weights = want_weights;
    return ImportOnnxBytes(graph.proto().SerializeAsString(), folder_ / "model" / "net.onnx", options);
  }
  // Without the folder, which differs from run to run.
  std::string Error(const OnnxTestGraph& graph) const {
    try {
      Import(graph);
    } catch (const InputError& error) {
      std::string text = error.what();
      for (std::size_t at = 0; (at = text.find(folder_.string())) != std::string::npos;) {
        text.erase(at, folder_.string().size() + 1);
      }
      return text;
    }
    return "no error";
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("onnx_external_" + std::to_string(::getpid()));
};

TEST_F(OnnxExternal, IsReadFromAFileBesideTheModel) {
  EXPECT_EQ(Import(Graph("data.bin", "8", "8")).weights.at({"n_y", "constant"}).values, (Floats{4, 5}));
  EXPECT_EQ(Import(Graph("data.bin", "", "")).weights.at({"n_y", "constant"}).values, (Floats{0, 0}));
}

TEST_F(OnnxExternal, BelongsToTheFilesOfTheModel) {
  const fs::path file = folder_ / "model" / "net.onnx", data = folder_ / "model" / "data.bin";
  std::ofstream(file, std::ios::binary) << Graph("data.bin", "8", "8").proto().SerializeAsString();
  EXPECT_EQ(FilesOfModel(file), (std::vector<fs::path>{file, data}));
  std::ofstream(file, std::ios::binary) << Graph("../secret.bin", "", "").proto().SerializeAsString();
  EXPECT_THROW(FilesOfModel(file), InputError);
}

// As one calls tandem in the folder of the model.
TEST_F(OnnxExternal, IsFoundWhereTheModelIsNamedWithoutAFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_ / "model");
  const auto constant_of = [](OnnxTestGraph graph) {
    ImportedModel model = ImportOnnxBytes(graph.proto().SerializeAsString(), "net.onnx", {});
    return model.weights.at({"n_y", "constant"}).values;
  };
  EXPECT_EQ(constant_of(Graph("data.bin", "8", "8")), (Floats{4, 5}));
  EXPECT_THROW(constant_of(Graph("../secret.bin", "", "")), InputError);
  fs::current_path(before);
}

TEST_F(OnnxExternal, IsLeftAloneWhereNoWeightsAreWanted) {
  EXPECT_EQ(Import(Graph("missing.bin", "", ""), false).model.totals().params, 2);
}

TEST_F(OnnxExternal, StaysInsideTheFolderOfTheModel) {
  const auto outside = [](const std::string& location) {
    return "model/net.onnx: the constant of layer \"n_y\": its external data \"" + location +
           "\" lies outside the folder of the model";
  };
  EXPECT_EQ(Error(Graph("../secret.bin", "", "")), outside("../secret.bin"));
  EXPECT_EQ(Error(Graph("sub/../../secret.bin", "", "")), outside("sub/../../secret.bin"));
  EXPECT_EQ(Error(Graph("/etc/hostname", "", "")), outside("/etc/hostname"));
  EXPECT_EQ(Error(Graph("", "", "")), outside(""));
  fs::create_symlink(folder_ / "secret.bin", folder_ / "model" / "link.bin");
  EXPECT_EQ(Error(Graph("link.bin", "", "")), outside("link.bin"));
}

TEST_F(OnnxExternal, MustHoldWhatTheModelSays) {
  const std::string at = "model/net.onnx: the constant of layer \"n_y\": ";
  EXPECT_EQ(Error(Graph("data.bin", "12", "")),
            at + "its external data reaches beyond the end of model/data.bin");
  EXPECT_EQ(Error(Graph("data.bin", "18446744073709551615", "")),
            at + "its external data reaches beyond the end of model/data.bin");
  EXPECT_EQ(Error(Graph("data.bin", "0", "4")),
            at + "its external data has 4 bytes, its shape and type need 8");
  EXPECT_EQ(Error(Graph("data.bin", "x", "")), at + "the offset of its external data is no number: \"x\"");
  EXPECT_EQ(Error(Graph("missing.bin", "", "")),
            at + "its external data model/missing.bin cannot be read: No such file or directory");
}

TEST_F(OnnxExternal, ThatAllLayersReadDoesNotTakeAllMemory) {
  constexpr int kSide = 256;
  std::ofstream(folder_ / "model" / "square.bin", std::ios::binary)
      << std::string(kSide * kSide * sizeof(float), '\0');
  const auto chain = [](int length) {
    OnnxTestGraph graph;
    graph.Input("x0", {1, kSide});
    for (int i = 0; i < length; ++i) {
      const std::string number = std::to_string(i), next = "x" + std::to_string(i + 1);
      TensorProto& tensor = *graph.graph().add_initializer();
      tensor.set_name("w" + number);
      tensor.set_data_type(TensorProto::FLOAT);
      tensor.add_dims(kSide);
      tensor.add_dims(kSide);
      tensor.set_data_location(TensorProto::EXTERNAL);
      tensor.add_external_data()->set_key("location");
      tensor.mutable_external_data()->rbegin()->set_value("square.bin");
      graph.Node("MatMul", {"x" + number, "w" + number}, {next});
    }
    return graph;
  };
  EXPECT_EQ(Import(chain(3)).weights.size(), 3U);
  const std::string refused = Error(chain(500));
  EXPECT_EQ(refused.find("model/net.onnx: its layers share their numbers so often that they are 32768000"),
            0U)
      << refused;
}

TEST(OnnxTensor, OfANodeNamesItWhereItCannotBeRead) {
  TensorProto tensor;
  tensor.set_data_type(TensorProto::FLOAT);
  tensor.set_data_location(TensorProto::EXTERNAL);
  OnnxTestGraph graph;
  graph.Input("x", {1, 2}).Ints("s", {2}).Node("ConstantOfShape", {"s"}, {"c"}, {{"value", tensor}});
  graph.Node("Add", {"x", "c"}, {"y"});
  EXPECT_EQ(
      graph.Error(),
      "net.onnx: node \"n_c\" (ConstantOfShape): its value: its external data \"\" lies outside the folder "
      "of the model");
}

}  // namespace
}  // namespace tandem
