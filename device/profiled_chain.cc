#include "device/profiled_chain.h"

#include <chrono>
#include <utility>

#include "profiles/check.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

Nanos Since(Clock::time_point begin) { return std::chrono::duration_cast<Nanos>(Clock::now() - begin); }

}  // namespace

ProfiledChain::ProfiledChain(Processor& processor, const ModelStore::Entry& entry, const std::string& name,
                             const std::vector<std::vector<LayerId>>& parts, std::uint64_t seed) {
  const Model& model = *entry.model;
  std::vector<Buffer> inputs = RandomInputs(model, seed);
  const std::vector<LayerId> ids = model.Inputs();
  for (std::size_t i = 0; i < ids.size(); ++i) tensors_.emplace(ids[i], std::move(inputs[i]));
  for (const std::vector<LayerId>& part : parts) {
    Link link{SegmentOf(entry.model, entry.weights, name, part), nullptr, {}, {}};
    const auto begin = Clock::now();
    link.executable = processor.Compile(link.spec);
    compile_time_ += Since(begin);
    for (const LayerId id : link.spec.inputs) link.inputs.push_back(TensorOf(model, id));
    for (const LayerId id : link.spec.outputs) link.outputs.push_back(TensorOf(model, id));
    links_.push_back(std::move(link));
  }
  TANDEM_CHECK(!links_.empty(), "a chain has at least one part");
}

float* ProfiledChain::TensorOf(const Model& model, LayerId id) {
  const auto found = tensors_.find(id);
  if (found != tensors_.end()) return found->second.data();
  return tensors_.emplace(id, BufferFor(model, id)).first->second.data();
}

void ProfiledChain::Run(std::span<Nanos> times, CacheSweep* sweep) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    if (sweep) sweep->Run();
    const auto begin = Clock::now();
    link.executable->Run(link.inputs, link.outputs);
    times[i] = Since(begin);
  }
}

void ProfiledChain::RunInside(std::span<Nanos> times) {
  Link& link = links_.front();
  const auto begin = std::chrono::duration_cast<Nanos>(Clock::now().time_since_epoch());
  link.executable->RunTimed(link.inputs, link.outputs, times);
  Nanos before = begin;
  for (Nanos& time : times) time -= std::exchange(before, time);
}

}  // namespace tandem
