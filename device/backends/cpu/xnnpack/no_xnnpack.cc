// In place of the other files where XNNPACK is not there.
#include "device/backends/cpu/xnnpack/bytes.h"

namespace tandem {

struct XnnThreads::Pool {};
XnnThreads::XnnThreads(const std::vector<std::int64_t>&) {}
XnnThreads::~XnnThreads() = default;
void XnnThreads::Release::operator()(Pool* pool) const { delete pool; }

std::string XnnVersion() { return {}; }
std::unique_ptr<XnnConv> MakeXnnConv(const XnnConvProblem&, const float*, const float*, const XnnThreads&) {
  return nullptr;
}
std::unique_ptr<XnnBytes> MakeXnnByteConv(const XnnConvProblem&, ByteGrid, ByteGrid, ByteRange, const float*,
                                          const std::int8_t*, const std::int32_t*, const XnnThreads&) {
  return nullptr;
}
std::unique_ptr<XnnBytes> MakeXnnByteSum(std::int64_t, ByteGrid, ByteGrid, ByteGrid, ByteRange,
                                         const XnnThreads&) {
  return nullptr;
}
std::unique_ptr<XnnBytes> MakeXnnByteMaxPool(const XnnConvProblem&, const XnnThreads&) { return nullptr; }
std::unique_ptr<XnnBytes> MakeXnnByteMean(std::int64_t, std::int64_t, std::int64_t, ByteGrid, ByteGrid,
                                          ByteRange, const XnnThreads&) {
  return nullptr;
}

}  // namespace tandem
