// Those who share a unit's time while it is measured what that costs: each runs a model there again and
// again. Where nobody manages the unit they are applications, programs of their own: threads of one program
// know of each other, and wait for less long by spinning, than those of several, who keep a core from each
// other for milliseconds (docs/running.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "device/host/child_program.h"
#include "device/profiler/bench/bench.h"
#include "device/profiler/samples/samples.h"
#include "scenarios/exchange/profile_order.h"

namespace tandem {

class Sharer {
 public:
  Sharer() = default;
  virtual ~Sharer() = default;
  Sharer(const Sharer&) = delete;
  Sharer& operator=(const Sharer&) = delete;

  virtual void Begin() = 0;
  virtual void Await(std::size_t runs) = 0;  // so many since then, or that one fails
  // Nanoseconds of a run in the mean, but for the first and the last; 0: there were none. Throws what a run
  // threw.
  virtual double Stop() = 0;
};

// A thread of this program on that slot of the unit, on slot 0 the bench's own; null where it cannot run the
// model, which is noted. The bench keeps what it has for the model meanwhile.
std::unique_ptr<Sharer> SharerThread(ProfilerBench& bench, std::size_t unit, std::int64_t slot,
                                     std::size_t model);

// Starts the program whose RunAsSharer() reads that: an order of one model on one unit, and what is known of
// kernels.
using StartSharer = std::function<std::unique_ptr<ChildProgram>(const std::string& order)>;
// A program, ready to begin. Throws EnvironmentError.
std::unique_ptr<Sharer> SharerProgram(const StartSharer& start, const ProfileOrder& request,
                                      const ProfilerBench& bench, std::size_t unit, std::size_t model,
                                      const ProfilerSamples& samples);

// Its side: says "ready", and is told "begin", "await RUNS" and "stop", until there is nobody any more.
// Throws InputError.
struct SharerOrder {
  ProfileOrder request;
  ProfilerSamples samples;
};
SharerOrder ReadSharerOrder(const JsonReader& root);
void RunAsSharer(SharerOrder order, const FindBackend& backend_of = BackendOf);

}  // namespace tandem
