#include "device/study/handover_lane.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "device/processor/kernel_entries.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kImages = 4;  // different ones, in turns

void CopyValues(const Buffer& from, Buffer& to) {
  std::copy(from.values().begin(), from.values().end(), to.values().begin());
}

}  // namespace

HandoverLane::HandoverLane(UnitThread& thread, const Unit& unit, std::optional<HandoverMode> mode,
                           const ModelStore::Entry& entry, const HandoverRequest& request,
                           std::vector<KernelEntry>& kernels)
    : thread_(&thread), unit_(&unit), mode_(mode) {
  for (std::uint64_t image = 0; image < kImages; ++image) {
    images_.push_back(RandomInputs(*entry.model, request.seed + image));
  }
  try {
    thread.Do([&](Processor& processor) { Prepare(processor, entry, request.model, kernels); });
  } catch (const EnvironmentError& error) {
    why_not_ = error.what();
  } catch (const std::bad_alloc&) {
    why_not_ = "there is not enough memory";
  }
}

HandoverLane::~HandoverLane() {
  thread_->Do([&](Processor&) {
    executable_.reset();
    for (auto* buffers : {&host_in_, &host_out_, &own_in_, &own_out_}) buffers->clear();
  });
}

TensorMemory* HandoverLane::HostSide(Processor& processor) const {
  if (!mode_ || mode_ == HandoverMode::kPageable) return &HostMemory();
  return mode_ == HandoverMode::kManaged ? processor.managed_memory() : &processor.host_memory();
}

void HandoverLane::Prepare(Processor& processor, const ModelStore::Entry& entry, const std::string& name,
                           std::vector<KernelEntry>& kernels) {
  TensorMemory* const host = HostSide(processor);
  if (!host) {
    why_not_ = "the unit has no managed memory";
    return;
  }
  if (mode_ == HandoverMode::kZeroCopy && host == &HostMemory()) {
    why_not_ = "the unit does not read the host's memory";
    return;
  }
  const SegmentSpec spec = WholeSegment(entry.model, entry.weights, name);
  KernelEntry of = KernelsOf(spec, unit_->name, {}, processor);
  of.model = ModelKey(of.model, {});
  executable_ = processor.Compile(WithKept(spec, of, {}, kernels));
  KeepKernels(of, {}, executable_->Kernels(), kernels);
  const Model& model = *entry.model;
  for (const LayerId id : model.Inputs()) {
    host_in_.push_back(BufferFor(model, id, *host));
    if (Copies()) own_in_.push_back(BufferFor(model, id, processor.memory()));
  }
  for (const LayerId id : spec.outputs) {
    host_out_.push_back(BufferFor(model, id, *host));
    results_.push_back(BufferFor(model, id));
    if (Copies()) own_out_.push_back(BufferFor(model, id, processor.memory()));
    writes_.push_back((Copies() ? own_out_ : host_out_).back().data());
  }
  const std::vector<LayerId> inputs = model.Inputs();
  for (const LayerId id : spec.inputs) {
    const auto at = static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), id) - inputs.begin());
    reads_.push_back((Copies() ? own_in_ : host_in_)[at].data());
  }
}

Nanos HandoverLane::OneImage(Processor& processor) {
  const std::vector<Buffer>& image = images_[next_++ % images_.size()];
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < image.size(); ++i) CopyValues(image[i], host_in_[i]);
  for (std::size_t i = 0; i < own_in_.size(); ++i) {
    processor.Copy(own_in_[i].data(), host_in_[i].data(), WholeBlock(host_in_[i].size()));
  }
  executable_->Run(reads_, writes_);
  for (std::size_t i = 0; i < own_out_.size(); ++i) {
    processor.Copy(host_out_[i].data(), own_out_[i].data(), WholeBlock(host_out_[i].size()));
  }
  for (std::size_t i = 0; i < results_.size(); ++i) CopyValues(host_out_[i], results_[i]);
  return std::chrono::duration_cast<Nanos>(Clock::now() - begin);
}

}  // namespace tandem
