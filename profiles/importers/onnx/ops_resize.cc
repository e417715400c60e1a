// Resize and Upsample. ONNX has many rules for which element of the input a position of the output shows;
// those are accepted that come to the same as the two of the layer.
#include <algorithm>
#include <cmath>

#include "profiles/importers/onnx/ops.h"

namespace tandem {
namespace {

constexpr double kMostPositions = 1 << 16;  // of one axis, so that trying them all stays quick

struct Rule {
  std::string coordinates;
  std::string nearest;
};

struct Line {  // one axis
  double in = 0, out = 0, scale = 0;
};

// Where in the input the centre of the position stands.
double Coordinate(const OnnxNode& node, const std::string& rule, const Line& line, double position) {
  if (rule == "half_pixel") return (position + 0.5) / line.scale - 0.5;
  if (rule == "pytorch_half_pixel") return line.out > 1 ? (position + 0.5) / line.scale - 0.5 : 0;
  if (rule == "tf_half_pixel_for_nn") return (position + 0.5) / line.scale;
  if (rule == "asymmetric") return position / line.scale;
  if (rule == "align_corners") return line.out > 1 ? position * (line.in - 1) / (line.out - 1) : 0;
  node.Fail("its coordinate_transformation_mode " + rule + " is not supported");
}

double Nearest(const OnnxNode& node, const std::string& rule, double coordinate) {
  if (rule == "round_prefer_floor") return std::ceil(coordinate - 0.5);
  if (rule == "round_prefer_ceil") return std::floor(coordinate + 0.5);
  if (rule == "floor") return std::floor(coordinate);
  if (rule == "ceil") return std::ceil(coordinate);
  node.Fail("its nearest_mode " + rule + " is not supported");
}

bool ShowsTheSame(const OnnxNode& node, const Rule& rule, const Line& line, double position) {
  const double coordinate = Coordinate(node, rule.coordinates, line, position);
  if (rule.nearest.empty()) {
    return rule.coordinates == "align_corners" || rule.coordinates == "asymmetric" ||
           coordinate == (position + 0.5) / line.scale - 0.5;
  }
  const double element = std::clamp(Nearest(node, rule.nearest, coordinate), 0.0, line.in - 1);
  return element == std::min(std::floor(position / line.scale), line.in - 1);
}

void CheckLine(const OnnxNode& node, const Rule& rule, std::int64_t in, double scale) {
  const Line line{static_cast<double>(in), std::floor(static_cast<double>(in) * scale), scale};
  if (!(line.out <= kMostPositions)) node.Fail("its output is too large");
  for (double position = 0; position < line.out; ++position) {
    if (ShowsTheSame(node, rule, line, position)) continue;
    node.Fail("its coordinate_transformation_mode " + rule.coordinates +
              (rule.nearest.empty() ? "" : " with the nearest_mode " + rule.nearest) +
              " is not supported for this scale");
  }
}

// Before operator set 11 there was one rule for each mode.
Rule ReadRule(const OnnxNode& node, UpsampleMode mode) {
  const bool old = node.opset() < 11 || node.type() == "Upsample";
  Rule rule{old ? "asymmetric" : node.String("coordinate_transformation_mode", "half_pixel"), ""};
  if (mode == UpsampleMode::kNearest) {
    rule.nearest = old ? "floor" : node.String("nearest_mode", "round_prefer_floor");
  }
  return rule;
}

std::vector<double> ReadScales(const OnnxNode& node) {
  const bool as_attribute = node.type() == "Upsample" && node.opset() < 9;
  const std::size_t input = node.type() == "Upsample" || node.opset() < 11 ? 1 : 2;
  if (!as_attribute && !node.Has(input)) return {};
  const std::vector<float> scales =
      as_attribute ? node.Floats("scales").value_or(std::vector<float>{}) : node.FloatsOf(input);
  return {scales.begin(), scales.end()};
}

std::vector<double> ScalesFromSizes(const OnnxNode& node, const Shape& in) {
  if (!node.Has(3)) node.Fail("it has neither scales nor sizes");
  const std::vector<std::int64_t> sizes = node.IntsOf(3);
  if (sizes.size() != in.size()) node.Fail("its sizes are not as many as the axes of its input");
  std::vector<double> scales;
  for (std::size_t i = 0; i < in.size(); ++i) scales.push_back(ScaleTo(in[i], sizes[i]));
  return scales;
}

UpsampleMode ReadMode(const OnnxNode& node) {
  const std::string mode = node.String("mode", "nearest");
  if (mode == "nearest") return UpsampleMode::kNearest;
  if (mode == "linear" || mode == "bilinear") return UpsampleMode::kLinear;
  node.Fail("its mode " + mode + " is not supported; known: nearest, linear");
}

void RefuseOptions(const OnnxNode& node) {
  if (node.Int("antialias", 0) != 0) node.Fail("antialias is not supported");
  if (node.HasAttribute("axes")) node.Fail("its attribute axes is not supported");
  if (node.String("keep_aspect_ratio_policy", "stretch") != "stretch") {
    node.Fail("its keep_aspect_ratio_policy is not supported");
  }
}

}  // namespace

void TranslateResize(OnnxNode& node) {
  const OnnxActivation& in = node.Data(0);
  UpsampleAttributes a;
  a.mode = ReadMode(node);
  RefuseOptions(node);
  std::vector<double> scales = ReadScales(node);
  if (scales.empty()) scales = ScalesFromSizes(node, in.shape);
  if (in.shape.size() != 4 || scales.size() != 4 || scales[0] != 1 || scales[1] != 1) {
    node.Fail("only images of 4 axes are resized, over height and width");
  }
  a.scale_h = scales[2];
  a.scale_w = scales[3];
  const Rule rule = ReadRule(node, a.mode);
  if (a.mode == UpsampleMode::kLinear && rule.coordinates == "align_corners")
    a.align = UpsampleAlign::kCorners;
  if (a.mode == UpsampleMode::kLinear && rule.coordinates == "asymmetric") a.align = UpsampleAlign::kEdges;
  const OnnxActivation output = node.Layer(Op::kUpsample, a, {in});
  CheckLine(node, rule, in.shape[2], a.scale_h);
  CheckLine(node, rule, in.shape[3], a.scale_w);
  node.Give(0, output);
}

}  // namespace tandem
