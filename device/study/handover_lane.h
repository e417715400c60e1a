// One unit that takes images in one mode. Everything but the constructor's own work runs on its thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/processor/model_store.h"
#include "device/study/handover.h"
#include "device/threads/unit_thread.h"

namespace tandem {

class HandoverLane {
 public:
  // `mode` nothing: the unit works from the host's memory. What cannot be done is in why_not(). Takes the
  // kernels that are known, and adds those that it chooses.
  HandoverLane(UnitThread& thread, const Unit& unit, std::optional<HandoverMode> mode,
               const ModelStore::Entry& entry, const HandoverRequest& request,
               std::vector<KernelEntry>& kernels);
  ~HandoverLane();
  HandoverLane(const HandoverLane&) = delete;
  HandoverLane& operator=(const HandoverLane&) = delete;

  const Unit& unit() const { return *unit_; }
  std::optional<HandoverMode> mode() const { return mode_; }
  const std::string& why_not() const { return why_not_; }
  UnitThread& thread() { return *thread_; }

  Nanos OneImage(Processor& processor);

 private:
  void Prepare(Processor& processor, const ModelStore::Entry& entry, const std::string& name,
               std::vector<KernelEntry>& kernels);
  bool Copies() const { return mode_ == HandoverMode::kCopy || mode_ == HandoverMode::kPageable; }
  TensorMemory* HostSide(Processor& processor) const;

  UnitThread* thread_;
  const Unit* unit_;
  std::optional<HandoverMode> mode_;
  std::string why_not_;
  std::vector<std::vector<Buffer>> images_;  // by image, by input
  std::size_t next_ = 0;
  std::unique_ptr<Executable> executable_;
  std::vector<Buffer> host_in_, host_out_;  // what the application writes and reads
  std::vector<Buffer> own_in_, own_out_;    // where copies go
  std::vector<Buffer> results_;
  std::vector<const float*> reads_;
  std::vector<float*> writes_;
};

}  // namespace tandem
