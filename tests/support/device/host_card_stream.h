// The parts of the host's card: what its streams do at once or, while a graph is made, note.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/device/host_card.h"

namespace tandem::gpu {

enum HostAlgorithm : int { kImplicit, kPrecomputed, kWinograd, kHuge, kBroken };

struct HostConv final : Conv {
  HostConv(const CardConv& p, const ConvWay& w) : problem(p), way(w) {}
  CardConv problem;
  ConvWay way;
};

// By plain loops, sums in double.
void RunHostConv(const HostConv& conv, const ConvArguments& arguments);
void RunHostGemm(const GemmCall& call);

void SetEvent(Event& event, Nanos at);

class HostStream final : public CardStream {
 public:
  // `part`: of the card, how many there are; what computes there takes so many times as long.
  HostStream(HostCard& card, int urgency, std::shared_ptr<const int> part = nullptr)
      : card_(card), urgency_(urgency), part_(std::move(part)) {}

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
  void SetUrgency(int urgency) override { urgency_ = urgency; }

 private:
  using Work = std::function<void()>;
  void Do(CardCall call, Nanos takes, Work work);
  void Know(std::initializer_list<const void*> addresses) const;  // fails where one is not of the card
  void NotWhileCapturing(const char* what) const;
  template <class Call>
  void Kernel(const Call& call, int (*kernel)(const Call&, void*),
              std::initializer_list<const void*> addresses);

  HostCard& card_;
  int urgency_;
  std::shared_ptr<const int> part_;
  bool capturing_ = false;
  std::vector<Work> noted_;
};

}  // namespace tandem::gpu
