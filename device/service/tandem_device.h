// Room device/service: the library: a plan serves the requests of an application.
//
// libtandem-device: runs the plan of a `tandem plan` inside an application. Requests come from the
// application instead of a scenario's arrivals; which unit runs what, and when, is decided by the same
// dispatcher and policy as in the simulation. docs/library.md tells more. This header needs nothing but the
// standard library.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tandem::device {

// What was asked for cannot be: a plan that is wrong or was made for another machine, a name that the plan
// has not, an input of another size, a request after Stop().
class BadRequest : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The device or the environment failed: a unit that cannot be had, a kernel that fails, memory that runs out.
class DeviceFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A tensor of a model: dense fp32, batch, channels, height, width. Where a function of the application runs
// the model and the model's file says a `type`, it is bytes, which lie in so many floats as they fill.
struct TensorInfo {
  std::string layer;
  std::vector<std::int64_t> shape;
  std::size_t floats = 0;
  std::size_t bytes = 0;
};

// A stream of the plan's scenario: what requests are submitted to.
struct StreamInfo {
  std::string name, model;
  std::int64_t batch = 1;
  std::vector<TensorInfo> inputs, outputs;
  std::string follows;  // with ServiceOptions::follow: the stream whose requests release its own; else empty
};

enum class RequestStatus : std::uint8_t {
  kDone,
  kDropped,   // late, in a stream with drop_late, or for newer ones, in one with keep_latest
  kStopped,   // Stop() came before
  kFailed,    // the device failed, or a function of the application did
  kCancelled  // Cancel() came before
};

struct RequestResult {
  std::string stream;
  std::uint64_t number = 0;  // that Submit returned; also of all that follow that request
  RequestStatus status = RequestStatus::kDone;
  std::string why;  // kFailed
  // In the order of StreamInfo::outputs. Empty where the unit's program keeps them to itself and gives a
  // hash, of all requests that ran as one; of no meaning where `computed` is false (emulated units).
  std::vector<std::vector<float>> outputs;
  bool computed = true;
  std::string output_hash;
  std::chrono::nanoseconds latency{0};  // from Submit on
};

struct InputBytes {
  const std::byte* data = nullptr;
  std::size_t size = 0;
};
struct OutputBytes {
  std::byte* data = nullptr;
  std::size_t size = 0;
};

// One request of a stage that a function of the application runs. Inputs and outputs are those of the model's
// file, in its order and of its sizes: as many bytes as their `type` takes, without one four (fp32) for each
// number. They are there until the function returns.
struct StageCall {
  std::string stream;
  std::uint64_t number = 0;  // RequestResult::number
  std::vector<InputBytes> inputs;
  std::vector<OutputBytes> outputs;
};
// On the thread of the unit that the plan gave it, from several threads at once where units have several.
// What it throws fails this request, as kFailed with its text. Must not call Drain or Stop.
using StageFunction = std::function<void(const StageCall&)>;

// A part of a model that takes another time on a unit than the plan's profile says.
struct DriftInfo {
  std::string model, layers, unit;  // layers: the first one's name and how many; empty: the whole model
  std::chrono::nanoseconds profiled{0}, measured{0};  // dispatch included; measured: a running median
  double drift() const;                               // measured / profiled - 1
};

struct StreamStatistics {
  std::string name;
  std::uint64_t submitted = 0, completed = 0, dropped = 0, stopped = 0, failed = 0, cancelled = 0;
  std::chrono::nanoseconds mean{0}, p50{0}, p99{0}, max{0};  // latencies; percentiles of the last 1024
};

struct UnitStatistics {
  std::string name;
  std::uint64_t tasks = 0;
  std::chrono::nanoseconds busy{0};
};

struct ServiceStatistics {
  std::chrono::nanoseconds uptime{0};
  std::vector<StreamStatistics> streams;
  std::vector<UnitStatistics> units;
  std::vector<DriftInfo> segments;      // all that have run often enough to tell
  std::uint64_t callback_failures = 0;  // callbacks that threw
  // What is not as it was when the plan's profiles were measured: kernels that were chosen anew, settings of
  // clocks.
  std::vector<std::string> notices;
};

struct ServiceOptions {
  // A part that takes that much longer or shorter than profiled is told, once until it is back.
  double drift = 0.25;
  std::function<void(const DriftInfo&)> on_drift;  // null: a line on standard error
  bool force = false;                              // plans of other machines or library versions too
  bool allow_commands = false;                     // the programs that the plan names are started
  std::uint64_t seed = 1;                          // of weights where a model has none
  // What runs models (or, of models that plans cut, layers) of operation `opaque`, by the model's name, in
  // its file or in the scenario, or the layer's.
  std::map<std::string, StageFunction> functions;
  // Requests of streams that depend on others are released by what they follow, as the plan's scenario says.
  bool follow = false;
};

class PlanService {
 public:
  using Callback = std::function<void(const RequestResult&)>;

  // Opens the units and makes all models ready. Throws BadRequest, DeviceFailure.
  explicit PlanService(const std::string& plan_file, ServiceOptions options = {});
  ~PlanService();  // Stop(); no other call may be under way
  PlanService(const PlanService&) = delete;
  PlanService& operator=(const PlanService&) = delete;

  const std::vector<StreamInfo>& streams() const;

  // From any thread, callbacks included. `stream`: its name, or its model's where one stream alone has that
  // model. `inputs` in the order of StreamInfo::inputs. The callback is called once, whatever becomes of the
  // request, from a thread of the service's own, one call at a time in order of completion. Returns a number,
  // counted from 0. Throws BadRequest; DeviceFailure once the device has failed. With ServiceOptions::follow
  // the callback is called for each request that follows, too.
  std::uint64_t Submit(const std::string& stream, std::vector<std::vector<float>> inputs, Callback callback);

  // From any thread, callbacks included: nobody wants the request of this number any more. Where it has not
  // ended by then it is answered as kCancelled, soon, whether it waits or part of it has run; a part that
  // runs goes on to its end, and no other begins. Where it has ended its answer stays what it is. So it is
  // with all that follow it. Throws BadRequest where Submit has not returned such a number.
  void Cancel(std::uint64_t number);

  // Waits until the callbacks of all requests submitted so far, and of what follows them, have come back. Not
  // from a callback.
  void Drain();
  // Lets what runs end, answers all other requests as kStopped, and waits for their callbacks. Not from a
  // callback.
  void Stop();

  ServiceStatistics statistics() const;
  // The running medians as a profile (the text of a profile/1 file), for the next plan. Throws BadRequest
  // where nothing has run often enough.
  std::string MeasuredProfile() const;

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace tandem::device
