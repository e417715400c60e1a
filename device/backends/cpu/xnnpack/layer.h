// A layer by XNNPACK, and those that have no weights, on floats: channels side by side, image, row, column,
// channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "device/backends/cpu/xnnpack/conv.h"

namespace tandem {

// One at a time runs it; all in lines that may be read 16 bytes beyond their end.
template <class T>
class XnnLayer {
 public:
  virtual ~XnnLayer() = default;
  // `b` is for those of two operands.
  virtual void Run(const T* a, const T* b, T* to) = 0;
  virtual std::int64_t Bytes() const = 0;  // of packed weights
};
using XnnFloats = XnnLayer<float>;

// Null where XNNPACK has none for what is asked. So many of OpenMP's threads share the work. The problem's
// images, channels, window and padding alone, which never counts. (Its greatest of a window depends on where
// in it a value lies that is no number, so that there is none here.)
std::unique_ptr<XnnFloats> MakeXnnMeanPool(const XnnConvProblem& problem, std::size_t threads);
// Of all positions of an image.
std::unique_ptr<XnnFloats> MakeXnnMean(std::int64_t images, std::int64_t positions, std::int64_t channels,
                                       std::size_t threads);

}  // namespace tandem
