// An operator of XNNPACK's and where its packed weights lie.
#pragma once

#include <pthreadpool.h>
#include <xnnpack.h>

#include <cstdint>
#include <vector>

#include "device/backends/cpu/xnnpack/conv.h"

namespace tandem {

struct XnnThreads::Pool {
  pthreadpool_t threads = nullptr;
};

bool XnnIsReady();
// Throws where the library did not do it.
void CheckXnn(xnn_status status);
inline pthreadpool_t PoolOf(const XnnThreads& threads) {
  return threads.pool() ? threads.pool()->threads : nullptr;
}

class XnnOperator {
 public:
  XnnOperator() = default;
  ~XnnOperator();
  XnnOperator(const XnnOperator&) = delete;
  XnnOperator& operator=(const XnnOperator&) = delete;

  // `create` is one of the library's functions; false where it has none for what is asked.
  template <class Create>
  bool Make(Create create) {
    const Noting noting(packed_);
    return create(&operator_) == xnn_status_success;
  }
  xnn_operator_t get() const { return operator_; }
  const std::vector<XnnConv::Piece>& packed() const { return packed_; }
  std::int64_t Bytes() const;

 private:
  struct Noting {  // what is allocated on this thread meanwhile is this operator's
    explicit Noting(std::vector<XnnConv::Piece>& pieces);
    ~Noting();
  };

  xnn_operator_t operator_ = nullptr;
  std::vector<XnnConv::Piece> packed_;
};

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
