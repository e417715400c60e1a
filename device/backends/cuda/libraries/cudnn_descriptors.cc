#include "device/backends/cuda/libraries/cudnn_descriptors.h"

#include "device/backends/cuda/libraries/cudnn_functions.h"

namespace tandem::gpu {
namespace {

constexpr const char* kDescribingTensors = "describing a convolution to cuDNN";

int Int(std::int64_t value) { return static_cast<int>(value); }

cudnnTensorFormat_t FormatOf(const CardConv& problem) {
  return problem.format == Format::kNhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
}

cudnnDataType_t TypeOf(const CardConv& problem) {
  return problem.element == Element::kHalf ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
}

}  // namespace

ConvDescriptors::ConvDescriptors(const CardConv& problem)
    : x_(Cudnn().CreateTensorDescriptor, Cudnn().DestroyTensorDescriptor, made_[0]),
      y_(Cudnn().CreateTensorDescriptor, Cudnn().DestroyTensorDescriptor, made_[1]),
      bias_(Cudnn().CreateTensorDescriptor, Cudnn().DestroyTensorDescriptor, made_[2]),
      weight_(Cudnn().CreateFilterDescriptor, Cudnn().DestroyFilterDescriptor, made_[3]),
      conv_(Cudnn().CreateConvolutionDescriptor, Cudnn().DestroyConvolutionDescriptor, made_[4]),
      after_(Cudnn().CreateActivationDescriptor, Cudnn().DestroyActivationDescriptor, made_[5]) {
  for (const cudnnStatus_t status : made_) CheckCudnn(status, kDescribingTensors);
  DescribeTensors(problem);
  DescribeConv(problem);
}

void ConvDescriptors::DescribeTensors(const CardConv& problem) {
  const auto describe = [&](cudnnTensorDescriptor_t tensor, std::int64_t n, std::int64_t c, std::int64_t h,
                            std::int64_t w) {
    CheckCudnn(Cudnn().SetTensor4dDescriptor(tensor, FormatOf(problem), TypeOf(problem), Int(n), Int(c),
                                             Int(h), Int(w)),
               kDescribingTensors);
  };
  describe(x(), problem.n, problem.in_c, problem.in_h, problem.in_w);
  describe(y(), problem.n, problem.out_c, problem.out_h, problem.out_w);
  describe(bias(), 1, problem.out_c, 1, 1);
}

// A transposed convolution is the way back of one from its output to its input: its weights are that one's.
void ConvDescriptors::DescribeConv(const CardConv& problem) {
  const CudnnFunctions& cudnn = Cudnn();
  const std::int64_t k = problem.transposed ? problem.in_c : problem.out_c;
  const std::int64_t c = (problem.transposed ? problem.out_c : problem.in_c) / problem.groups;
  CheckCudnn(cudnn.SetFilter4dDescriptor(weight(), TypeOf(problem), FormatOf(problem), Int(k), Int(c),
                                         Int(problem.kernel.h), Int(problem.kernel.w)),
             kDescribingTensors);
  CheckCudnn(cudnn.SetConvolution2dDescriptor(
                 conv(), Int(problem.pad_h), Int(problem.pad_w), Int(problem.stride.h), Int(problem.stride.w),
                 Int(problem.dilation.h), Int(problem.dilation.w), CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
             kDescribingTensors);
  CheckCudnn(cudnn.SetConvolutionGroupCount(conv(), Int(problem.groups)), kDescribingTensors);
  const auto after = problem.relu ? CUDNN_ACTIVATION_RELU : CUDNN_ACTIVATION_IDENTITY;
  CheckCudnn(cudnn.SetActivationDescriptor(this->after(), after, CUDNN_NOT_PROPAGATE_NAN, 0),
             kDescribingTensors);
  SetMath(MathTypeOf(problem.math));
}

void ConvDescriptors::SetMath(cudnnMathType_t math) {
  CheckCudnn(Cudnn().SetConvolutionMathType(conv(), math), kDescribingTensors);
}

cudnnMathType_t MathTypeOf(Math math) {
  switch (math) {
    case Math::kExact:
      return CUDNN_FMA_MATH;
    case Math::kTf32:
      return CUDNN_DEFAULT_MATH;
    case Math::kHalf:
      break;
  }
  return CUDNN_TENSOR_OP_MATH;
}

}  // namespace tandem::gpu
