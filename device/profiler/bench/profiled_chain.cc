#include "device/profiler/bench/profiled_chain.h"

#include <algorithm>
#include <utility>

#include "device/host/clock.h"
#include "device/host/taken_time.h"
#include "profiles/base/check.h"

namespace tandem {

ProfiledChain::ProfiledChain(Processor& processor, TensorMemory& memory, const ModelStore::Entry& entry,
                             const std::string& name, const std::vector<std::vector<LayerId>>& parts,
                             std::uint64_t seed, const CompileSegment& compile)
    : processor_(&processor), model_(entry.model.get()), seed_(seed), memory_(&memory) {
  for (const std::vector<LayerId>& part : parts) {
    Link link{SegmentOf(entry.model, entry.weights, name, part), nullptr};
    auto begin = SteadyNow();
    link.executable = compile(link.spec);
    if (parts.size() == 1 &&
        link.executable->Kernels().anew) {  // who loads a model later takes what was chosen
      link.executable.reset();
      begin = SteadyNow();
      link.executable = compile(link.spec);
    }
    compile_time_ += SteadyNow() - begin;
    link.spec.weights = nullptr;  // the executable has what it needs of them
    bytes_ += link.executable->Bytes();
    links_.push_back(std::move(link));
  }
  TANDEM_CHECK(!links_.empty(), "a chain has at least one part");
  own_ = PlaceIn(memory);
  for (const auto& [id, tensor] : own_.tensors)
    bytes_ += static_cast<std::int64_t>(tensor.size() * sizeof(float));
}

ProfiledChain::Place ProfiledChain::PlaceIn(TensorMemory& memory) {
  Place place;
  const auto at = [&](LayerId id) {
    const auto [found, fresh] = place.tensors.try_emplace(id);
    if (fresh) found->second = BufferFor(*model_, id, memory);
    return found->second.data();
  };
  const std::vector<Buffer> inputs = RandomInputs(*model_, seed_, processor_->host_memory());
  const std::vector<LayerId> ids = model_->Inputs();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    processor_->Copy(at(ids[i]), inputs[i].data(), WholeBlock(inputs[i].size()));
  }
  for (const Link& link : links_) {
    auto& reads = place.inputs.emplace_back();
    auto& writes = place.outputs.emplace_back();
    for (const LayerId id : link.spec.inputs) reads.push_back(at(id));
    for (const LayerId id : link.spec.outputs) writes.push_back(at(id));
  }
  return place;
}

void ProfiledChain::RunIn(Place& place, std::span<Nanos> times, CacheSweep* sweep, TimedBy timed_by) {
  const bool own = timed_by == TimedBy::kOwn;
  Nanos cpu = own ? ThreadTimeNow() : Nanos{0};
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Executable& executable = *links_[i].executable;
    if (sweep) sweep->Run();
    if (sweep && own) cpu = ThreadTimeNow();
    const auto begin = SteadyNow();
    executable.Run(place.inputs[i], place.outputs[i]);
    times[i] = SteadyNow() - begin;
    if (!own) continue;
    const Nanos before = std::exchange(cpu, ThreadTimeNow());
    times[i] = OwnTime(times[i], cpu - before);
  }
}

void ProfiledChain::Run(std::span<Nanos> times, CacheSweep* sweep, TimedBy timed_by) {
  RunIn(own_, times, sweep, timed_by);
}

void ProfiledChain::RunMapped(std::span<Nanos> times) {
  if (!mapped_) mapped_ = PlaceIn(processor_->host_memory());
  RunIn(*mapped_, times, nullptr, TimedBy::kWall);
}

void ProfiledChain::RunRepeated(std::size_t stretch, std::span<Repeat> repeats, TimedBy timed_by) {
  const bool own = timed_by == TimedBy::kOwn;
  while (more_.size() + 1 < kRequests) more_.push_back(PlaceIn(*memory_));
  std::fill(repeats.begin(), repeats.end(), Repeat{});
  std::vector<Nanos> last(links_.size());
  for (std::size_t first = 0; first < links_.size(); first += stretch) {
    const std::size_t begin = std::min(first, links_.size() - stretch);  // the last ones are as many
    for (std::size_t request = 0; request < kRequests; ++request) {
      Place& place = request == 0 ? own_ : more_[request - 1];
      for (std::size_t i = begin; i < begin + stretch; ++i) {
        const Nanos cpu = own ? ThreadTimeNow() : Nanos{0}, taken = SteadyNow();
        links_[i].executable->Run(place.inputs[i], place.outputs[i]);
        Nanos time = SteadyNow() - taken;
        if (own) time = OwnTime(time, ThreadTimeNow() - cpu);
        const Nanos since = taken - std::exchange(last[i], taken);
        if (request == 1) repeats[i] = {};
        if (request == 0) continue;
        repeats[i].time += time / static_cast<std::int64_t>(kRequests - 1);
        repeats[i].every += since / static_cast<std::int64_t>(kRequests - 1);
      }
    }
  }
}

void ProfiledChain::RunInside(std::span<Nanos> times) {
  const auto begin = SteadyNow();
  links_.front().executable->RunTimed(own_.inputs.front(), own_.outputs.front(), times);
  Nanos before = begin;
  for (Nanos& time : times) time -= std::exchange(before, time);
}

std::optional<Nanos> ProfiledChain::RunOnDeviceClock() {
  return links_.front().executable->RunOnDeviceClock(own_.inputs.front(), own_.outputs.front());
}

}  // namespace tandem
