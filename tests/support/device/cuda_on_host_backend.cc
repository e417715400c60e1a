#include "tests/support/device/cuda_on_host_backend.h"

#include "device/backends/cuda/gpu/processor.h"

namespace tandem {
namespace {

class CudaOnHostBackend final : public DeviceBackend {
 public:
  CudaOnHostBackend(std::string name, std::string precision, gpu::GpuOptions options)
      : name_("cuda_on_host_" + std::move(name)), precision_(std::move(precision)), options_(options) {}

  const BackendDeclaration& about() const override { return about_; }
  BackendState Look(const HostInfo&, Platform& platform) const override {
    platform.units.emplace_back();
    return {};
  }
  std::unique_ptr<Processor> Open(const OpenRequest& request) const override {
    const std::string& unit = request.platform->unit(request.unit).name;
    return gpu::OpenGpu(card_, unit, {"", precision_}, options_);
  }

 private:
  std::string name_, precision_;
  BackendDeclaration about_{.name = name_, .precisions = {precision_}};
  gpu::GpuOptions options_;
  mutable gpu::HostCard card_{name_};
};

}  // namespace

std::vector<const DeviceBackend*> CudaOnHostBackends() {
  using gpu::Format;
  static const CudaOnHostBackend nchw("nchw", "fp32", {Format::kNchw, false, 1, 1});
  static const CudaOnHostBackend nhwc("nhwc_graph", "fp32", {Format::kNhwc, true, 1, 1});
  static const CudaOnHostBackend half("half_nchw_graph", "fp16", {Format::kNchw, true, 1, 1});
  static const CudaOnHostBackend half_last("half_nhwc", "fp16", {Format::kNhwc, false, 1, 1});
  return {&nchw, &nhwc, &half, &half_last};
}

}  // namespace tandem
