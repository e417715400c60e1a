// An operator of XNNPACK's, in shares that threads run side by side, and where its packed weights lie.
//
// The library's own threads would wait on the cores where OpenMP's already do, and each wait of one keeps the
// other from its core until the system's clock ticks. So every share is an operator by itself, of some of the
// channels, and OpenMP's threads run one each.
#pragma once

#include <xnnpack.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "device/backends/cpu/xnnpack/conv.h"
#include "device/backends/cpu/xnnpack/layer.h"

namespace tandem {

bool XnnIsReady();
// Throws where the library did not do it.
void CheckXnn(xnn_status status);

class XnnOperator {
 public:
  XnnOperator() = default;
  ~XnnOperator();
  XnnOperator(const XnnOperator&) = delete;
  XnnOperator& operator=(const XnnOperator&) = delete;

  // `create` is one of the library's functions; false where it has none for what is asked.
  template <class Create>
  bool Make(std::vector<XnnConv::Piece>& packed, Create create) {
    const Noting noting(packed);
    return create(&operator_) == xnn_status_success;
  }
  xnn_operator_t get() const { return operator_; }
  // Memory that is its own to work with, until it asks for more.
  void* Workspace(std::size_t bytes, std::size_t alignment);

 private:
  struct Noting {  // what is allocated on this thread meanwhile is this operator's
    explicit Noting(std::vector<XnnConv::Piece>& pieces);
    ~Noting();
  };

  xnn_operator_t operator_ = nullptr;
  std::vector<char> workspace_;
};

// How `count` things are shared, each of so much work (multiplications, or numbers): a share is a whole
// number of `grain`, but the last one.
struct XnnSharing {
  std::int64_t count = 1, grain = 1;
  double work = 0;
  std::size_t threads = 1;
};

class XnnShares {
 public:
  struct Range {
    std::int64_t begin = 0, end = 0;
    std::int64_t size() const { return end - begin; }
  };

  // create(range, xnn_operator_t*) makes one of them; false where the library has none for what is asked.
  template <class Create>
  bool Make(const XnnSharing& sharing, const Create& create) {
    for (const Range range : RangesOf(sharing)) {
      Share& share = shares_.emplace_back();
      share.range = range;
      if (!share.made.Make(packed_, [&](xnn_operator_t* made) { return create(range, made); })) return false;
    }
    return true;
  }
  // set_up(range, operator) tells each where its tensors lie.
  template <class SetUp>
  void ForEach(const SetUp& set_up) {
    for (Share& share : shares_) CheckXnn(set_up(share.range, share.made));
  }
  void Run() const;
  const std::vector<XnnConv::Piece>& packed() const { return packed_; }
  std::int64_t Bytes() const;

 private:
  struct Share {
    Range range;
    XnnOperator made;
  };
  static std::vector<Range> RangesOf(const XnnSharing& sharing);

  std::deque<Share> shares_;
  std::vector<XnnConv::Piece> packed_;
};

// A layer whose shares' tensors begin at some distance into the whole ones.
template <class T>
class LayerOperator final : public XnnLayer<T> {
 public:
  // Tells the library where the tensors of a share lie, whose whole ones begin as `a`, `b` and `to` do.
  using SetUp = std::function<xnn_status(XnnOperator&, XnnShares::Range, const T* a, const T* b, T* to)>;

  // Null where the library has none.
  template <class Create>
  static std::unique_ptr<XnnLayer<T>> Made(const XnnSharing& sharing, const Create& create, SetUp set_up) {
    if (!XnnIsReady()) return nullptr;
    std::unique_ptr<LayerOperator> made(new LayerOperator(std::move(set_up)));
    if (!made->shares_.Make(sharing, create)) return nullptr;
    return made;
  }

  void Run(const T* a, const T* b, T* to) override {
    if (a != a_ || b != b_ || to != to_) {
      shares_.ForEach([&](XnnShares::Range range, XnnOperator& of) { return set_up_(of, range, a, b, to); });
      a_ = a;
      b_ = b;
      to_ = to;
    }
    shares_.Run();
  }
  std::int64_t Bytes() const override { return shares_.Bytes(); }

 private:
  explicit LayerOperator(SetUp set_up) : set_up_(std::move(set_up)) {}

  SetUp set_up_;
  XnnShares shares_;
  const T *a_ = nullptr, *b_ = nullptr;
  T* to_ = nullptr;
};

// What of a convolution one share does: some of its outputs, or of its groups where there are several.
struct XnnConvShare {
  std::int64_t groups = 1, outputs = 0;            // of each group
  std::int64_t first_input = 0, first_output = 0;  // channels
  std::int64_t first_weight = 0;                   // in XnnOrder
};
XnnSharing SharingOf(const XnnConvProblem& problem, std::size_t threads);
XnnConvShare ShareOf(const XnnConvProblem& problem, XnnShares::Range range);

// From output, input, row, column (of a transposed one input, output, ...) to group, output, row, column,
// input.
template <class T>
std::vector<T> XnnOrder(const XnnConvProblem& p, const T* weights) {
  const auto inputs = static_cast<std::size_t>(p.in_channels / p.groups),
             outputs = static_cast<std::size_t>(p.out_channels / p.groups),
             window = static_cast<std::size_t>(p.kernel_height * p.kernel_width);
  std::vector<T> ordered(static_cast<std::size_t>(p.groups) * inputs * outputs * window);
  T* to = ordered.data();
  for (std::int64_t group = 0; group < p.groups; ++group) {
    const T* const of_group = weights + static_cast<std::size_t>(group) * inputs * outputs * window;
    for (std::size_t o = 0; o < outputs; ++o) {
      for (std::size_t w = 0; w < window; ++w) {
        for (std::size_t i = 0; i < inputs; ++i) {
          const std::size_t at = p.transposed ? i * outputs + o : o * inputs + i;
          *to++ = of_group[at * window + w];
        }
      }
    }
  }
  return ordered;
}

inline std::uint32_t XnnNumber(std::int64_t value) { return static_cast<std::uint32_t>(value); }
inline std::size_t XnnCount(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace tandem
