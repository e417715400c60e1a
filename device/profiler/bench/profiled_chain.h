// Parts of one model that run one after the other on one unit, as the tasks of one request do, each timed.
// Tensors lie where plans have them, inputs are brought there once: times are of the work alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/loads/cache_sweep.h"
#include "device/processor/model_store.h"
#include "device/processor/processor.h"

namespace tandem {

// kOwn: without what others took of the thread's core meanwhile, for a unit that is busy on one core alone.
enum class TimedBy : std::uint8_t { kWall, kOwn };

// All calls, its end too, come from the unit's thread.
class ProfiledChain {
 public:
  // `parts` in an order in which each finds its inputs made; `compile` makes them ready. Throws what it
  // throws.
  using CompileSegment = std::function<std::unique_ptr<Executable>(const SegmentSpec&)>;
  ProfiledChain(Processor& processor, TensorMemory& memory, const ModelStore::Entry& entry,
                const std::string& name, const std::vector<std::vector<LayerId>>& parts, std::uint64_t seed,
                const CompileSegment& compile);

  std::size_t size() const { return links_.size(); }
  const SegmentSpec& spec(std::size_t part) const { return links_[part].spec; }
  Nanos compile_time() const { return compile_time_; }  // of all parts
  std::int64_t Bytes() const { return bytes_; }         // its own weights, scratch, tensors
  // Of a chain of one part.
  std::vector<ExecutionStep> Steps() const { return links_.front().executable->Steps(); }

  // Runs all parts; `times` has room for one per part. With `sweep` the caches are emptied before each.
  void Run(std::span<Nanos> times, CacheSweep* sweep = nullptr, TimedBy timed_by = TimedBy::kWall);
  // The same with all tensors in host memory that the unit reads and writes through a mapping.
  void RunMapped(std::span<Nanos> times);
  // Parts of several requests, `stretch` of them of each, one request after the other, then the next parts.
  // Of each part, all requests but the first: how long it took in the mean, and how long ago it was taken.
  static constexpr std::size_t kRequests = 4;
  struct Repeat {
    Nanos time{0}, every{0};
  };
  void RunRepeated(std::size_t stretch, std::span<Repeat> repeats, TimedBy timed_by = TimedBy::kWall);
  void ForgetRequests() { more_.clear(); }
  // Runs the first part alone and tells its steps' times.
  void RunInside(std::span<Nanos> times);
  // Runs the first part alone; its time by the unit's own clock, where it has one.
  std::optional<Nanos> RunOnDeviceClock();

 private:
  struct Link {
    SegmentSpec spec;
    std::unique_ptr<Executable> executable;
  };
  // Where the tensors lie, and for each link what it reads and writes.
  struct Place {
    std::map<LayerId, Buffer> tensors;
    std::vector<std::vector<const float*>> inputs;
    std::vector<std::vector<float*>> outputs;
  };
  Place PlaceIn(TensorMemory& memory);
  void RunIn(Place& place, std::span<Nanos> times, CacheSweep* sweep, TimedBy timed_by);

  Processor* processor_;
  const Model* model_;
  std::uint64_t seed_;
  std::vector<Link> links_;
  TensorMemory* memory_;
  Place own_;
  std::vector<Place> more_;  // of other requests, while these are measured
  std::optional<Place> mapped_;
  Nanos compile_time_{0};
  std::int64_t bytes_ = 0;
};

}  // namespace tandem
