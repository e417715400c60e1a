#include "device/processor/kernel_store.h"

#include <system_error>
#include <utility>

#include "profiles/base/files.h"

namespace tandem {

KernelStore::KernelStore(std::filesystem::path file) : file_(std::move(file)) {
  std::error_code error;
  if (!file_.empty() && std::filesystem::exists(file_, error)) profile_ = ReadProfileFile(file_);
}

void KernelStore::Write(const std::string& platform) {
  if (file_.empty() || profile_.kernels.empty()) return;
  if (profile_.platform.empty()) {
    profile_.platform = platform;
    profile_.origin.kind = OriginKind::kEstimated;
    profile_.origin.method = "kernels that were chosen by trials; no times";
  }
  WriteFile(file_, ProfileJson(profile_));
}

}  // namespace tandem
