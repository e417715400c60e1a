#include "device/backends/cuda/card/stream.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "device/backends/cuda/libraries/cuda_check.h"
#include "device/host/clock.h"
#include "profiles/base/check.h"
#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

constexpr Nanos kLookFor{200'000}, kLookEach{1'000};

}  // namespace

CudaEvent::CudaEvent(int device) {
  Check(cudaSetDevice(device), "choosing the card");
  Check(cudaEventCreateWithFlags(&event_, cudaEventDefault), "making an event");
}

CudaEvent::~CudaEvent() { cudaEventDestroy(event_); }

bool CudaEvent::Passed() {
  const cudaError_t error = cudaEventQuery(event_);
  if (error == cudaErrorNotReady) {
    (void)cudaGetLastError();  // else the next launch of a kernel finds it
    return false;
  }
  Check(error, "work on the card");
  return true;
}

Nanos CudaEvent::Since(const Event& earlier) {
  float milliseconds = 0;
  Check(cudaEventElapsedTime(&milliseconds, static_cast<const CudaEvent&>(earlier).event_, event_),
        "the time between two events");
  return Nanos{std::llround(static_cast<double>(milliseconds) * 1e6)};
}

// cudaGraphInstantiate itself has other arguments before CUDA 12.
CudaGraph::CudaGraph(cudaGraph_t captured) {
  const cudaError_t error = cudaGraphInstantiateWithFlags(&graph_, captured, 0);
  cudaGraphDestroy(captured);
  Check(error, "making a graph of what was captured");
}

CudaGraph::~CudaGraph() { cudaGraphExecDestroy(graph_); }

bool CudaGraph::Update(cudaGraph_t captured) {
#if CUDART_VERSION >= 12000
  cudaGraphExecUpdateResultInfo result{};
  const cudaError_t error = cudaGraphExecUpdate(graph_, captured, &result);
#else
  cudaGraphNode_t node = nullptr;
  cudaGraphExecUpdateResult result{};
  const cudaError_t error = cudaGraphExecUpdate(graph_, captured, &node, &result);
#endif
  if (error != cudaSuccess) (void)cudaGetLastError();
  return error == cudaSuccess;
}

int PriorityOf(int urgency, const PriorityRange& range) {
  return urgency >= range.least - range.most ? range.least : range.most + std::max(urgency, 0);
}

CudaStream::CudaStream(int device, const PriorityRange& range, int urgency,
                       std::shared_ptr<const PartStreams> part)
    : device_(device), range_(range), part_(std::move(part)) {
  Use();
  stream_ = StreamOf(PriorityOf(urgency, range_));
  Check(cudaEventCreateWithFlags(&done_, cudaEventBlockingSync | cudaEventDisableTiming), "making an event");
}

CudaStream::~CudaStream() {
  if (capturing_) {
    cudaGraph_t half = nullptr;
    if (cudaStreamEndCapture(stream_, &half) == cudaSuccess) cudaGraphDestroy(half);
    (void)cudaGetLastError();
  }
  cudaStreamSynchronize(stream_);
  cublas_.reset();
  cudnn_.reset();
  cudaEventDestroy(done_);
  for (const auto& [priority, stream] : streams_) cudaStreamDestroy(stream);
}

// Non-blocking: nothing here waits for the default stream, which libraries may use.
cudaStream_t CudaStream::StreamOf(int priority) {
  const auto known = streams_.find(priority);
  if (known != streams_.end()) return known->second;
  if (part_) return streams_[priority] = (*part_)(priority);
  cudaStream_t made = nullptr;
  Check(cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, priority), "making a stream");
  return streams_[priority] = made;
}

// A graph goes by the priority of the stream in which it is started, whichever it was captured in.
void CudaStream::SetUrgency(int urgency) {
  TANDEM_CHECK(!capturing_, "a graph is made in one stream");
  const auto known = streams_.find(PriorityOf(urgency, range_));
  if (known != streams_.end() && known->second == stream_) return;
  Use();
  stream_ = StreamOf(PriorityOf(urgency, range_));
  if (cudnn_) cudnn_->SetStream(stream_);
  if (cublas_) cublas_->SetStream(stream_);
}

void CudaStream::Use() const { Check(cudaSetDevice(device_), "choosing the card"); }

// Where pointers lie is seen by the runtime itself: all of them are in one address space.
void CudaStream::Copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  Use();
  Check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "copying");
}

void CudaStream::CopyRows(void* to, const void* from, std::size_t rows, std::size_t row_bytes,
                          std::size_t stride_bytes) {
  if (rows == 0 || row_bytes == 0) return;
  Use();
  Check(cudaMemcpy2DAsync(to, stride_bytes, from, stride_bytes, row_bytes, rows, cudaMemcpyDefault, stream_),
        "copying rows");
}

void CudaStream::Fill(void* to, std::size_t bytes) {
  if (bytes == 0) return;
  Use();
  Check(cudaMemsetAsync(to, 0, bytes, stream_), "filling with zeros");
}

const CudnnHandle& CudaStream::cudnn() {
  if (!cudnn_) cudnn_ = std::make_unique<CudnnHandle>(stream_);
  return *cudnn_;
}

const CublasHandle& CudaStream::cublas() {
  if (!cublas_) cublas_ = std::make_unique<CublasHandle>(stream_);
  return *cublas_;
}

void CudaStream::Run(const Conv& conv, const ConvArguments& arguments) {
  Use();
  static_cast<const CudnnWay&>(conv).Run(cudnn().get(), arguments);
}

void CudaStream::Run(const GemmCall& call) {
  Use();
  cublas().Run(call);
}

template <class Call>
void CudaStream::Launch(int (*kernel)(const Call&, void*), const Call& call, const char* what) {
  Use();
  Check(static_cast<cudaError_t>(kernel(call, stream_)), what);
}

void CudaStream::Run(const ChannelCall& call) { Launch(CardKernels().channel, call, "kernel channel"); }
void CudaStream::Run(const BinaryCall& call) { Launch(CardKernels().binary, call, "kernel binary"); }
void CudaStream::Run(const GatherCall& call) { Launch(CardKernels().gather, call, "kernel gather"); }
void CudaStream::Run(const ResizeCall& call) { Launch(CardKernels().resize, call, "kernel resize"); }
void CudaStream::Run(const PoolCall& call) { Launch(CardKernels().pool, call, "kernel pool"); }
void CudaStream::Run(const LrnCall& call) { Launch(CardKernels().lrn, call, "kernel lrn"); }
void CudaStream::Run(const RowsCall& call) { Launch(CardKernels().rows, call, "kernel rows"); }
void CudaStream::Run(const MeanCall& call) { Launch(CardKernels().mean, call, "kernel mean"); }
void CudaStream::Run(const DepthwiseCall& call) { Launch(CardKernels().depthwise, call, "kernel depthwise"); }
void CudaStream::Run(const MatvecCall& call) { Launch(CardKernels().matvec, call, "kernel matvec"); }
void CudaStream::Run(const BurnCall& call) { Launch(CardKernels().burn, call, "kernel burn"); }

// Inside a graph an event that others look at is a node of its own.
void CudaStream::Record(Event& event) {
  Use();
  const cudaEvent_t at = static_cast<CudaEvent&>(event).get();
  Check(cudaEventRecordWithFlags(at, stream_, capturing_ ? cudaEventRecordExternal : cudaEventRecordDefault),
        "recording an event");
}

void CudaStream::BeginCapture() {
  TANDEM_CHECK(!capturing_, "a stream is captured once at a time");
  Use();
  cudnn();  // making one allocates, which cannot be captured
  cublas();
  Check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "beginning a capture");
  capturing_ = true;
}

std::unique_ptr<Graph> CudaStream::EndCapture(std::unique_ptr<Graph> earlier) {
  TANDEM_CHECK(capturing_, "a capture was begun");
  Use();
  capturing_ = false;
  cudaGraph_t captured = nullptr;
  Check(cudaStreamEndCapture(stream_, &captured), "ending a capture");
  if (earlier && static_cast<CudaGraph&>(*earlier).Update(captured)) {
    cudaGraphDestroy(captured);
  } else {
    earlier = std::make_unique<CudaGraph>(captured);
  }
  Check(cudaGraphUpload(static_cast<const CudaGraph&>(*earlier).get(), stream_),
        "putting a graph on the card");
  return earlier;
}

void CudaStream::Run(const Graph& graph) {
  Use();
  Check(cudaGraphLaunch(static_cast<const CudaGraph&>(graph).get(), stream_), "starting a graph");
}

// To be woken takes longer than many a layer, so it looks for as long as that first, but not without a pause:
// each look takes a lock of the driver that those need who give work to the card. Then the core is given
// back.
void CudaStream::Wait() {
  if (capturing_) throw EnvironmentError("waiting is not permitted while a graph is made");
  Use();
  Check(cudaEventRecord(done_, stream_), "work on the card");
  const Nanos begin = SteadyNow();
  cudaError_t state = cudaEventQuery(done_);
  while (state == cudaErrorNotReady && SteadyNow() - begin < kLookFor) {
    for (const Nanos looked = SteadyNow(); SteadyNow() - looked < kLookEach;) {
    }
    state = cudaEventQuery(done_);
  }
  (void)cudaGetLastError();  // the one that said "not ready"
  if (state == cudaErrorNotReady) state = cudaEventSynchronize(done_);
  Check(state, "work on the card");
}

}  // namespace tandem::gpu
