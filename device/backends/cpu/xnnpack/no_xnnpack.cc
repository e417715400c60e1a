// In place of the other files where XNNPACK is not there.
#include "device/backends/cpu/xnnpack/bytes.h"

namespace tandem {

std::string XnnVersion() { return {}; }
std::unique_ptr<XnnConv> MakeXnnConv(const XnnConvProblem&, const float*, const float*, std::size_t) {
  return nullptr;
}
std::unique_ptr<XnnFloats> MakeXnnMeanPool(const XnnConvProblem&, std::size_t) { return nullptr; }
std::unique_ptr<XnnFloats> MakeXnnMean(std::int64_t, std::int64_t, std::int64_t, std::size_t) {
  return nullptr;
}
std::unique_ptr<XnnBytes> MakeXnnByteConv(const XnnConvProblem&, ByteGrid, ByteGrid, ByteRange,
                                          const ByteWeights&, std::size_t) {
  return nullptr;
}
std::unique_ptr<XnnBytes> MakeXnnByteSum(std::int64_t, ByteGrid, ByteGrid, ByteGrid, ByteRange, std::size_t) {
  return nullptr;
}
std::unique_ptr<XnnBytes> MakeXnnByteMaxPool(const XnnConvProblem&, std::size_t) { return nullptr; }
std::unique_ptr<XnnBytes> MakeXnnByteMean(std::int64_t, std::int64_t, std::int64_t, ByteGrid, ByteGrid,
                                          ByteRange, std::size_t) {
  return nullptr;
}

}  // namespace tandem
