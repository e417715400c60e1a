#include "device/backends/cuda/libraries/cudnn_conv.h"

#include <algorithm>
#include <array>

#include "device/backends/cuda/libraries/cudnn_functions.h"

namespace tandem::gpu {
namespace {

// ConvWay::algorithm is cuDNN's number and, times this, the math that it lists with it.
constexpr int kMathUnit = 100;

constexpr std::array<const char*, CUDNN_CONVOLUTION_FWD_ALGO_COUNT> kForward = {
    "implicit_gemm", "implicit_precomp_gemm", "gemm", "direct", "fft", "fft_tiling",
    "winograd",      "winograd_nonfused"};
constexpr std::array<const char*, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT> kBackward = {
    "atomic_gemm", "gemm", "fft", "fft_tiling", "winograd", "winograd_nonfused"};

template <std::size_t kCount>
std::string NameIn(const std::array<const char*, kCount>& names, int algorithm, cudnnMathType_t math) {
  std::string name = algorithm >= 0 && static_cast<std::size_t>(algorithm) < kCount
                         ? names[static_cast<std::size_t>(algorithm)]
                         : "algorithm " + std::to_string(algorithm);
  return math == CUDNN_TENSOR_OP_MATH ? name + ", tensor cores" : name;
}

int AlgorithmOf(const ConvWay& way) { return way.algorithm % kMathUnit; }
auto MathOf(const ConvWay& way) { return static_cast<cudnnMathType_t>(way.algorithm / kMathUnit); }

bool Fuses(const CardConv& problem) { return problem.bias || problem.added || problem.relu; }

bool IsThere(const std::vector<ConvWay>& ways, int algorithm) {
  return std::any_of(ways.begin(), ways.end(),
                     [&](const ConvWay& way) { return way.algorithm == algorithm; });
}

// `workspace_of(descriptors, algorithm, bytes)` asks cuDNN. Exact sums are never left to what it proposes.
template <class Found, class Names, class WorkspaceOf>
std::vector<ConvWay> WaysOf(const CardConv& problem, const std::vector<Found>& found, const Names& names,
                            std::size_t most_workspace, ConvDescriptors& descriptors,
                            const WorkspaceOf& workspace_of) {
  std::vector<ConvWay> ways;
  for (const Found& one : found) {
    if (one.status != CUDNN_STATUS_SUCCESS || one.determinism == CUDNN_NON_DETERMINISTIC) continue;
    const cudnnMathType_t math = problem.math == Math::kExact ? CUDNN_FMA_MATH : one.mathType;
    const int algorithm = static_cast<int>(one.algo) + kMathUnit * static_cast<int>(math);
    if (IsThere(ways, algorithm)) continue;
    descriptors.SetMath(math);
    std::size_t bytes = 0;
    if (workspace_of(one.algo, &bytes) != CUDNN_STATUS_SUCCESS || bytes > most_workspace) continue;
    ways.push_back({algorithm, bytes, NameIn(names, static_cast<int>(one.algo), math)});
  }
  return ways;
}

std::vector<ConvWay> ForwardWays(cudnnHandle_t handle, const CardConv& problem, std::size_t most_workspace) {
  const CudnnFunctions& cudnn = Cudnn();
  ConvDescriptors d(problem);
  int count = 0;
  CheckCudnn(cudnn.GetConvolutionForwardAlgorithmMaxCount(handle, &count), "asking cuDNN for algorithms");
  std::vector<cudnnConvolutionFwdAlgoPerf_t> found(static_cast<std::size_t>(count));
  if (cudnn.GetConvolutionForwardAlgorithm_v7(handle, d.x(), d.weight(), d.conv(), d.y(), count, &count,
                                              found.data()) != CUDNN_STATUS_SUCCESS) {
    return {};
  }
  found.resize(static_cast<std::size_t>(count));
  std::erase_if(found, [&](const auto& one) { return !CanFuse(problem, one.algo); });
  return WaysOf(problem, found, kForward, most_workspace, d, [&](auto algorithm, std::size_t* bytes) {
    return cudnn.GetConvolutionForwardWorkspaceSize(handle, d.x(), d.weight(), d.conv(), d.y(), algorithm,
                                                    bytes);
  });
}

std::vector<ConvWay> TransposedWays(cudnnHandle_t handle, const CardConv& problem,
                                    std::size_t most_workspace) {
  if (Fuses(problem)) return {};
  const CudnnFunctions& cudnn = Cudnn();
  ConvDescriptors d(problem);
  int count = 0;
  CheckCudnn(cudnn.GetConvolutionBackwardDataAlgorithmMaxCount(handle, &count),
             "asking cuDNN for algorithms");
  std::vector<cudnnConvolutionBwdDataAlgoPerf_t> found(static_cast<std::size_t>(count));
  if (cudnn.GetConvolutionBackwardDataAlgorithm_v7(handle, d.weight(), d.x(), d.conv(), d.y(), count, &count,
                                                   found.data()) != CUDNN_STATUS_SUCCESS) {
    return {};
  }
  found.resize(static_cast<std::size_t>(count));
  return WaysOf(problem, found, kBackward, most_workspace, d, [&](auto algorithm, std::size_t* bytes) {
    return cudnn.GetConvolutionBackwardDataWorkspaceSize(handle, d.weight(), d.x(), d.conv(), d.y(),
                                                         algorithm, bytes);
  });
}

}  // namespace

CudnnHandle::CudnnHandle(cudaStream_t stream) {
  const CudnnFunctions& cudnn = Cudnn();
  CheckCudnn(cudnn.Create(&handle_), "starting cuDNN");
  const cudnnStatus_t status = cudnn.SetStream(handle_, stream);
  if (status == CUDNN_STATUS_SUCCESS) return;
  cudnn.Destroy(handle_);
  CheckCudnn(status, "giving cuDNN its stream");
}

void CudnnHandle::SetStream(cudaStream_t stream) {
  CheckCudnn(Cudnn().SetStream(handle_, stream), "giving cuDNN its stream");
}

CudnnHandle::~CudnnHandle() { Cudnn().Destroy(handle_); }

// Without an activation cuDNN adds a bias in this one way alone.
bool CanFuse(const CardConv& problem, cudnnConvolutionFwdAlgo_t algorithm) {
  if (!Fuses(problem)) return true;
  if (!problem.bias) return false;
  return problem.relu || algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
}

std::vector<ConvWay> ListedWays(cudnnHandle_t handle, const CardConv& problem, std::size_t most_workspace) {
  return problem.transposed ? TransposedWays(handle, problem, most_workspace)
                            : ForwardWays(handle, problem, most_workspace);
}

CudnnConv::CudnnConv(const CardConv& problem, const ConvWay& way)
    : problem_(problem), way_(way), descriptors_(problem) {
  descriptors_.SetMath(MathOf(way));
}

void CudnnConv::Run(cudnnHandle_t handle, const ConvArguments& arguments) const {
  if (Fuses(problem_)) {
    RunFused(handle, arguments);
    return;
  }
  const CudnnFunctions& cudnn = Cudnn();
  const ConvDescriptors& d = descriptors_;
  const float one = 1, zero = 0;
  const int algorithm = AlgorithmOf(way_);
  const cudnnStatus_t status =
      problem_.transposed
          ? cudnn.ConvolutionBackwardData(handle, &one, d.weight(), arguments.weight, d.x(), arguments.x,
                                          d.conv(), static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm),
                                          arguments.workspace, way_.workspace, &zero, d.y(), arguments.y)
          : cudnn.ConvolutionForward(handle, &one, d.x(), arguments.x, d.weight(), arguments.weight, d.conv(),
                                     static_cast<cudnnConvolutionFwdAlgo_t>(algorithm), arguments.workspace,
                                     way_.workspace, &zero, d.y(), arguments.y);
  CheckCudnn(status, "convolution by cuDNN's " + way_.name);
}

void CudnnConv::RunFused(cudnnHandle_t handle, const ConvArguments& arguments) const {
  const ConvDescriptors& d = descriptors_;
  const float one = 1, zero = 0;
  // What is not added has to be there all the same.
  const void* added = problem_.added ? arguments.added : arguments.y;
  CheckCudnn(Cudnn().ConvolutionBiasActivationForward(
                 handle, &one, d.x(), arguments.x, d.weight(), arguments.weight, d.conv(),
                 static_cast<cudnnConvolutionFwdAlgo_t>(AlgorithmOf(way_)), arguments.workspace,
                 way_.workspace, problem_.added ? &one : &zero, d.y(), added, d.bias(), arguments.bias,
                 d.after(), d.y(), arguments.y),
             "convolution with bias by cuDNN's " + way_.name);
}

}  // namespace tandem::gpu
