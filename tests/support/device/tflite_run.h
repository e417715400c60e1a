// Runs small TensorFlow Lite models on the reference kernels, inputs and outputs in the file's order of axes.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

#include "profiles/importers/tflite/layout.h"
#include "tests/support/device/reference_run.h"
#include "tests/support/tflite_test_graph.h"

namespace tandem {

// A tensor as the file has it.
struct FileTensor {
  Shape shape;
  std::vector<float> values;

  float at(std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t c) const {
    return values[static_cast<std::size_t>(((n * shape[1] + y) * shape[2] + x) * shape[3] + c)];
  }
  bool Has(std::int64_t y, std::int64_t x) const { return y >= 0 && x >= 0 && y < shape[1] && x < shape[2]; }
};

inline FileTensor CountedUp(const Shape& shape) {  // 0, 1, 2, ...
  FileTensor tensor{shape, std::vector<float>(static_cast<std::size_t>(Elements(shape)))};
  std::iota(tensor.values.begin(), tensor.values.end(), 0.0F);
  return tensor;
}

// Numbers between -1 and 1 that repeat late.
inline FileTensor Waving(const Shape& shape, int seed = 1) {
  FileTensor tensor = CountedUp(shape);
  for (float& value : tensor.values) {
    const int whole = (static_cast<int>(value) * 37 + seed * 101) % 199;
    value = static_cast<float>(whole - 99) / 99.0F;
  }
  return tensor;
}

inline std::vector<float> MovedTo(const Shape& from, const std::vector<float>& values,
                                  const std::array<std::size_t, 4>& order) {
  return from.size() == 4 ? WithAxesMoved(values, from, OrderOf(order)) : values;
}

// All outputs, in the order of layers.
inline std::vector<FileTensor> RunTflite(const ImportedModel& imported,
                                         const std::vector<FileTensor>& inputs) {
  std::vector<Tensor> given;
  for (const FileTensor& input : inputs) {
    given.push_back({LayerShape(input.shape), MovedTo(input.shape, input.values, kTfliteToLayer)});
  }
  const std::vector<Tensor> all = RunReference(imported.model, imported.weights, given);
  std::vector<FileTensor> outputs;
  for (const LayerId id : imported.model.Outputs()) {
    const Tensor& made = all[id.index()];
    outputs.push_back({FileShape(made.shape), MovedTo(made.shape, made.values, kTfliteToFile)});
  }
  return outputs;
}

inline FileTensor RunTflite(const TfliteTestGraph& graph, const std::vector<FileTensor>& inputs) {
  return RunTflite(graph.Import(), inputs).at(0);
}

inline void ExpectNear(const FileTensor& found, const FileTensor& expected, double most = 1e-5) {
  ASSERT_EQ(found.shape, expected.shape);
  ASSERT_EQ(found.values.size(), expected.values.size());
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    ASSERT_NEAR(found.values[i], expected.values[i], most) << i;
  }
}

// One number for each position (batch, row, column, channel), the last axis fastest.
using NumberAt = std::function<double(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>;
inline FileTensor Filled(const Shape& shape, const NumberAt& number) {
  FileTensor tensor{shape, {}};
  for (std::int64_t n = 0; n < shape[0]; ++n) {
    for (std::int64_t y = 0; y < shape[1]; ++y) {
      for (std::int64_t x = 0; x < shape[2]; ++x) {
        for (std::int64_t c = 0; c < shape[3]; ++c) {
          tensor.values.push_back(static_cast<float>(number(n, y, x, c)));
        }
      }
    }
  }
  return tensor;
}

}  // namespace tandem
