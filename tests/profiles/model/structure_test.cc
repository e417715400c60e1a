// Is a network known again under other names, and told from every other?
#include "profiles/model/structure.h"

#include <gtest/gtest.h>

#include <map>

#include "profiles/model/model_json.h"
#include "profiles/model/zoo.h"

namespace tandem {
namespace {

Model Read(const std::string& layers) {
  return ReadModel(
             JsonDocument::Parse(R"({"tandem": "model/1", "name": "m", "layers": [)" + layers + "]}", "m")
                 .root())
      .model;
}

const std::string kInput = R"({"name": "data", "op": "input", "shape": [1, 2, 8, 8]},)";

std::string Conv(const std::string& name, const std::string& from, int pad) {
  const std::string side = std::to_string(pad);
  return R"({"name": ")" + name + R"(", "op": "conv", "inputs": [")" + from +
         R"("], "out_channels": 4, "kernel": [3, 3], "pad": [)" + side + "," + side + "," + side + "," +
         side + "]}";
}

std::string Fc(const std::string& from) {
  return R"(, {"name": "fc", "op": "fc", "inputs": [")" + from + R"("], "out_features": 3})";
}

TEST(Structure, KnowsNoNames) {
  EXPECT_EQ(StructureOf(Read(kInput + Conv("a", "data", 1) + Fc("a"))),
            StructureOf(Read(kInput + Conv("b", "data", 1) + Fc("b"))));
}

TEST(Structure, KnowsAttributesAndWiring) {
  const std::string one = StructureOf(Read(kInput + Conv("a", "data", 1) + Fc("a")));
  EXPECT_NE(one, StructureOf(Read(kInput + Conv("a", "data", 0) + Fc("a"))));
  EXPECT_NE(one, StructureOf(Read(kInput + Conv("a", "data", 1) + Fc("data"))));
}

TEST(Structure, LooksThroughLayersThatDoNothing) {
  const Model plain = Read(kInput + Conv("a", "data", 1) + Fc("a"));
  const Model flattened = Read(kInput + Conv("a", "data", 1) +
                               R"(, {"name": "flat", "op": "flatten", "inputs": ["a"]})" + Fc("flat"));
  EXPECT_EQ(StructureOf(plain), StructureOf(flattened));
  EXPECT_EQ(StructuralLayers(plain).size(), 2U);
  EXPECT_EQ(flattened.layer(StructuralLayers(flattened).back()).name, "fc");
}

TEST(Structure, TellsSomeNetworksOfTheZooApart) {
  std::map<std::string, std::string> seen;
  for (const char* name :
       {"resnet18", "resnet34", "resnet50", "resnet50_v1", "vgg16", "googlenet", "mobilenet_v2"}) {
    const auto [at, is_new] = seen.emplace(StructureOf(FindInZoo(name)->build()), name);
    EXPECT_TRUE(is_new) << name << " is as " << at->second;
  }
}

}  // namespace
}  // namespace tandem
