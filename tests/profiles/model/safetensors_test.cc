// Is a file of weights read exactly, and is a broken one refused before anything is allocated for it?
#include "profiles/model/safetensors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

std::string FilePath() { return testing::TempDir() + "tandem_weights_" + std::to_string(::getpid()); }

std::string FileOf(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

Weights ReadWeights(const std::string& contents) {
  WriteFile(FilePath(), contents);
  return ReadSafetensors(FilePath());
}

// Without the file's name.
std::string ErrorInWeights(const std::string& contents) {
  try {
    ReadWeights(contents);
  } catch (const InputError& error) {
    return std::string(error.what()).substr(FilePath().size());
  }
  return "no error";
}

template <class Number>
std::string Bytes(std::initializer_list<Number> numbers) {
  std::string bytes;
  for (const Number number : numbers) bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  return bytes;
}

TEST(Safetensors, ReadsEveryFloatingType) {
  const Weights weights = ReadWeights(FileOf(
      R"({"__metadata__": {"format": "pt"},
              "a:weight": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
              "b:weight": {"dtype": "F16", "shape": [1, 6], "data_offsets": [8, 20]},
              "c:weight": {"dtype": "BF16", "shape": [2], "data_offsets": [20, 24]},
              "d:weight": {"dtype": "F64", "shape": [], "data_offsets": [24, 32]}}  )",
      Bytes<float>({1.5f, -2}) + Bytes<std::uint16_t>({0x3C00, 0xC100, 0x0001, 0x7BFF, 0x7C00, 0x8000}) +
          Bytes<std::uint16_t>({0x3F80, 0xC0A0}) + Bytes<double>({0.1})));
  EXPECT_EQ(weights.at({"a", "weight"}).values, (std::vector<float>{1.5f, -2}));
  EXPECT_EQ(weights.at({"b", "weight"}).shape, (Shape{1, 6}));
  EXPECT_EQ(weights.at({"b", "weight"}).values,
            (std::vector<float>{1, -2.5f, std::ldexp(1.0f, -24), 65504, INFINITY, -0.0f}));
  EXPECT_EQ(weights.at({"c", "weight"}).values, (std::vector<float>{1, -5}));
  EXPECT_EQ(weights.at({"d", "weight"}).values, (std::vector<float>{0.1f}));
}

TEST(Safetensors, ALayersNameMayHoldColons) {
  const Weights weights = ReadWeights(
      FileOf(R"({"a:b:c/d:bias": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})", Bytes({1.0f})));
  EXPECT_EQ(weights.begin()->first, (WeightKey{"a:b:c/d", "bias"}));
}

TEST(Safetensors, HeadersThatCannotBeAreRefused) {
  EXPECT_EQ(ErrorInWeights(""), ": is too short for a safetensors file");
  EXPECT_EQ(ErrorInWeights(std::string(8, '\xff')),
            ": is no safetensors file: it does not begin with the length of its header");
  EXPECT_EQ(ErrorInWeights(FileOf("{}", "").substr(0, 9)), ErrorInWeights(std::string(8, '\xff')))
      << "these bytes are anybody's: none of them is repeated";
  EXPECT_EQ(ErrorInWeights(FileOf("[]", "")), ": expected an object, found an array");
  EXPECT_EQ(ErrorInWeights(FileOf("{", "")).substr(0, 6), ":1:2: ");
}

TEST(Safetensors, TensorsCoverTheDataExactlyOnce) {
  const auto tensor = [](const std::string& name, const std::string& offsets) {
    return "\"" + name + R"(:weight": {"dtype": "F32", "shape": [1], "data_offsets": [)" + offsets + "]}";
  };
  EXPECT_EQ(ErrorInWeights(FileOf("{" + tensor("a", "0, 4") + ", " + tensor("b", "2, 6") + "}", "123456")),
            ":/b:weight/data_offsets: overlaps the tensor before it, which ends at byte 4");
  EXPECT_EQ(
      ErrorInWeights(FileOf("{" + tensor("a", "0, 4") + ", " + tensor("b", "6, 10") + "}", "1234567890")),
      ":/b:weight/data_offsets: leaves a gap before it, which ends at byte 4");
  EXPECT_EQ(ErrorInWeights(FileOf("{" + tensor("a", "0, 4") + "}", "12345")),
            ": the tensors end at byte 4 of 5");
  EXPECT_EQ(ErrorInWeights(FileOf("{" + tensor("a", "0, 8") + "}", "12345678")),
            ":/a:weight/data_offsets: its shape needs 4 bytes, it has 8");
  EXPECT_EQ(ErrorInWeights(FileOf("{" + tensor("a", "0, 4") + "}", "123")),
            ":/a:weight/data_offsets/1: 4 is out of range: from 0 to 3");
}

TEST(Safetensors, NamesAndTypesAreChecked) {
  EXPECT_EQ(
      ErrorInWeights(FileOf(R"({"weight": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}})", "")),
      ":/weight: a tensor is named \"LAYER:ROLE\", such as \"conv1:weight\"");
  EXPECT_EQ(
      ErrorInWeights(FileOf(R"({"a:weight": {"dtype": "I8", "shape": [1], "data_offsets": [0, 1]}})", "1")),
      ":/a:weight/dtype: unknown number type \"I8\"; known: F32, F16, BF16, F64");
  EXPECT_EQ(
      ErrorInWeights(FileOf(
          R"({"a:weight": {"dtype": "F32", "shape": [1099511627776, 1099511627776], "data_offsets": [0, 1]}})",
          "1")),
      ":/a:weight/shape: has more than 2^40 elements");
}

}  // namespace
}  // namespace tandem
