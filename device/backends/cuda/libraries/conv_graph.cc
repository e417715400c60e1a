#include "device/backends/cuda/libraries/conv_graph.h"

#include <optional>

namespace tandem::gpu {
namespace {

constexpr std::int64_t kAlignment = 16;      // bytes, of every tensor
constexpr std::int64_t kFirstPassing = 100;  // ids of results that are not kept

}  // namespace

// As the engines know it: convolve, add, add the bias, cut off.
ConvGraph::ConvGraph(cudnnHandle_t handle, const CardConv& problem)
    : problem_(problem), passing_(kFirstPassing) {
  const CardConv& p = problem_;
  const cudnnDataType_t type = p.element == Element::kHalf ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
  const Sizes out{p.n, p.out_c, p.out_h, p.out_w};
  const std::int64_t k = p.transposed ? p.in_c : p.out_c, c = (p.transposed ? p.out_c : p.in_c) / p.groups;
  const auto id = [](GraphTensor tensor) { return static_cast<std::int64_t>(tensor); };
  const std::size_t x = Tensor(id(GraphTensor::kX), {p.n, p.in_c, p.in_h, p.in_w}, type, false);
  const std::size_t weight = Tensor(id(GraphTensor::kWeight), {k, c, p.kernel.h, p.kernel.w}, type, false);
  const std::size_t y = Tensor(id(GraphTensor::kY), out, type, false);
  struct After {
    cudnnPointwiseMode_t mode;
    std::optional<std::size_t> other;
  };
  std::vector<After> after;
  if (p.added) after.push_back({CUDNN_POINTWISE_ADD, Tensor(id(GraphTensor::kAdded), out, type, false)});
  if (p.bias) {
    after.push_back({CUDNN_POINTWISE_ADD, Tensor(id(GraphTensor::kBias), {1, p.out_c, 1, 1}, type, false)});
  }
  if (p.relu) after.push_back({CUDNN_POINTWISE_RELU_FWD, std::nullopt});

  std::size_t result = after.empty() ? y : Passing();
  std::vector<std::size_t> operations = {Convolve(x, weight, result)};
  for (std::size_t a = 0; a < after.size(); ++a) {
    const std::size_t next = a + 1 == after.size() ? y : Passing();
    operations.push_back(Pointwise(after[a].mode, result, after[a].other ? &*after[a].other : nullptr, next));
    result = next;
  }
  Join(handle, operations);
}

std::size_t ConvGraph::Tensor(std::int64_t id, const Sizes& sizes, cudnnDataType_t type, bool passing) {
  const auto& [n, c, h, w] = sizes;
  const std::vector<std::int64_t> strides = problem_.format == Format::kNhwc
                                                ? std::vector<std::int64_t>{h * w * c, 1, w * c, c}
                                                : std::vector<std::int64_t>{c * h * w, h * w, w, 1};
  parts_.emplace_back(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  BackendDescriptor& tensor = parts_.back();
  tensor.Set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
  tensor.SetList(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, std::vector<std::int64_t>{n, c, h, w});
  tensor.SetList(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides);
  tensor.Set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id);
  tensor.Set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, kAlignment);
  tensor.Set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, passing);
  tensor.Finalize();
  return parts_.size() - 1;
}

std::size_t ConvGraph::Passing() {
  const CardConv& p = problem_;
  return Tensor(passing_++, {p.n, p.out_c, p.out_h, p.out_w}, CUDNN_DATA_FLOAT, true);
}

std::size_t ConvGraph::Described() {
  const CardConv& p = problem_;
  using Pair = std::vector<std::int64_t>;
  const Pair pad{p.pad_h, p.pad_w};
  parts_.emplace_back(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  BackendDescriptor& conv = parts_.back();
  conv.Set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  conv.Set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
  conv.Set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, std::int64_t{2});
  conv.SetList(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, Pair{p.dilation.h, p.dilation.w});
  conv.SetList(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, Pair{p.stride.h, p.stride.w});
  conv.SetList(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, pad);
  conv.SetList(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, pad);
  conv.Finalize();
  return parts_.size() - 1;
}

// A transposed convolution is the way back of one from its output to its input.
std::size_t ConvGraph::Convolve(std::size_t x, std::size_t weight, std::size_t y) {
  const std::size_t described = Described();
  const bool back = problem_.transposed;
  const float one = 1, zero = 0;
  parts_.emplace_back(back ? CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR
                           : CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  BackendDescriptor& conv = parts_.back();
  conv.SetDescriptor(back ? CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC
                          : CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                     parts_[described]);
  conv.SetDescriptor(
      back ? CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY : CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
      parts_[x]);
  conv.SetDescriptor(
      back ? CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W : CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
      parts_[weight]);
  conv.SetDescriptor(
      back ? CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX : CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
      parts_[y]);
  conv.Set(
      back ? CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA : CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
      CUDNN_TYPE_FLOAT, one);
  conv.Set(
      back ? CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA : CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
      CUDNN_TYPE_FLOAT, zero);
  conv.Finalize();
  return parts_.size() - 1;
}

std::size_t ConvGraph::Pointwise(cudnnPointwiseMode_t mode, std::size_t x, const std::size_t* other,
                                 std::size_t y) {
  parts_.emplace_back(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  const std::size_t described = parts_.size() - 1;
  parts_[described].Set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
  parts_[described].Set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  parts_[described].Finalize();
  parts_.emplace_back(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  BackendDescriptor& operation = parts_.back();
  operation.SetDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, parts_[described]);
  operation.SetDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, parts_[x]);
  if (other != nullptr) operation.SetDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, parts_[*other]);
  operation.SetDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, parts_[y]);
  operation.Finalize();
  return parts_.size() - 1;
}

void ConvGraph::Join(cudnnHandle_t handle, const std::vector<std::size_t>& operations) {
  std::vector<cudnnBackendDescriptor_t> all;
  for (const std::size_t operation : operations) all.push_back(parts_[operation].get());
  parts_.emplace_back(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  parts_.back().Set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle);
  parts_.back().SetList(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, all);
  parts_.back().Finalize();
}

}  // namespace tandem::gpu
