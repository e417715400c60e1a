// Networks in Caffe's text format for tests: written to a file of their own, read, and gone again.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/importers/caffe/import.h"
#include "tests/support/temp_folder.h"

namespace tandem::test {

class CaffeTest : public ::testing::Test {
 protected:
  std::filesystem::path Write(const std::string& name, const std::string& contents) const {
    WriteFile(folder_ / name, contents);
    return folder_ / name;
  }

  ImportedModel ImportText(const std::string& text, const ImportOptions& options = {}) const {
    return ImportCaffe(Write("net.prototxt", text), options);
  }
  Model Import(const std::string& text) const { return ImportText(text).model; }

  // The message without the folder: "net.prototxt:3:5: ...". Empty where there was no error.
  std::string ErrorOf(const std::string& text, const ImportOptions& options = {}) const {
    try {
      ImportText(text, options);
      return "";
    } catch (const InputError& error) {
      const std::string message = error.what(), folder = folder_.string() + "/";
      return message.rfind(folder, 0) == 0 ? message.substr(folder.size()) : message;
    }
  }

 private:
  TempFolder folder_;
};

// "input data 1x3x8x8; conv c (data) 1x4x8x8; ...": the whole network on one line.
inline std::string Summary(const Model& model) {
  std::string text;
  for (const Layer& layer : model.layers()) {
    text += text.empty() ? "" : "; ";
    text += std::string(OpName(layer.op)) + " " + layer.name;
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      text += (i == 0 ? " (" : ", ") + model.layer(layer.inputs[i]).name;
    }
    text += (layer.inputs.empty() ? " " : ") ") + ShapeText(layer.output);
  }
  return text;
}

// A network of one input, `data`, of that shape ("1 3 8 8") and of what follows.
inline std::string WithData(const std::string& shape, const std::string& layers) {
  std::string dims;
  for (std::size_t at = 0; at < shape.size();) {
    const std::size_t end = std::min(shape.find(' ', at), shape.size());
    dims += " dim: " + shape.substr(at, end - at);
    at = end + 1;
  }
  return "input: 'data' input_shape {" + dims + " }\n" + layers;
}

// One layer in the syntax of today.
inline std::string LayerText(const std::string& name, const std::string& type, const std::string& bottom,
                             const std::string& top, const std::string& rest = {}) {
  return "layer { name: '" + name + "' type: '" + type + "' bottom: '" + bottom + "' top: '" + top + "' " +
         rest + " }\n";
}

}  // namespace tandem::test
