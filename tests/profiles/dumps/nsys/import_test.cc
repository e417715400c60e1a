// Does an export of Nsight Systems become a profile of the model's layers, with what the command line says of
// it?
#include "profiles/dumps/import.h"

#include <gtest/gtest.h>

#include "profiles/base/files.h"
#include "tests/support/error_of.h"
#include "tests/support/nsys_test_export.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

class ImportedNsys : public testing::Test {
 protected:
  ImportedNsys() {
    WriteFile(folder_ / "net.json", R"({"tandem": "model/1", "name": "tiny", "layers": [
        {"name": "data", "op": "input", "shape": [1, 2, 6, 6]},
        {"name": "conv", "op": "conv", "inputs": ["data"], "out_channels": 2, "kernel": [1, 1]},
        {"name": "relu", "op": "relu", "inputs": ["conv"]},
        {"name": "fc", "op": "fc", "inputs": ["relu"], "out_features": 3}]})");
    import_.model = (folder_ / "net.json").string();
    import_.file = folder_ / "report.sqlite";
    import_.unit = "gpu";
    import_.platform = "jetson-tx1";
  }

  ImportedProfile Import(const NsysTestExport& nsys) {
    WriteFile(import_.file, nsys.Bytes());
    return ImportProfile(import_);
  }
  void Map(const std::string& rows) {
    WriteFile(folder_ / "names.json", R"({"tandem": "layer-map/1", "map": {)" + rows + "}}");
    import_.map = folder_ / "names.json";
  }

  TempFolder folder_;
  ProfileImport import_;
};

TEST_F(ImportedNsys, LayersHaveASamplePerInferenceAndTheWholeModelWhatLiesBetween) {
  const ImportedProfile imported = Import(ThreeInferences());
  const auto& entries = imported.profile.entries;
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].layers, (std::vector<std::string>{"conv", "relu"}))
      << "no range, no kernel of its own";
  EXPECT_EQ(entries[0].time.samples, (std::vector<Nanos>{Nanos{100}, Nanos{110}, Nanos{120}}));
  EXPECT_EQ(entries[1].layers, std::vector<std::string>{"fc"});
  EXPECT_TRUE(entries[2].layers.empty());
  EXPECT_EQ(entries[2].time.median, Nanos{180});
  EXPECT_EQ(imported.profile.origin.source,
            "Nsight Systems' export (schema 3.15.1) of a NVIDIA H200 in report.sqlite, sums of what each "
            "NVTX range's "
            "kernels took, 3 inferences, on device 0");
}

TEST_F(ImportedNsys, AMapSaysWhatOtherNamesMeanAndLeavesOut) {
  NsysTestExport nsys;
  nsys.Range("tiny", 0, 100).Range("conv + relu", 5, 20).Range("scale", 25, 30).Range("fc", 40, 50);
  nsys.Kernel("gemm", 10, 500, 540).Kernel("scale", 26, 550, 560).Kernel("gemm", 45, 570, 600);
  Map(R"("conv + relu": ["conv", "relu"], "scale": [])");
  const ImportedProfile imported = Import(nsys);
  ASSERT_EQ(imported.profile.entries.size(), 2U);
  EXPECT_EQ(imported.profile.entries[0].time.median, Nanos{40});
  EXPECT_EQ(imported.mapping.left_out, std::vector<std::string>{"scale"});
  EXPECT_FALSE(imported.whole_model) << "what is left out lies in it";
}

TEST_F(ImportedNsys, TheRangeAndTheDeviceAreThoseOfTheCommandLine) {
  NsysTestExport nsys = ThreeInferences("forward");
  nsys.Kernel("init", 5000, 5500, 5600).Kernel("load", 6000, 6500, 6600, {.device = 1});
  import_.range = "forward";
  import_.device = 0;
  EXPECT_EQ(Import(nsys).profile.entries.size(), 3U);
  import_.device.reset();
  EXPECT_NE(ErrorOf([&] { Import(nsys); }).find("say which one with --device"), std::string::npos);
}

TEST_F(ImportedNsys, LayersWithoutARangeAreListed) {
  NsysTestExport nsys;
  nsys.Range("conv", 5, 20).Kernel("gemm", 10, 500, 540);
  EXPECT_NE(ErrorOf([&] { Import(nsys); }).find("\n  no row for \"fc\" (fc)\n"), std::string::npos);
}

}  // namespace
}  // namespace tandem
