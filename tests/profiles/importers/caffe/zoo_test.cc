// Do the published Caffe networks come out with their published counts, and as the zoo's twins of them?
#include <algorithm>

#include "profiles/model/zoo.h"
#include "tests/support/caffe_import.h"

namespace tandem {
namespace {

std::filesystem::path Shared(const std::string& name) {
  return std::filesystem::path(TANDEM_SHARED_DATA) / "caffe" / (name + ".prototxt");
}

struct Published {
  const char* file;
  std::int64_t params, state, macs;
  const char* twin;  // in the zoo, layer by layer; null where it has other layers
};

class PublishedCaffe : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedCaffe, HasItsPublishedCounts) {
  if (!std::filesystem::exists(Shared(GetParam().file))) GTEST_SKIP() << "needs the shared data";
  const Model model = ImportCaffe(Shared(GetParam().file), {}).model;
  EXPECT_EQ(model.totals().params, GetParam().params);
  EXPECT_EQ(model.totals().state, GetParam().state);
  EXPECT_EQ(model.totals().macs, GetParam().macs);
  EXPECT_EQ(model.batch(), 1);
}

TEST_P(PublishedCaffe, IsTheZoosTwinLayerByLayer) {
  if (!std::filesystem::exists(Shared(GetParam().file))) GTEST_SKIP() << "needs the shared data";
  if (GetParam().twin == nullptr) GTEST_SKIP() << "no twin in the zoo";
  const Model model = ImportCaffe(Shared(GetParam().file), {}).model;
  Model twin = FindInZoo(GetParam().twin)->build();
  const Shape input = model.layers()[0].output;
  if (twin.layers()[0].output != input) twin = twin.WithInputShape(input);
  EXPECT_EQ(test::Summary(model), test::Summary(twin));
}

INSTANTIATE_TEST_SUITE_P(Studies, PublishedCaffe,
                         ::testing::Values(Published{"bvlc_alexnet", 60965224, 0, 724406816, "alexnet_caffe"},
                                           Published{"bvlc_googlenet", 6998552, 0, 1582671872, "googlenet"},
                                           Published{"squeezenet_v1.1", 1235496, 0, 387747520,
                                                     "squeezenet_1_1"},
                                           Published{"vgg16", 138357544, 0, 15470264320, nullptr},
                                           Published{"densenet201", 20013928, 229056, 4291365888, nullptr}),
                         [](const auto& network) {
                           std::string name = network.param.file;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace tandem
