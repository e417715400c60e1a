#include "device/processor/part_model.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "profiles/base/check.h"
#include "profiles/model/op_declaration.h"

namespace tandem {
namespace {

constexpr std::size_t kFloatsPerCacheLine = 16;

// Half open, along the axis of the split.
struct Range {
  std::int64_t first = 0, end = 0;
  std::int64_t size() const { return end - first; }
  friend bool operator==(const Range&, const Range&) = default;
};

std::size_t AxisOf(SplitAxis axis) { return axis == SplitAxis::kChannels ? 1 : 2; }

// The rows that some rows of a window's output see, and the padding that is left of it.
struct SeenRows {
  Range made;  // perhaps more than were asked for: a window needs something to see, and to fit in
  Range seen;
  std::int64_t top = 0, bottom = 0;
};

template <class Windowed>
SeenRows RowsSeen(const Windowed& a, Range made, std::int64_t extent, std::int64_t input) {
  const std::int64_t window = a.dilation.h * (a.kernel.h - 1) + 1;
  for (;;) {
    const std::int64_t first = made.first * a.stride.h - a.pad.top;
    const std::int64_t end = (made.end - 1) * a.stride.h - a.pad.top + window;
    const Range seen{std::max<std::int64_t>(first, 0), std::min(end, input)};
    // Rounding up, the last window may reach beyond the padding: that is not padding either.
    const std::int64_t top = seen.first - first,
                       bottom = std::clamp<std::int64_t>(end - input, 0, a.pad.bottom);
    if (seen.first < seen.end && top + seen.size() + bottom >= window) return {made, seen, top, bottom};
    if (made == Range{0, extent}) return {made, {0, input}, a.pad.top, a.pad.bottom};
    made = {std::max<std::int64_t>(made.first - 1, 0), std::min(made.end + 1, extent)};
  }
}

// The weights of a layer of the small model; those of channels are in their first axis.
Tensor PartOfWeights(const Tensor& whole, const Shape& shape, std::int64_t first) {
  if (shape == whole.shape) return whole;
  const std::int64_t row = Elements(whole.shape) / whole.shape[0];
  const auto begin = whole.values.begin() + static_cast<std::ptrdiff_t>(first * row);
  return {shape, {begin, begin + static_cast<std::ptrdiff_t>(Elements(shape))}};
}

class PartBuilder {
 public:
  PartBuilder(const SegmentSpec& whole, const LayerPart& part)
      : whole_(whole),
        model_(*whole.model),
        axis_(AxisOf(part.axis)),
        part_{part.first, part.end},
        extent_(model_.layer(whole.layers.back()).output[axis_]) {}

  PartModel Make() {
    AddInputs();
    for (const LayerId id : whole_.layers) AddLayer(id);
    const std::string about = "a part of " + whole_.model_name;
    auto model = std::make_shared<const Model>(Model::Build(about, specs_, about));
    auto weights = axis_ == 1 ? WeightsFor(*model) : whole_.weights;
    PartModel made{WholeSegment(model, std::move(weights), whole_.model_name), std::move(offsets_), {}};
    made.spec.part = true;
    for (const Layer& layer : model->layers()) {
      const LayerId of = layer.op == Op::kInput ? LayerId() : model_.Find(layer.name);
      made.layers.push_back(Inside(of) ? of : LayerId());
    }
    return made;
  }

 private:
  bool Inside(LayerId id) const { return std::binary_search(whole_.layers.begin(), whole_.layers.end(), id); }
  const Shape& ShapeOf(LayerId id) const { return model_.layer(id).output; }

  // What the layer has to see of its input.
  Range Sees(const Layer& layer, LayerId input) const {
    if (axis_ == 2) {
      const std::int64_t rows = ShapeOf(input)[axis_];
      if (IsConv(layer)) return RowsSeen(layer.As<ConvAttributes>(), part_, extent_, rows).seen;
      if (IsPool(layer)) return RowsSeen(layer.As<PoolAttributes>(), part_, extent_, rows).seen;
      return part_;
    }
    if (IsFc(layer)) return {0, 0};
    if (!IsConv(layer)) return part_;
    const std::int64_t channels = ShapeOf(input)[axis_], groups = layer.As<ConvAttributes>().groups;
    const std::int64_t granule = extent_ / groups, read = channels / groups;
    return {part_.first / granule * read, part_.end / granule * read};
  }
  static bool IsConv(const Layer& layer) { return Declaration(layer.op).parts == PartRule::kConvolution; }
  static bool IsFc(const Layer& layer) { return Declaration(layer.op).parts == PartRule::kFeatures; }
  static bool IsPool(const Layer& layer) { return Declaration(layer.op).parts == PartRule::kPool; }

  bool SeesAll(const Layer& layer, LayerId input) const {
    if (axis_ == 1 && (IsFc(layer) || (IsConv(layer) && layer.As<ConvAttributes>().groups == 1))) return true;
    return Sees(layer, input) == Range{0, ShapeOf(input)[axis_]};
  }

  // The one range in which all of the part see the tensor; nothing: some see all of it, or they differ.
  std::optional<Range> OnlyRange(LayerId input) const {
    std::optional<Range> only;
    for (const LayerId id : whole_.layers) {
      const Layer& layer = model_.layer(id);
      if (std::find(layer.inputs.begin(), layer.inputs.end(), input) == layer.inputs.end()) continue;
      if (SeesAll(layer, input)) return std::nullopt;
      const Range range = Sees(layer, input);
      if (only && *only != range) return std::nullopt;
      only = range;
    }
    return only;
  }

  // What lies in one piece, and where kernels can read it, is read where it lies.
  void AddInputs() {
    for (const LayerId input : whole_.inputs) {
      Shape shape = ShapeOf(input);
      std::size_t offset = 0;
      if (const auto range = OnlyRange(input)) {
        const TensorBlock block =
            BlockOf(shape, {axis_ == 1 ? SplitAxis::kChannels : SplitAxis::kRows, range->first, range->end});
        if (block.Dense() && block.first % kFloatsPerCacheLine == 0) {
          offset = block.first;
          shape[axis_] = range->size();
          at_hand_[{input, range->first, range->end}] = model_.layer(input).name;
        }
      }
      offsets_.push_back(offset);
      specs_.push_back({model_.layer(input).name, Op::kInput, InputAttributes{shape}, {}});
    }
  }

  // The name under which the small model has what the layer sees of an input from outside.
  std::string SeenOf(const Layer& layer, LayerId input) {
    const std::string& name = model_.layer(input).name;
    if (SeesAll(layer, input)) return name;
    const Range range = Sees(layer, input);
    std::string& known = at_hand_[{input, range.first, range.end}];
    if (known.empty()) known = AddSlice(name, name, range.first, range.end);
    return known;
  }

  std::string AddSlice(const std::string& name, const std::string& of, std::int64_t first, std::int64_t end) {
    std::string sliced = name + " [" + std::to_string(first) + ", " + std::to_string(end) + ")";
    while (model_.Find(sliced).valid() || IsKnown(sliced)) sliced += "'";
    const auto axis = static_cast<std::int64_t>(axis_);
    specs_.push_back({sliced, Op::kSlice, SliceAttributes{{axis}, {first}, {end}, {1}}, {of}});
    return sliced;
  }
  bool IsKnown(const std::string& name) const {
    return std::any_of(specs_.begin(), specs_.end(),
                       [&](const LayerSpec& spec) { return spec.name == name; });
  }

  void AddLayer(LayerId id) {
    const Layer& layer = model_.layer(id);
    LayerSpec spec{layer.name, layer.op, layer.attributes, {}};
    for (const LayerId input : layer.inputs) {
      spec.inputs.push_back(Inside(input) ? made_.at(input) : SeenOf(layer, input));
    }
    Range made = part_;
    if (axis_ == 1) {
      if (IsConv(layer)) {
        auto& conv = spec.attributes.As<ConvAttributes>();
        conv.groups = conv.groups == 1 ? 1 : part_.size() / (extent_ / conv.groups);
        conv.out_channels = part_.size();
      }
      if (IsFc(layer)) spec.attributes.As<FcAttributes>().out_features = part_.size();
    } else if (IsConv(layer)) {
      made = WithRows(layer, spec.attributes.As<ConvAttributes>());
    } else if (IsPool(layer)) {
      made = WithRows(layer, spec.attributes.As<PoolAttributes>());
    }
    specs_.push_back(spec);
    made_[id] = layer.name;
    if (made == part_) return;
    made_[id] = AddSlice(layer.name, layer.name, part_.first - made.first, part_.end - made.first);
  }

  template <class Windowed>
  Range WithRows(const Layer& layer, Windowed& attributes) const {
    const SeenRows rows = RowsSeen(attributes, part_, extent_, ShapeOf(layer.inputs[0])[axis_]);
    attributes.pad.top = rows.top;
    attributes.pad.bottom = rows.bottom;
    return rows.made;
  }

  std::shared_ptr<const Weights> WeightsFor(const Model& small) const {
    Weights weights;
    for (std::size_t i = 0; i < small.size(); ++i) {
      const std::string& name = small.layer(LayerId(i)).name;
      for (const auto& [role, shape] : WeightShapes(small, LayerId(i))) {
        weights[{name, role}] = PartOfWeights(whole_.weights->at({name, role}), shape, part_.first);
      }
    }
    return std::make_shared<const Weights>(std::move(weights));
  }

  const SegmentSpec& whole_;
  const Model& model_;
  std::size_t axis_;
  Range part_;
  std::int64_t extent_;
  std::vector<LayerSpec> specs_;
  std::vector<std::size_t> offsets_;
  std::map<std::tuple<LayerId, std::int64_t, std::int64_t>, std::string> at_hand_;
  std::map<LayerId, std::string> made_;
};

}  // namespace

TensorBlock BlockOf(const Shape& output, const LayerPart& part) {
  const std::size_t axis = AxisOf(part.axis);
  std::size_t runs = 1, inner = 1;
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (i < axis) runs *= static_cast<std::size_t>(output[i]);
    if (i > axis) inner *= static_cast<std::size_t>(output[i]);
  }
  return {runs, static_cast<std::size_t>(part.size()) * inner, static_cast<std::size_t>(output[axis]) * inner,
          static_cast<std::size_t>(part.first) * inner};
}

PartModel PartModelOf(const SegmentSpec& whole, const LayerPart& part) {
  TANDEM_CHECK(
      SplitRangeOf(*whole.model, whole.layers, part.axis).extent >= part.end && whole.outputs.size() == 1,
      "a part is one of layers that can be split");
  return PartBuilder(whole, part).Make();
}

}  // namespace tandem
