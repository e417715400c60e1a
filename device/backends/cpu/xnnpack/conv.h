// Room device/backends/cpu/xnnpack: operators of XNNPACK. The only room that knows it; built without it, it
// has none.
//
// Convolutions between tensors whose channels lie side by side: image, row, column, channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace tandem {

struct XnnConvProblem {
  bool transposed = false;
  std::int64_t images = 1, in_height = 0, in_width = 0;
  std::int64_t groups = 1, in_channels = 0, out_channels = 0;  // of all groups
  std::int64_t kernel_height = 1, kernel_width = 1, stride_height = 1, stride_width = 1;
  std::int64_t dilation_height = 1, dilation_width = 1;
  std::int64_t top = 0, left = 0, bottom = 0, right = 0;  // padding, of what a transposed one makes
  std::int64_t adjust_height = 0, adjust_width = 0;       // of a transposed one: so much larger is its output
  float low = -std::numeric_limits<float>::infinity();    // what is less or more becomes that
  float high = std::numeric_limits<float>::infinity();
};
// Of what it makes, where it is not transposed.
std::int64_t OutHeight(const XnnConvProblem& problem);
std::int64_t OutWidth(const XnnConvProblem& problem);

// A convolution with its weights, packed. One at a time runs it.
class XnnConv {
 public:
  virtual ~XnnConv() = default;
  // Both in lines that may be read 16 bytes beyond their end.
  virtual void Run(const float* from, float* to) = 0;
  virtual std::int64_t Bytes() const = 0;
  // Where the packed weights lie; one piece each.
  struct Piece {
    const void* data = nullptr;
    std::size_t bytes = 0;
  };
  virtual const std::vector<Piece>& Packed() const = 0;
};

// "0.0~git20220216"; empty: built without it, or it cannot run on this processor.
std::string XnnVersion();

// Null where it has no such convolution. `weights` as models have them: output, input of the group, row,
// column; of a transposed one input, output of the group, row, column. `bias` may be null. So many of
// OpenMP's threads share its work.
std::unique_ptr<XnnConv> MakeXnnConv(const XnnConvProblem& problem, const float* weights, const float* bias,
                                     std::size_t threads);

}  // namespace tandem
