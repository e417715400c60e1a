#include "device/threads/unit_thread.h"

#include <utility>

namespace tandem {

UnitThread::UnitThread(const DeviceBackend& backend, OpenRequest request) {
  thread_.Do([&] { processor_ = backend.Open(request); });
}

UnitThread::~UnitThread() {
  try {
    thread_.Wait();
  } catch (...) {
    // Nobody asked how the last job ended.
  }
  thread_.Do([this] { processor_.reset(); });
}

void UnitThread::Do(const std::function<void(Processor&)>& job) {
  thread_.Do([&] { job(*processor_); });
}

void UnitThread::Begin(std::function<void(Processor&)> job) {
  thread_.Begin([this, job = std::move(job)] { job(*processor_); });
}

}  // namespace tandem
