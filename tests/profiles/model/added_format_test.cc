// Does a model format that stands outside the tree get read and written with its registrations alone?
#include <gtest/gtest.h>

#include <fstream>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/model/model_builder.h"
#include "profiles/model/model_export.h"
#include "profiles/model/model_source.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

// A plan of fully connected layers: "8 32 10" is an input of 8 values and two layers.
ImportedModel ReadWidths(const std::filesystem::path& file, const ImportOptions&) {
  std::ifstream text(file);
  std::int64_t width = 0;
  if (!(text >> width)) throw InputError(file.string() + ": has no width of the input");
  ModelBuilder net(file.stem().string());
  net.Input("input", {1, width, 1, 1});
  for (int i = 1; text >> width; ++i) net.Fc("fc" + std::to_string(i), width);
  return {net.Build(), {}};
}

void WriteWidths(const std::filesystem::path& file, const Model& model, const Weights&) {
  std::string text;
  for (const Layer& layer : model.layers()) text += std::to_string(layer.output[1]) + " ";
  FileWriter writer(file);
  writer.Append(text);
  writer.Commit();
}

const ImporterRegistration kReader{{"widths", {".widths"}, ReadWidths}};
const ModelExporterRegistration kWriter{{".widths", WriteWidths}};

class AnAddedFormat : public testing::Test {
 protected:
  std::filesystem::path Write(const std::string& text) {
    const std::filesystem::path file = folder_ / "added.widths";
    std::ofstream(file) << text;
    return file;
  }

  TempFolder folder_;
};

TEST_F(AnAddedFormat, IsReadWhereverAModelIsNamed) {
  const Model model = LoadModel(Write("8 32 10\n").string(), {}).model;
  EXPECT_EQ(model.name(), "added");
  ASSERT_EQ(model.size(), 3U);
  EXPECT_EQ(model.layers().back().output, (Shape{1, 10}));
}

TEST_F(AnAddedFormat, SaysItsOwnMistakes) {
  const std::filesystem::path file = Write("");
  EXPECT_EQ(ErrorOf([&] { LoadModel(file.string(), {}); }), file.string() + ": has no width of the input");
}

TEST_F(AnAddedFormat, IsOneOfThoseThatAMessageLists) {
  EXPECT_NE(ModelFormats().find(".widths"), std::string::npos) << ModelFormats();
  EXPECT_NE(ModelExportFormats().find(".widths"), std::string::npos) << ModelExportFormats();
}

TEST_F(AnAddedFormat, IsWrittenBySuffix) {
  const Model model = LoadModel(Write("8 32 10").string(), {}).model;
  const std::filesystem::path copy = folder_ / "copy.widths";
  ExportModel(copy, model, RandomWeights(model, 1));
  EXPECT_EQ(ReadTextFile(copy), "8 32 10 ");
}

}  // namespace
}  // namespace tandem
