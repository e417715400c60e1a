// Room device/backends/emulated: processors that are not here: they wait as long as the profile says.
//
// The backend "emulated": a unit that is not here. It waits as long as the profile says and computes nothing,
// so that a board's schedule runs in real time beside units that are here.
#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "device/host/clock.h"
#include "device/processor/backend.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

// A sleeping thread wakes up late by some tens of microseconds; so much of a wait is spent looking at the
// clock. More would take cores away from units that compute.
constexpr Nanos kSpin{50'000};

// steady_clock is CLOCK_MONOTONIC on Linux.
void WaitUntil(Nanos date) {
  const Nanos wake = date - kSpin;
  timespec until{};
  until.tv_sec = static_cast<std::time_t>(wake.count() / 1'000'000'000);
  until.tv_nsec = static_cast<long>(wake.count() % 1'000'000'000);
  if (wake > SteadyNow()) {
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
  }
  while (SteadyNow() < date) {
  }
}

class EmulatedExecutable final : public Executable {
 public:
  EmulatedExecutable(const SegmentSpec& spec, Nanos time) : layers_(spec.layers), time_(time) {}

  void Run(std::span<const float* const>, std::span<float* const>) override {
    WaitUntil(SteadyNow() + time_);
  }
  std::vector<ExecutionStep> Steps() const override { return {{layers_, "waits"}}; }
  void RunTimed(std::span<const float* const> inputs, std::span<float* const> outputs,
                std::span<Nanos> ends) override {
    Run(inputs, outputs);
    ends[0] = SteadyNow();
  }
  bool Computes() const override { return false; }

 private:
  std::vector<LayerId> layers_;
  Nanos time_;
};

class EmulatedProcessor final : public Processor {
 public:
  explicit EmulatedProcessor(OpenRequest request)
      : request_(std::move(request)), place_("unit \"" + request_.platform->unit(request_.unit).name + "\"") {
    // The kernel may wake this thread up 50 us late otherwise, to save power.
    ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  }

  std::vector<std::vector<LayerId>> Groups(const Model& model) const override {
    return {WorkingLayers(model)};
  }

  std::unique_ptr<Executable> Compile(const SegmentSpec& spec) override {
    if (spec.takes) return std::make_unique<EmulatedExecutable>(spec, *spec.takes);
    const ModelId model = Find(spec.model_name);
    const CostTable& costs = *request_.costs;
    const CostQuery query{model, request_.unit, request_.variant, spec.batch, spec.layers};
    const auto cost = costs.Time(query);
    if (!cost) throw EnvironmentError(costs.WhyNot(query));
    return std::make_unique<EmulatedExecutable>(spec, request_.dispatch + cost->time);
  }

 private:
  ModelId Find(const std::string& name) const {
    const auto found = std::find(request_.models.begin(), request_.models.end(), name);
    if (found != request_.models.end()) {
      return ModelId(static_cast<std::size_t>(found - request_.models.begin()));
    }
    throw InputError(place_ + ": no profile here speaks of model " + Quoted(name));
  }

  OpenRequest request_;
  std::string place_;
};

class EmulatedBackend final : public DeviceBackend {
 public:
  const BackendDeclaration& about() const override { return DeclaredBackend("emulated"); }
  BackendState Look(const HostInfo&, Platform&) const override {
    return {{}, {"waits as profiles say; a platform asks for it"}, ""};
  }
  std::unique_ptr<Processor> Open(const OpenRequest& request) const override {
    if (request.costs == nullptr) {
      throw InputError("unit \"" + request.platform->unit(request.unit).name +
                       "\": an emulated unit waits as long as a profile says, and there is no profile here");
    }
    return std::make_unique<EmulatedProcessor>(request);
  }
};

const BackendRegistration kEmulated{std::make_unique<EmulatedBackend>()};

}  // namespace
}  // namespace tandem
