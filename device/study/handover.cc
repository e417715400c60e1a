#include "device/study/handover.h"

#include <algorithm>
#include <map>
#include <memory>

#include "device/processor/kernel_store.h"
#include "device/study/handover_lane.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

constexpr std::int64_t kImagesPerTurn = 10;
constexpr std::size_t kEnergyRounds = 2;
constexpr Nanos kLeastEnergyTurn{2'000'000'000};

struct OpenUnit {
  const Unit* unit = nullptr;
  std::unique_ptr<UnitThread> thread;
  bool apart = false;  // does it have a memory of its own, or read the host's in its own way?
};

struct OpenUnits {
  std::vector<OpenUnit> units;
  std::string missing;  // why others could not be had
};

OpenUnit Open(const HandoverRequest& request, UnitId id, const DeviceBackend& backend) {
  OpenRequest open;
  open.platform = &request.platform;
  open.unit = id;
  open.trials = request.trials;
  OpenUnit opened{&request.platform.unit(id), std::make_unique<UnitThread>(backend, std::move(open))};
  opened.thread->Do([&](Processor& processor) {
    opened.apart = &processor.memory() != &HostMemory() || &processor.host_memory() != &HostMemory();
  });
  return opened;
}

// Units that only wait, and programs with inputs of their own, are handed nothing.
OpenUnits OpenAll(const HandoverRequest& request, const FindBackend& backend_of) {
  const Platform& platform = request.platform;
  OpenUnits opened;
  for (std::size_t u = 0; u < platform.units.size(); ++u) {
    const Unit& unit = platform.units[u];
    if (unit.backend == nullptr || !unit.backend->takes_inputs) continue;
    try {
      const DeviceBackend& backend = backend_of(unit, "platform " + Quoted(platform.name));
      opened.units.push_back(Open(request, UnitId(u), backend));
    } catch (const EnvironmentError& error) {
      opened.missing += std::string("; ") + error.what();
    }
  }
  return opened;
}

const OpenUnit& Compared(const OpenUnits& opened, const HandoverRequest& request) {
  if (!request.unit.empty() && !request.platform.FindUnit(request.unit).valid()) {
    throw InputError("--unit: no unit " + Quoted(request.unit) + " in platform " +
                     Quoted(request.platform.name) + Suggestion(request.unit, request.platform.UnitNames()));
  }
  const auto found = std::find_if(opened.units.begin(), opened.units.end(), [&](const OpenUnit& unit) {
    return unit.apart && (request.unit.empty() || unit.unit->name == request.unit);
  });
  if (found != opened.units.end()) return *found;
  throw EnvironmentError(
      "there is nothing to compare: " +
      (request.unit.empty() ? "every unit here works" : "unit " + Quoted(request.unit) + " works") +
      " from the host's memory, so that images are not handed over" + opened.missing +
      "; `tandem-device info` says which processors are off, and why");
}

class Comparison {
 public:
  Comparison(const HandoverRequest& request, EnergyMeter& meter, const ProfilerProgress& progress,
             const FindBackend& backend_of)
      : request_(request),
        meter_(meter),
        progress_(progress),
        store_(request.seed),
        kernels_(request.kernel_store),
        random_("handover", request.seed) {
    opened_ = OpenAll(request, backend_of);
    const OpenUnit& compared = Compared(opened_, request);
    const ModelStore::Entry& entry = store_.Get(request.model, 0);
    result_.model = request.model;
    result_.unit = compared.unit->name;
    result_.platform = request.platform.name;
    result_.images = request.images;
    for (const OpenUnit& unit : opened_.units) {
      if (!unit.apart) AddLane(unit, std::nullopt, entry);
    }
    for (const HandoverMode mode : request.modes) AddLane(compared, mode, entry);
    kernels_.Write(request.platform.name);
  }

  HandoverResult Measure() {
    std::vector<Unit> units;
    for (const auto& lane : lanes_) units.push_back(lane->unit());
    const HeatWatch heat(units, request_.clocks);
    TakeTimes();
    if (!result_.stopped) TakeEnergy();
    result_.warmth = heat.UntilNow();
    return std::move(result_);
  }

 private:
  void AddLane(const OpenUnit& unit, std::optional<HandoverMode> mode, const ModelStore::Entry& entry) {
    auto lane =
        std::make_unique<HandoverLane>(*unit.thread, *unit.unit, mode, entry, request_, kernels_.entries());
    HandoverRow& row = result_.rows.emplace_back();
    row.unit = unit.unit->name;
    row.mode = mode;
    row.why_not = lane->why_not();
    lanes_.push_back(std::move(lane));
  }

  bool Goes(const std::string& what, std::int64_t done, std::int64_t total) {
    result_.stopped = result_.stopped || (progress_ && !progress_(what, done, total));
    return !result_.stopped;
  }

  std::string NameOfRow(std::size_t at) const {
    const HandoverRow& row = result_.rows[at];
    return row.unit + (row.mode ? ", " + std::string(NameOf(kHandoverModeNames, *row.mode)) : "");
  }

  // The first image of a turn finds caches and clocks as another mode left them, and does not count.
  void TakeTimes() {
    for (std::int64_t done = 0; done < request_.images; done += kImagesPerTurn) {
      const std::int64_t images = std::min(kImagesPerTurn, request_.images - done);
      for (const std::size_t at : ShuffledOrder(lanes_.size(), random_)) {
        if (!Goes(NameOfRow(at), done, request_.images)) return;
        HandoverLane& lane = *lanes_[at];
        if (!lane.why_not().empty()) continue;
        lane.thread().Do([&](Processor& processor) {
          (void)lane.OneImage(processor);
          for (std::int64_t i = 0; i < images; ++i) {
            result_.rows[at].samples.push_back(lane.OneImage(processor));
          }
        });
      }
    }
  }

  // All units that take part are counted in every mode, where there are sensors for all of them, since the
  // host works for the others too; otherwise the unit alone.
  EnergyScope ScopeOf(const HandoverLane& lane) const {
    std::vector<const Unit*> all;
    for (const auto& other : lanes_) {
      if (std::find(all.begin(), all.end(), &other->unit()) == all.end()) all.push_back(&other->unit());
    }
    EnergyScope scope = meter_.ScopeOf(all);
    if (scope.known()) return scope;
    const std::array<const Unit*, 1> alone = {&lane.unit()};
    return meter_.ScopeOf(alone);
  }

  struct Spent {
    double joules = 0, seconds = 0, images = 0;
  };

  void TakeEnergy() {
    const EnergyPolling polling(meter_);
    std::vector<Spent> spent(lanes_.size());
    for (std::size_t round = 0; round < kEnergyRounds; ++round) {
      for (const std::size_t at : ShuffledOrder(lanes_.size(), random_)) {
        const auto done = static_cast<std::int64_t>(round);
        if (!Goes("energy of " + NameOfRow(at), done, kEnergyRounds)) return;
        if (lanes_[at]->why_not().empty()) TakeEnergyOf(at, spent[at]);
      }
    }
    for (std::size_t at = 0; at < lanes_.size(); ++at) Conclude(at, spent[at]);
  }

  void TakeEnergyOf(std::size_t at, Spent& spent) {
    HandoverLane& lane = *lanes_[at];
    HandoverRow& row = result_.rows[at];
    const EnergyScope scope = ScopeOf(lane);
    if (row.why_no_energy.empty()) row.why_no_energy = scope.why;
    if (!row.why_no_energy.empty()) return;
    row.sensors = meter_.NamesOf(scope);
    try {
      (void)meter_.IdleOnce(scope);
      const Nanos least = std::max(kLeastEnergyTurn, meter_.LeastTime(scope));
      lane.thread().Do([&](Processor& processor) {
        (void)lane.OneImage(processor);
        const Nanos begin = meter_.Now();
        const double before = meter_.Joules(scope);
        Nanos end = begin;
        do {
          (void)lane.OneImage(processor);
          ++spent.images;
          end = meter_.Now();
        } while (end - begin < least);
        spent.joules += meter_.Joules(scope) - before;
        spent.seconds += std::chrono::duration<double>(end - begin).count();
      });
    } catch (const EnvironmentError& error) {
      row.why_no_energy = error.what();
    }
  }

  void Conclude(std::size_t at, const Spent& spent) {
    HandoverRow& row = result_.rows[at];
    if (!row.why_no_energy.empty() || spent.images == 0) return;
    const double idle = meter_.IdleOnce(ScopeOf(*lanes_[at]));
    row.joules = spent.joules / spent.images;
    row.above_idle = std::max((spent.joules - idle * spent.seconds) / spent.images, 0.0);
  }

  const HandoverRequest& request_;
  EnergyMeter& meter_;
  const ProfilerProgress& progress_;
  ModelStore store_;
  KernelStore kernels_;
  StreamRandom random_;
  OpenUnits opened_;
  std::vector<std::unique_ptr<HandoverLane>> lanes_;
  HandoverResult result_;
};

}  // namespace

HandoverResult CompareHandovers(const HandoverRequest& request, EnergyMeter& meter,
                                const ProfilerProgress& progress, const FindBackend& backend_of) {
  return Comparison(request, meter, progress, backend_of).Measure();
}

}  // namespace tandem
