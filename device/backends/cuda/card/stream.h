// A stream of the CUDA runtime with what the libraries keep for it, and the events and graphs that go with
// it.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>

#include "device/backends/cuda/card.h"
#include "device/backends/cuda/card/parts.h"
#include "device/backends/cuda/libraries/cublas_handle.h"
#include "device/backends/cuda/libraries/cudnn_conv.h"

namespace tandem::gpu {

class CudaEvent final : public Event {
 public:
  explicit CudaEvent(int device);
  ~CudaEvent() override;
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  bool Passed() override;
  Nanos Since(const Event& earlier) override;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

class CudaGraph final : public Graph {
 public:
  explicit CudaGraph(cudaGraph_t captured);
  ~CudaGraph() override;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  cudaGraphExec_t get() const { return graph_; }
  bool Update(cudaGraph_t captured);  // false: more than addresses is different

 private:
  cudaGraphExec_t graph_ = nullptr;
};

// As the runtime counts priorities: the least urgent has the greatest number.
struct PriorityRange {
  int least = 0, most = 0;
};
// The runtime's priority of an urgency; pure.
int PriorityOf(int urgency, const PriorityRange& range);

// One of the runtime's streams for each urgency that it has had; what the libraries keep is of all of them.
class CudaStream final : public CardStream {
 public:
  // `part`: of the card; none: all of it.
  CudaStream(int device, const PriorityRange& range, int urgency,
             std::shared_ptr<const PartStreams> part = nullptr);
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  void Copy(void* to, const void* from, std::size_t bytes) override;
  void CopyRows(void* to, const void* from, std::size_t rows, std::size_t row_bytes,
                std::size_t stride_bytes) override;
  void Fill(void* to, std::size_t bytes) override;

  void Run(const Conv& conv, const ConvArguments& arguments) override;
  void Run(const GemmCall& call) override;
  void Run(const ChannelCall& call) override;
  void Run(const BinaryCall& call) override;
  void Run(const GatherCall& call) override;
  void Run(const ResizeCall& call) override;
  void Run(const PoolCall& call) override;
  void Run(const LrnCall& call) override;
  void Run(const RowsCall& call) override;
  void Run(const MeanCall& call) override;
  void Run(const DepthwiseCall& call) override;
  void Run(const MatvecCall& call) override;
  void Run(const BurnCall& call) override;

  void Record(Event& event) override;
  void BeginCapture() override;
  std::unique_ptr<Graph> EndCapture(std::unique_ptr<Graph> earlier) override;
  void Run(const Graph& graph) override;
  void Wait() override;
  void SetUrgency(int urgency) override;

  // Made when they are first needed: streams that only copy do without.
  const CudnnHandle& cudnn();
  const CublasHandle& cublas();

 private:
  void Use() const;  // makes the card the current one of this thread
  cudaStream_t StreamOf(int priority);
  template <class Call>
  void Launch(int (*kernel)(const Call&, void*), const Call& call, const char* what);

  int device_;
  PriorityRange range_;
  std::shared_ptr<const PartStreams> part_;
  std::map<int, cudaStream_t> streams_;  // by priority
  cudaStream_t stream_ = nullptr;        // that of now
  cudaEvent_t done_ = nullptr;  // of all that was given before a wait; whoever waits for it may sleep
  bool capturing_ = false;
  std::unique_ptr<CudnnHandle> cudnn_;
  std::unique_ptr<CublasHandle> cublas_;
};

}  // namespace tandem::gpu
