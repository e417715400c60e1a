// Does the example adapter run ONNX files and tell their outputs' hash, where Python has OpenCV?
#include <gtest/gtest.h>
#include <cstdlib>
#include <filesystem>

#include "device/backends/command/adapter.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/sha256.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {
// A field of a protobuf message: a small number, or what has a length (below 128).
std::string Number(int field, int value) { return {static_cast<char>(field << 3), static_cast<char>(value)}; }
std::string Part(int field, const std::string& bytes) {
  return std::string{static_cast<char>(field << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

// A float32 tensor of FIRST x 3 x 2 x 2; 0: the first extent is open.
std::string ValueInfo(const std::string& name, int first) {
  std::string shape = Part(1, first == 0 ? Part(2, "N") : Number(1, first));
  for (const int extent : {3, 2, 2}) shape += Part(1, Number(1, extent));
  return Part(1, name) + Part(2, Part(1, Number(1, 1) + Part(2, shape)));
}

// The operations one after the other. The graph is kept below 128 bytes by short names.
std::string OnnxChain(const std::vector<std::string>& ops, int first) {
  std::string graph;
  char at = 'a';
  for (const std::string& op : ops) {
    const std::string from(1, at++), to(1, at);
    graph += Part(1, Part(1, from) + Part(2, to) + Part(4, op));
  }
  graph += Part(2, "g") + Part(11, ValueInfo("a", first)) + Part(12, ValueInfo(std::string(1, at), first));
  return Number(1, 8) + Part(7, graph) + Part(8, Part(1, "") + Number(2, 13));
}

// Zeros, whatever goes in; the last one makes them positive.
const std::vector<std::string> kZeros = {"Abs", "Neg", "Relu", "Abs"};

class OnnxAdapter : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* python : {"/usr/bin/python3", "python3"}) {
      const std::string look = std::string(python) + " -c 'import cv2' 2>/dev/null";
      if (python_.empty() && std::system(look.c_str()) == 0) python_ = python;
    }
    if (python_.empty()) GTEST_SKIP() << "no Python with OpenCV (python3-opencv)";
  }
  std::unique_ptr<Adapter> Start(const std::string& option = "--threads", const std::string& value = "1") {
    return std::make_unique<Adapter>(
        "unit", std::vector<std::string>{python_, TANDEM_TEST_DIR "/../scripts/adapters/onnx.py", "--engine",
                                         "opencv", "--models", folder_.string(), option, value});
  }
  void Write(const std::string& name, const std::string& bytes) { WriteFile(folder_ / name, bytes); }
  static std::string LoadError(Adapter& adapter, std::int64_t batch, const std::string& model) {
    try {
      adapter.Load(9, batch, model);
    } catch (const EnvironmentError& error) {
      return error.what();
    }
    return "no error";
  }

  TempFolder folder_;
  std::string python_;
};

TEST_F(OnnxAdapter, HashIsThatOfTheOutputsBytes) {
  Write("nothing.onnx", OnnxChain(kZeros, 1));
  const auto adapter = Start();
  EXPECT_EQ(adapter->about().rfind("adapter_onnx 1 (opencv ", 0), 0u) << adapter->about();
  adapter->Load(1, 1, "nothing");
  const std::vector<float> zeros(12);
  EXPECT_EQ(adapter->Run(1, 2).hash, Sha256(std::as_bytes(std::span(zeros))));
}

TEST_F(OnnxAdapter, OutputsFollowTheSeedAlone) {
  Write("relu.onnx", OnnxChain({"Relu"}, 1));
  const auto hash = [&](const std::string& seed) {
    const auto adapter = Start("--seed", seed);
    adapter->Load(1, 1, (folder_ / "relu.onnx").string());
    return adapter->Run(1, 1).hash;
  };
  const std::string first = hash("1");
  EXPECT_EQ(hash("1"), first);
  EXPECT_NE(hash("2"), first);
}

TEST_F(OnnxAdapter, BatchIsTheFilesOrFillsAnOpenExtent) {
  Write("open.onnx", OnnxChain(kZeros, 0));
  Write("fixed.onnx", OnnxChain({"Relu"}, 2));
  const auto adapter = Start();
  adapter->Load(1, 4, "open");
  const std::vector<float> zeros(48);
  EXPECT_EQ(adapter->Run(1, 1).hash, Sha256(std::as_bytes(std::span(zeros))));
  EXPECT_EQ(LoadError(*adapter, 1, "fixed"),
            "unit: the program says \"the file has batch 2, asked for is 1\"");
}

TEST_F(OnnxAdapter, WhatItCannotLoadIsToldAndItStays) {
  Write("broken.onnx", "no ONNX");
  Write("relu.onnx", OnnxChain({"Relu"}, 1));
  const auto adapter = Start();
  EXPECT_NE(LoadError(*adapter, 1, "nowhere").find("nowhere.onnx: no such file"), std::string::npos);
  EXPECT_NE(LoadError(*adapter, 1, "net/net.prototxt").find("is no .onnx file"), std::string::npos);
  EXPECT_NE(LoadError(*adapter, 1, "broken"), "no error");
  EXPECT_NO_THROW(adapter->Load(1, 1, "relu"));
}

}  // namespace
}  // namespace tandem
