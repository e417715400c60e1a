// Room device/backends/cuda: the seam to a card: all that is asked of one. What is above it needs no CUDA.
//
// All that the backend asks of a card and its libraries. One implementation is the CUDA runtime with cuDNN
// and cuBLAS (card/card.cc); the tests have one that computes on the host (tests/support/device/host_card.h),
// so that whatever is decided above this line is tested where there is no card.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/backends/cuda/kernel_calls.h"
#include "profiles/base/time.h"
#include "profiles/model/attributes.h"
#include "profiles/model/shape.h"

namespace tandem {

// So that problems, which have extents, are ordered.
constexpr std::strong_ordering operator<=>(const Extent& a, const Extent& b) {
  return a.h != b.h ? a.h <=> b.h : a.w <=> b.w;
}

}  // namespace tandem

namespace tandem::gpu {

enum class Format : std::uint8_t { kNchw, kNhwc };

// May products be rounded on their way into tensor cores? kExact: sums and products of fp32 throughout.
enum class Math : std::uint8_t { kExact, kTf32, kHalf };

struct CardConv {
  bool transposed = false;  // deconv
  std::int64_t n = 1, in_c = 1, in_h = 1, in_w = 1, out_c = 1, out_h = 1, out_w = 1;
  Extent kernel, stride, dilation;
  std::int64_t pad_h = 0, pad_w = 0;  // the same on both sides
  std::int64_t groups = 1;
  Element element = Element::kFloat;
  Format format = Format::kNchw;  // of tensors and weights: (out, in / groups, h, w) or (out, h, w, in /
                                  // groups); transposed: (in, out / groups, h, w) or (in, h, w, out / groups)
  Math math = Math::kExact;
  // Done by the same call, where the way can: y = relu(conv + bias + added).
  bool bias = false, added = false, relu = false;
  friend auto operator<=>(const CardConv&, const CardConv&) = default;
};

struct ConvWay {
  int algorithm = 0;
  std::size_t workspace = 0;  // bytes
  std::string name;           // "implicit_precomp_gemm"
};

struct ConvArguments {
  const void *x = nullptr, *weight = nullptr, *added = nullptr;
  const void* bias = nullptr;  // in the element of the tensors
  void *y = nullptr, *workspace = nullptr;
};

// c = a * b, row-major, `batch` of them at the strides. Elements of all three are the same, sums in float.
struct GemmCall {
  Element element = Element::kFloat;
  Math math = Math::kExact;
  bool transpose_a = false, transpose_b = false;  // as they lie: a is (k, m), b is (n, k)
  std::int64_t m = 1, n = 1, k = 1, batch = 1;
  std::int64_t a_stride = 0, b_stride = 0, c_stride = 0;
  const void *a = nullptr, *b = nullptr;
  void* c = nullptr;
};

// Handles are freed by whoever has them.
class Event {
 public:
  virtual ~Event() = default;
  virtual bool Passed() = 0;
  virtual Nanos Since(const Event& earlier) = 0;  // both have passed
};

class Graph {
 public:
  virtual ~Graph() = default;
};

class Conv {
 public:
  virtual ~Conv() = default;
};

// Work is done in the order in which it is given. Failures throw EnvironmentError, with what failed.
class CardStream {
 public:
  virtual ~CardStream() = default;

  // Any two of: the card's memory, pinned memory, plain host memory. Asynchronous but for the last.
  virtual void Copy(void* to, const void* from, std::size_t bytes) = 0;
  virtual void CopyRows(void* to, const void* from, std::size_t rows, std::size_t row_bytes,
                        std::size_t stride_bytes) = 0;  // the same stride on both sides
  virtual void Fill(void* to, std::size_t bytes) = 0;   // with zeros

  virtual void Run(const Conv& conv, const ConvArguments& arguments) = 0;
  virtual void Run(const GemmCall& call) = 0;
  virtual void Run(const ChannelCall& call) = 0;
  virtual void Run(const BinaryCall& call) = 0;
  virtual void Run(const GatherCall& call) = 0;
  virtual void Run(const ResizeCall& call) = 0;
  virtual void Run(const PoolCall& call) = 0;
  virtual void Run(const LrnCall& call) = 0;
  virtual void Run(const RowsCall& call) = 0;
  virtual void Run(const MeanCall& call) = 0;
  virtual void Run(const DepthwiseCall& call) = 0;
  virtual void Run(const MatvecCall& call) = 0;
  virtual void Run(const BurnCall& call) = 0;

  virtual void Record(Event& event) = 0;
  // What is given between these two is not done but noted. Copies from and to plain host memory cannot be.
  virtual void BeginCapture() = 0;
  // `earlier`, if any, is no longer needed: it may be changed into the new one.
  virtual std::unique_ptr<Graph> EndCapture(std::unique_ptr<Graph> earlier) = 0;
  virtual void Run(const Graph& graph) = 0;

  virtual void Wait() = 0;  // until all is done: looks for a little while, then sleeps

  // Of what is given from now on, as MakeStream has it. All that was given before is done.
  virtual void SetUrgency(int urgency) = 0;
};

enum class Space : std::uint8_t { kCard, kPinned, kManaged };

struct CardInfo {
  std::string name;
  std::string library;       // whose ways it has, with its version: "cuDNN 9.19.0"
  std::string driver;        // "580.65.06"
  int major = 0, minor = 0;  // compute capability
  std::int64_t memory_bytes = 0;
  int multiprocessors = 0;
  bool integrated = false;  // works from the board's memory
  Nanos warm_after{0};      // so much work raises its clocks
};

// What the card's memory has free by its own word, and the least since that was last asked.
struct CardRoom {
  std::int64_t free_bytes = 0, least_bytes = 0;
};

class Card {
 public:
  virtual ~Card() = default;
  virtual const CardInfo& info() const = 0;
  virtual std::int64_t FreeBytes() = 0;
  // The same, and the least since the last call, as it was after memory of some size was taken.
  virtual CardRoom Room() {
    const std::int64_t free = FreeBytes();
    return {free, free};
  }

  // Throws std::bad_alloc where there is no room. kPinned and kManaged: the host reads it too, at the same
  // address. kManaged never more than the card has free.
  virtual void* Allocate(Space space, std::size_t bytes) = 0;
  virtual void Free(Space space, void* at) noexcept = 0;

  // `urgency` 0 is the most urgent, larger ones less, as far as the card knows them apart.
  virtual std::unique_ptr<CardStream> MakeStream(int urgency) = 0;
  // The same on that one, from 0, of so many equal parts of its multiprocessors: what runs on a part takes
  // none of another's. Throws EnvironmentError where it has no such parts.
  virtual std::unique_ptr<CardStream> MakePartStream(int parts, int part, int urgency) = 0;
  virtual std::unique_ptr<Event> MakeEvent() = 0;

  // The ways to compute it that work within the workspace (bytes), the likely fastest first, `most` of them
  // at most; empty: none.
  virtual std::vector<ConvWay> ConvWays(const CardConv& problem, std::size_t most_workspace,
                                        std::size_t most) = 0;
  virtual std::unique_ptr<Conv> MakeConv(const CardConv& problem, const ConvWay& way) = 0;
};

// Card `device` of this machine; the same object for the life of the program, used from any thread, one
// stream by one thread at a time. Throws EnvironmentError where it cannot be had.
Card& RealCard(int device);

}  // namespace tandem::gpu
