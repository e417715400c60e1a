// In place of conv.cc where XNNPACK is not there.
#include "device/backends/cpu/xnnpack/conv.h"

namespace tandem {

struct XnnThreads::Pool {};
XnnThreads::XnnThreads(const std::vector<std::int64_t>&) {}
XnnThreads::~XnnThreads() = default;
void XnnThreads::Release::operator()(Pool* pool) const { delete pool; }

std::string XnnVersion() { return {}; }
std::unique_ptr<XnnConv> MakeXnnConv(const XnnConvProblem&, const float*, const float*, const XnnThreads&) {
  return nullptr;
}

}  // namespace tandem
