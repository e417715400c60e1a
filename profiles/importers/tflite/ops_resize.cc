// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR. The file has three rules for which place of the input a
// position of the output shows.
#include <algorithm>
#include <cmath>

#include "profiles/importers/tflite/ops.h"

namespace tandem::tflite_ops {
namespace {

constexpr double kMostPositions = 1 << 16;  // of one axis, so that trying them all stays quick

struct Line {  // one axis
  std::int64_t in = 0, out = 0;
  bool corners = false, centers = false;

  double Step() const {
    if (corners && out > 1) return static_cast<double>(in - 1) / static_cast<double>(out - 1);
    return static_cast<double>(in) / static_cast<double>(out);
  }
  // As the runtime has it: in floats, from centre to centre or from edge to edge, cut to the input.
  double Nearest(double at) const {
    const float place = (static_cast<float>(at) + (centers ? 0.5F : 0.0F)) * static_cast<float>(Step());
    const float whole = corners ? std::round(place) : std::floor(place);
    return std::clamp(static_cast<double>(whole), 0.0, static_cast<double>(in - 1));
  }
};

const char* RuleText(const Line& line) {
  if (line.corners) return "align_corners";
  return line.centers ? "half_pixel_centers" : "neither align_corners nor half_pixel_centers";
}

std::array<Line, 2> ReadLines(const TfliteNode& node, bool corners, bool centers) {
  const Shape& in = node.Data(0).shape;
  ExpectImage(node, in);
  const std::vector<std::int64_t> size = node.IntsOf(1);
  if (size.size() != 2) node.Fail("its size is not two numbers");
  std::array<Line, 2> lines = {Line{in[2], size[0], corners, centers},
                               Line{in[3], size[1], corners, centers}};
  for (const Line& line : lines) {
    if (line.out < 1 || !(static_cast<double>(line.out) <= kMostPositions))
      node.Fail("its size of " + std::to_string(line.out) + " is out of range");
  }
  return lines;
}

void Resize(TfliteNode& node, const std::array<Line, 2>& lines, UpsampleAttributes a) {
  const TfliteActivation& in = node.Data(0);
  if (lines[0].in == lines[0].out && lines[1].in == lines[1].out) return node.Give(0, in);
  a.scale_h = ScaleTo(lines[0].in, lines[0].out);
  a.scale_w = ScaleTo(lines[1].in, lines[1].out);
  node.Give(0, node.Layer(Op::kUpsample, a, {in}));
}

}  // namespace

void ResizeBilinear(TfliteNode& node) {
  const auto& options = node.OptionsAs<tfl::ResizeBilinearOptions>();
  const auto lines = ReadLines(node, options.align_corners(), options.half_pixel_centers());
  if (options.align_corners() && options.half_pixel_centers()) node.Fail("it has two rules for its corners");
  UpsampleAttributes a{1, 1, UpsampleMode::kLinear};
  a.align = options.align_corners()        ? UpsampleAlign::kCorners
            : options.half_pixel_centers() ? UpsampleAlign::kCentres
                                           : UpsampleAlign::kEdges;
  Resize(node, lines, a);
}

void ResizeNearest(TfliteNode& node) {
  const auto& options = node.OptionsAs<tfl::ResizeNearestNeighborOptions>();
  const auto lines = ReadLines(node, options.align_corners(), options.half_pixel_centers());
  for (const Line& line : lines) {
    const double scale = ScaleTo(line.in, line.out);
    for (double at = 0; at < static_cast<double>(line.out); ++at) {
      const double shown = std::min(std::floor(at / scale), static_cast<double>(line.in - 1));
      if (shown == line.Nearest(at)) continue;
      node.Fail("its rule (" + std::string(RuleText(line)) + ") is not supported for " +
                std::to_string(line.in) + " to " + std::to_string(line.out));
    }
  }
  Resize(node, lines, UpsampleAttributes{1, 1, UpsampleMode::kNearest});
}

}  // namespace tandem::tflite_ops
