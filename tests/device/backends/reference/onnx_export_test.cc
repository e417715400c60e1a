// Does a layer that was written as ONNX and read again compute what it did, whatever nodes it became?
#include "profiles/importers/onnx/export.h"

#include <gtest/gtest.h>

#include <set>

#include "profiles/importers/onnx/import.h"
#include "tests/support/device/operation_cases.h"
#include "tests/support/device/reference_run.h"

namespace tandem {
namespace {

// Of the last layer, on the same inputs for every model that has as many.
Tensor Compute(const Model& model, const Weights& weights, bool positive) {
  std::vector<Tensor> inputs;
  for (const LayerId id : model.Inputs()) {
    inputs.push_back(Scattered(model.layer(id).output, static_cast<std::uint32_t>(inputs.size()) + 1));
    for (float& value : inputs.back().values) value = positive ? std::abs(value) + 0.5F : value;
  }
  return RunReference(model, weights, inputs)[model.Outputs()[0].index()];
}

void ExpectSameAfterExport(const OperationCase& one, bool positive) {
  SCOPED_TRACE(one.name);
  const Model model = ModelOf(one);
  const Weights weights = RandomWeights(model, 5);
  const ImportedModel again = ImportOnnxBytes(OnnxBytes(model, weights), "test.onnx", {});
  ASSERT_EQ(again.model.Outputs().size(), 1u);
  const Tensor expected = Compute(model, weights, positive);
  const Tensor computed = Compute(again.model, again.weights, positive);
  ASSERT_EQ(computed.shape, expected.shape);
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    ASSERT_NEAR(computed.values[i], expected.values[i], 1e-6 + 1e-5 * std::abs(expected.values[i])) << i;
  }
}

TEST(OnnxExport, OfEveryOperationComputesTheSame) {
  std::set<Op> tested = {Op::kInput};
  const auto expect_all = [&](const std::vector<OperationCase>& cases, bool positive) {
    for (const OperationCase& one : cases) {
      ExpectSameAfterExport(one, positive);
      tested.insert(one.layer.op);
    }
  };
  expect_all(OperationCases(), false);
  expect_all(PositiveCases(), true);
  EXPECT_EQ(tested.size(), static_cast<std::size_t>(Op::kOutside));
}

}  // namespace
}  // namespace tandem
