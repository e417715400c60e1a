#include "profiles/importers/caffe/weights.h"

#include <algorithm>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/stored_numbers.h"
#include "profiles/base/suggest.h"
#include "profiles/importers/caffe/tandem_caffe.pb.h"
#include "profiles/model/import_rules.h"

namespace tandem {
namespace {

constexpr std::size_t kLargestFile = std::numeric_limits<std::int32_t>::max();  // protobuf's own limit
using Blobs = google::protobuf::RepeatedPtrField<caffe::BlobProto>;

// The shape as the file states it; older files state four extents whatever the tensor is.
Shape ShapeOf(const caffe::BlobProto& blob) {
  if (blob.has_shape()) return {blob.shape().dim().begin(), blob.shape().dim().end()};
  const bool older = blob.has_num() || blob.has_channels() || blob.has_height() || blob.has_width();
  return older ? Shape{blob.num(), blob.channels(), blob.height(), blob.width()} : Shape{};
}

// Caffe takes a shape for another that has more ones in front.
Shape WithoutLeadingOnes(const Shape& shape) {
  return {std::find_if(shape.begin(), shape.end(), [](std::int64_t extent) { return extent != 1; }),
          shape.end()};
}

std::vector<float> ValuesOf(const caffe::BlobProto& blob) {
  if (!blob.data().empty()) return {blob.data().begin(), blob.data().end()};
  if (blob.double_data_size() > 0) {
    std::vector<float> values(static_cast<std::size_t>(blob.double_data_size()));
    std::transform(blob.double_data().begin(), blob.double_data().end(), values.begin(),
                   Converted<float, double>);
    return values;
  }
  switch (blob.raw_data_type()) {
    case 0:
      return FromBytes<float, double>(blob.raw_data());
    case 1:
      return FromBytes<float, float>(blob.raw_data());
    case 2:
      return FromBytes<float, Half>(blob.raw_data());
    default:
      throw InputError("holds numbers of a kind that is not supported");
  }
}

std::vector<float> Transposed(const std::vector<float>& values, const Shape& from) {
  const auto rows = static_cast<std::size_t>(from[0]), columns = static_cast<std::size_t>(from[1]);
  std::vector<float> turned(values.size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      turned[column * rows + row] = values[row * columns + column];
    }
  }
  return turned;
}

// BatchNorm stores sums, and in its third blob what to divide them by; 0 is a layer that never trained.
void DivideByThird(std::vector<float>& values, const Blobs& blobs) {
  const std::vector<float> divisor = ValuesOf(blobs[2]);
  if (divisor.size() != 1) throw InputError("its third blob is not one number");
  const float factor = divisor[0] == 0 ? 0 : 1 / divisor[0];
  for (float& value : values) value *= factor;
}

class TrainedLayers {
 public:
  explicit TrainedLayers(const std::filesystem::path& file) : file_(file.string()) {
    const std::string bytes = ReadTextFile(file, kLargestFile);
    bytes_ = bytes.size();
    if (bytes.compare(0, 4, "\x89HDF") == 0) {
      throw InputError(file_ + ": is an HDF5 file; only the binary .caffemodel of Caffe is read");
    }
    if (!net_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      throw InputError(file_ + ": is not a .caffemodel, or is broken off");
    }
    for (const caffe::TrainedLayerV1& layer : net_.layers()) {
      if (layer.has_v0_layer()) {
        throw InputError(file_ +
                         ": is in Caffe's format of 2013, which is not read; Caffe's tool "
                         "upgrade_net_proto_binary brings it up to date");
      }
      Add(layer.name(), layer.blobs());
    }
    for (const caffe::TrainedLayer& layer : net_.layer()) Add(layer.name(), layer.blobs());
    if (by_name_.empty()) throw InputError(file_ + ": holds no trained weights");
  }

  std::uint64_t bytes() const { return bytes_; }  // of the file

  // A network may use a name twice; the n-th such layer has the n-th set of blobs.
  const Blobs& Find(const std::string& layer, std::size_t occurrence) const {
    const auto found = by_name_.find(layer);
    if (found != by_name_.end()) return *found->second[std::min(occurrence, found->second.size() - 1)];
    std::vector<std::string> known;
    for (const auto& [name, blobs] : by_name_) known.push_back(name);
    throw InputError(file_ + ": has no weights for layer " + Quoted(layer) + Suggestion(layer, known));
  }

 private:
  void Add(const std::string& name, const Blobs& blobs) {
    if (!blobs.empty()) by_name_[name].push_back(&blobs);
  }

  std::string file_;
  std::uint64_t bytes_ = 0;
  caffe::TrainedNet net_;
  std::map<std::string, std::vector<const Blobs*>> by_name_;
};

Tensor ReadTensor(const TrainedBlob& wanted, const Blobs& blobs) {
  const caffe::BlobProto& blob = blobs[wanted.blob];
  const std::string which = "blob " + std::to_string(wanted.blob);
  const Shape shape = ShapeOf(blob);
  if (WithoutLeadingOnes(shape) != WithoutLeadingOnes(wanted.blob_shape)) {
    throw InputError(which + " is " + ShapeText(shape) + ", the network's is " +
                     ShapeText(wanted.blob_shape));
  }
  Tensor tensor{wanted.shape, ValuesOf(blob)};
  if (tensor.values.size() != static_cast<std::size_t>(Elements(wanted.shape))) {
    throw InputError(which + " of " + ShapeText(shape) + " holds " + std::to_string(tensor.values.size()) +
                     " numbers");
  }
  if (wanted.use == BlobUse::kTransposed) tensor.values = Transposed(tensor.values, wanted.blob_shape);
  if (wanted.use == BlobUse::kDividedByThird) DivideByThird(tensor.values, blobs);
  return tensor;
}

}  // namespace

Weights ReadCaffeWeights(const std::filesystem::path& file, const CaffeGraph& graph) {
  Weights weights;
  for (const auto& [key, value] : graph.constants) weights[key] = Tensor{{}, {value}};
  if (graph.trained.empty()) return weights;
  std::map<std::pair<std::string, std::size_t>, int> blobs_of;  // how many each layer has
  std::int64_t numbers = 0;
  for (const TrainedBlob& wanted : graph.trained) {
    numbers += Elements(wanted.shape);
    int& count = blobs_of[{wanted.caffe_layer, wanted.occurrence}];
    count = std::max(count, wanted.use == BlobUse::kDividedByThird ? 3 : wanted.blob + 1);
  }
  const TrainedLayers layers(file);
  CheckShared(numbers, layers.bytes(), file.string());
  for (const TrainedBlob& wanted : graph.trained) {
    const Blobs& blobs = layers.Find(wanted.caffe_layer, wanted.occurrence);
    try {
      const int count = blobs_of[{wanted.caffe_layer, wanted.occurrence}];
      if (blobs.size() != count) {
        throw InputError("has " + std::to_string(blobs.size()) + " blobs, the network's has " +
                         std::to_string(count));
      }
      weights[wanted.key] = ReadTensor(wanted, blobs);
    } catch (const InputError& error) {
      throw InputError(file.string() + ": layer " + Quoted(wanted.caffe_layer) + ": " + error.what());
    }
  }
  return weights;
}

}  // namespace tandem
