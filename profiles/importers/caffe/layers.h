// What each type of Caffe layer is in a Model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/importers/caffe/graph.h"
#include "profiles/importers/caffe/tandem_caffe.pb.h"

namespace tandem {

// One layer while it is converted. A converter adds what the layer consists of and says what its tops are.
class CaffeConversion {
 public:
  CaffeConversion(CaffeGraph& graph, const caffe::LayerParameter& layer, std::vector<CaffeNode> layer_bottoms,
                  std::size_t occurrence);

  const caffe::LayerParameter& param;
  const std::vector<CaffeNode> bottoms;

  // Whether an extent that the file writes for the first axis of `node` is its batch: whatever batch the
  // network is read at is meant.
  bool IsBatch(std::int64_t extent, const CaffeNode& node) const;

  // Throws InputError unless the layer has that many bottoms. Tops are held to theirs by SetTop.
  void ExpectBottoms(std::size_t least, std::size_t most) const;
  const CaffeNode& OnlyBottom() const;

  // Adds a layer that is not the last of those that this one consists of; `part` tells it from the others.
  CaffeNode AddPart(const std::string& part, Op op, Attributes attributes, std::vector<CaffeNode> inputs);
  // Adds the last, or only, one: it has the name that Caffe knows.
  CaffeNode AddLast(Op op, Attributes attributes, std::vector<CaffeNode> inputs);

  // The tensor `role` of `node` is blob number `blob` of this layer.
  void Trained(const CaffeNode& node, const std::string& role, const Shape& shape, int blob,
               const Shape& blob_shape, BlobUse use = BlobUse::kAsIs);
  // Adds `op` with one number as the second operand.
  CaffeNode AddConstant(const std::string& part, Op op, double value, const CaffeNode& input);

  void SetTop(const CaffeNode& node);  // the only one
  void SetTops(const std::vector<CaffeNode>& nodes);
  void Note(const std::string& what);

 private:
  CaffeGraph& graph_;
  std::string name_;
  std::size_t occurrence_;
};

using CaffeConverter = void (*)(CaffeConversion&);

struct CaffeLayerType {
  std::string_view type;
  CaffeConverter convert;
};

// Null where the type is not supported.
CaffeConverter FindCaffeConverter(std::string_view type);
std::vector<std::string> SupportedCaffeTypes();

// An axis as Caffe counts it, negative from the end; `rank` itself is allowed where `end` says so.
std::size_t CaffeAxis(std::int64_t axis, std::size_t rank, bool end = false);

// In files of their own: layers with windows, layers with trained factors, layers that move data.
void ConvertConvolution(CaffeConversion& c);
void ConvertDepthwise(CaffeConversion& c);
void ConvertDeconvolution(CaffeConversion& c);
void ConvertPooling(CaffeConversion& c);
void ConvertInnerProduct(CaffeConversion& c);
void ConvertBatchNorm(CaffeConversion& c);
void ConvertScale(CaffeConversion& c);
void ConvertBias(CaffeConversion& c);
void ConvertAxpy(CaffeConversion& c);
void ConvertConcat(CaffeConversion& c);
void ConvertSlice(CaffeConversion& c);
void ConvertFlatten(CaffeConversion& c);
void ConvertReshape(CaffeConversion& c);
void ConvertCrop(CaffeConversion& c);
void ConvertPermute(CaffeConversion& c);
void ConvertShuffleChannel(CaffeConversion& c);
void ConvertReduction(CaffeConversion& c);

}  // namespace tandem
