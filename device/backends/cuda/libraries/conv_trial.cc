#include "device/backends/cuda/libraries/conv_trial.h"

#include <algorithm>
#include <new>
#include <utility>

#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

constexpr std::size_t kTrialAlignment = 256;

// One piece of the card's memory for all that a convolution reads and writes.
class TrialMemory {
 public:
  TrialMemory(Card& card, const CardConv& problem, std::size_t workspace) : card_(card) {
    const std::size_t element = problem.element == Element::kHalf ? 2 : 4;
    const auto bytes = [&](std::int64_t elements) { return static_cast<std::size_t>(elements) * element; };
    const std::int64_t channels = problem.in_c * problem.out_c / problem.groups;
    const std::size_t x = bytes(problem.n * problem.in_c * problem.in_h * problem.in_w);
    const std::size_t y = bytes(problem.n * problem.out_c * problem.out_h * problem.out_w);
    const std::size_t weight = bytes(channels * problem.kernel.h * problem.kernel.w);
    const std::size_t all[] = {x, weight, y, bytes(problem.out_c), y, workspace};
    for (const std::size_t part : all)
      size_ += (part + kTrialAlignment - 1) / kTrialAlignment * kTrialAlignment;
    begin_ = static_cast<char*>(card.Allocate(Space::kCard, size_));
    char* at = begin_;
    const auto next = [&](std::size_t part) {
      return std::exchange(at, at + (part + kTrialAlignment - 1) / kTrialAlignment * kTrialAlignment);
    };
    arguments_.x = next(x);
    arguments_.weight = next(weight);
    arguments_.added = next(y);
    arguments_.bias = next(bytes(problem.out_c));
    arguments_.y = next(y);
    arguments_.workspace = workspace == 0 ? nullptr : next(workspace);
  }
  ~TrialMemory() { card_.Free(Space::kCard, begin_); }
  TrialMemory(const TrialMemory&) = delete;
  TrialMemory& operator=(const TrialMemory&) = delete;

  void Clear(CardStream& stream) const { stream.Fill(begin_, size_); }
  const ConvArguments& arguments() const { return arguments_; }

 private:
  Card& card_;
  std::size_t size_ = 0;
  char* begin_ = nullptr;
  ConvArguments arguments_;
};

bool Runs(CardStream& stream, const ConvWay& way, const MakeWay& make, const TrialMemory& memory) {
  bool given = false;
  try {
    const std::unique_ptr<Conv> conv = make(way);
    stream.Run(*conv, memory.arguments());
    given = true;
  } catch (const EnvironmentError&) {
  } catch (const std::bad_alloc&) {
  }
  stream.Wait();  // throws where it was the card that failed
  return given;
}

}  // namespace

std::vector<ConvWay> WaysThatRun(Card& card, CardStream& stream, const CardConv& problem,
                                 const std::vector<ConvWay>& ways, std::size_t most, const MakeWay& make) {
  if (ways.empty()) return {};
  std::size_t workspace = 0;
  for (const ConvWay& way : ways) workspace = std::max(workspace, way.workspace);
  const TrialMemory memory(card, problem, workspace);
  memory.Clear(stream);
  std::vector<ConvWay> running;
  for (const ConvWay& way : ways) {
    if (running.size() == most) break;
    if (Runs(stream, way, make, memory)) running.push_back(way);
  }
  return running;
}

}  // namespace tandem::gpu
