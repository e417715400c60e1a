#include "profiles/model/import_rules.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "profiles/base/input_error.h"
#include "profiles/model/weights.h"

namespace tandem {

std::int64_t CheckedElements(const Shape& shape) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  std::int64_t elements = 1;
  bool none = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) throw InputError("its extent " + std::to_string(extent) + " is negative");
    none = none || extent == 0;
    if (extent == 0) continue;
    if (elements > kMost / extent) throw InputError("it has more than 2^40 elements");
    elements *= extent;
  }
  return none ? 0 : elements;
}

std::string UniqueNames::Take(const std::string& name) {
  std::string unique = name;
  while (!taken_.emplace(unique, 2).second) unique = name + "_" + std::to_string(taken_[name]++);
  return unique;
}

void CheckShared(std::int64_t numbers, std::uint64_t bytes, const std::string& source) {
  constexpr std::uint64_t kAlways = std::uint64_t{1} << 24, kTimes = 16, kMost = kMostRandomWeights;
  const auto all = static_cast<std::uint64_t>(numbers);
  if (all <= std::max(bytes, std::min(kAlways + kTimes * bytes, kMost))) return;
  throw InputError(source + ": its layers share their numbers so often that they are " +
                   std::to_string(numbers) + " and more, of files of " + std::to_string(bytes) + " bytes");
}

std::vector<LayerSpec> NeededLayers(const std::vector<LayerSpec>& layers, std::set<std::string_view> needed) {
  std::vector<LayerSpec> kept;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    if (!needed.contains(layer->name)) continue;
    needed.insert(layer->inputs.begin(), layer->inputs.end());
    kept.push_back(*layer);
  }
  return {kept.rbegin(), kept.rend()};
}

std::vector<LayerSpec> LayersOfOutputs(const std::vector<LayerSpec>& all,
                                       const std::vector<std::string>& outputs, UniqueNames& names) {
  std::vector<LayerSpec> layers = NeededLayers(all, {outputs.begin(), outputs.end()});
  std::set<std::string> read;
  for (const LayerSpec& layer : layers) read.insert(layer.inputs.begin(), layer.inputs.end());
  for (const std::string& output : outputs) {
    if (!read.contains(output)) continue;
    layers.push_back({names.Take(output + "/output"), Op::kIdentity, NoAttributes{}, {output}});
    read.erase(output);
  }
  return layers;
}

Sides ShareOf(std::int64_t total, bool more_after) {
  const std::int64_t smaller = total / 2;
  return more_after ? Sides{smaller, total - smaller} : Sides{total - smaller, smaller};
}

Sides SamePads(std::int64_t in, std::int64_t window, std::int64_t stride, bool more_after) {
  const std::int64_t out = (in - 1) / stride + 1;
  return ShareOf(std::max<std::int64_t>((out - 1) * stride + window - in, 0), more_after);
}

ReshapeAttributes BatchlessReshape(const Shape& in, const Shape& out, const Shape& asked) {
  ReshapeAttributes a{out};
  std::size_t kept = 0;
  while (kept < in.size() && kept < out.size() && in[kept] == out[kept]) a.shape[kept++] = 0;
  const auto inferred =
      std::find(asked.begin() + static_cast<std::ptrdiff_t>(std::min(kept, asked.size())), asked.end(), -1);
  if (inferred != asked.end()) {
    a.shape[static_cast<std::size_t>(inferred - asked.begin())] = -1;
  } else if (kept == 0 && !out.empty()) {
    a.shape[0] = -1;
  }
  return a;
}

double ScaleTo(std::int64_t in, std::int64_t out) {
  const double scale = static_cast<double>(out) / static_cast<double>(in);
  const bool falls_short = std::floor(static_cast<double>(in) * scale) < static_cast<double>(out);
  return falls_short ? std::nextafter(scale, std::numeric_limits<double>::infinity()) : scale;
}

double ShortestDecimal(float value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  double result = value;
  std::from_chars(text, end, result);
  return result;
}

}  // namespace tandem
