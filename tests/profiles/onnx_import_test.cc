// Do whole ONNX files become the networks that they hold?
#include "profiles/importers/onnx_import.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "profiles/model_source.h"

namespace tandem {
namespace {

struct Expected {
  const char* file;
  std::int64_t params, state, macs;
};

class SharedOnnx : public testing::TestWithParam<Expected> {};

TEST_P(SharedOnnx, HasTheCountsOfItsNetwork) {
  const std::filesystem::path file = std::filesystem::path(TANDEM_SHARED_DATA) / "onnx" / GetParam().file;
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  const ImportedModel imported = ImportModel(file);
  const Counts totals = imported.model.totals();
  EXPECT_EQ(totals.params, GetParam().params);
  EXPECT_EQ(totals.state, GetParam().state);
  EXPECT_EQ(totals.macs, GetParam().macs);
  EXPECT_EQ(imported.model.WithBatch(3).totals().macs, 3 * totals.macs);
}

INSTANTIATE_TEST_SUITE_P(Files, SharedOnnx,
                         testing::Values(Expected{"tv_resnet50.onnx", 25557032, 53120, 4089184256},
                                         Expected{"tv_mobilenet_v2.onnx", 3504872, 34112, 300774272},
                                         Expected{"light_bvlc_alexnet.onnx", 60965224, 0, 654560384},
                                         Expected{"light_squeezenet.onnx", 1235496, 0, 349151936}),
                         [](const auto& param) {
                           const std::string file = param.param.file;
                           return file.substr(0, file.find('.'));
                         });

}  // namespace
}  // namespace tandem
