// HailoRT's model scheduler: a unit runs one network at a time, for its "batch_size" of inferences and then
// on until another one is due. A network is due where so many inferences wait for it as its "threshold" says,
// or where it has not begun for its "timeout_ms". A unit with nothing to do begins the due network of the
// greatest "priority", or, where none is due, the one of the greatest priority for which any wait; those of
// one priority in turn. A network that goes on makes way for a due one that no unit has and that is of its
// own priority or a greater one. What a change of networks costs is what the profile's loads and switches
// say. Left out of it: inferences that the driver has taken beforehand, and the fixed batches of networks
// that are larger than the chip. Tie-break: networks in order of first appearance, their requests by when
// they became ready. Source: HailoRT's scheduler, vdevice/scheduler of hailo-ai/hailort.
#include <algorithm>
#include <map>

#include "policies/engine/policy.h"
#include "policies/kinds/model_lines.h"
#include "policies/kinds/named_codecs.h"

namespace tandem::hailo {
namespace {

constexpr std::int64_t kNormal = 16, kGreatest = 31;  // priorities
constexpr std::int64_t kMostFrames = 1 << 20;

struct HailoParameters : PolicyParameters {
  std::vector<std::optional<std::int64_t>> priority, batch_size, threshold;  // per model, or empty
  std::vector<std::optional<Nanos>> timeout;
};

template <class Value>
Value OfModel(const std::vector<std::optional<Value>>& values, ModelId model, Value otherwise) {
  return values.empty() ? otherwise : values[model.index()].value_or(otherwise);
}

const Fields<HailoParameters>& Keys() {
  using P = HailoParameters;
  static const auto fields =
      Fields<P>()
          .Optional("priority", &P::priority, as::PerModel(as::Integer(0, kGreatest)),
                    "model to 0..31, the greatest first; without it 16 + the greatest \"priority\" of its "
                    "streams, within 0..31")
          .Optional("batch_size", &P::batch_size, as::PerModel(as::Integer(1, kMostFrames)),
                    "model to how many inferences a unit does of it before it makes way; 1 where it is not "
                    "named")
          .Optional("threshold", &P::threshold, as::PerModel(as::Integer(0, kMostFrames)),
                    "model to how many inferences wait for it before it is due; any where it is not named")
          .Optional("timeout_ms", &P::timeout, as::PerModel(as::Millis()),
                    "model to after how long it is due anyway; at once where it is not named, so that a "
                    "threshold counts only with one");
  return fields;
}

struct Network {
  std::int64_t batch_size = 1, threshold = 0;
  std::int64_t priority = 0;
  Nanos timeout{0}, last_begun{0};
};

// Those of one priority, which have their turns.
struct Group {
  std::vector<std::size_t> networks;
  std::size_t next = 0;
};

class HailoPolicy final : public Policy {
 public:
  HailoPolicy(const Problem& problem, const HailoParameters& parameters)
      : problem_(&problem),
        lines_(problem, std::vector<std::int64_t>(problem.scenario().streams.size(), 1), true),
        chips_(problem.units()) {
    for (std::size_t l = 0; l < lines_.size(); ++l) {
      networks_.push_back(NetworkOf(lines_.ModelOf(l), parameters));
      groups_[-networks_.back().priority].networks.push_back(l);
    }
    for (const Unit& unit : problem.platform().units) several_slots_ = several_slots_ || unit.slots > 1;
  }

  void Ready(const Task& task, const Board&) override { lines_.Add(task); }

  bool Take(UnitId unit, const Board& board, Task& task) override {
    Chip& chip = chips_[unit.index()];
    if (!GoesOn(chip, unit, board.now)) {
      if (chip.running > 0) return false;
      const auto next = Next(unit, board.now);
      if (!next) return false;
      Network& network = networks_[*next];
      network.last_begun = board.now;
      chip.network = *next;
      chip.left = network.batch_size;
    }
    lines_.Take(*chip.network, unit, task);
    chip.left -= problem_->cut(task.stream).batch;
    ++chip.running;
    taken_ = task;
    taken_by_ = unit;
    return true;
  }

  // What a chip with several slots goes on with may depend on what the others do.
  bool Ended(const Task&, UnitId unit, const Board&) override {
    --chips_[unit.index()].running;
    return several_slots_;
  }
  void Drop(const Task& task) override { lines_.Remove(task); }
  void SetAside(const Task& task) override {
    if (!taken_by_.valid() || !SameTask(taken_, task)) return;
    Chip& chip = chips_[taken_by_.index()];
    --chip.running;
    chip.left += problem_->cut(task.stream).batch;
    taken_by_ = UnitId();
  }

 private:
  struct Chip {
    std::optional<std::size_t> network;
    std::int64_t left = 0;     // inferences before it may make way
    std::int64_t running = 0;  // tasks
  };

  Network NetworkOf(ModelId model, const HailoParameters& parameters) const {
    std::int64_t of_streams = -kNormal;
    for (const Stream& stream : problem_->scenario().streams) {
      if (stream.model == model) of_streams = std::max(of_streams, stream.priority);
    }
    const std::int64_t otherwise = std::clamp<std::int64_t>(kNormal + of_streams, 0, kGreatest);
    return {OfModel<std::int64_t>(parameters.batch_size, model, 1),
            OfModel<std::int64_t>(parameters.threshold, model, 0),
            OfModel(parameters.priority, model, otherwise), OfModel(parameters.timeout, model, Nanos{0}),
            Nanos{0}};
  }

  bool IsDue(std::size_t network, Nanos now) const {
    const Network& it = networks_[network];
    return lines_.Waiting(network) >= it.threshold || now - it.last_begun >= it.timeout;
  }

  bool GoesOn(const Chip& chip, UnitId unit, Nanos now) const {
    if (!chip.network || !lines_.HasFor(*chip.network, unit)) return false;
    return chip.left > 0 || !MakesWay(*chip.network, unit, now);
  }

  bool MakesWay(std::size_t network, UnitId unit, Nanos now) const {
    for (const auto& [priority, group] : groups_) {
      if (-priority < networks_[network].priority) return false;
      for (const std::size_t other : group.networks) {
        const auto has_it = [&](const Chip& chip) { return chip.network == other; };
        if (std::any_of(chips_.begin(), chips_.end(), has_it)) continue;
        if (lines_.HasFor(other, unit) && IsDue(other, now)) return true;
      }
    }
    return false;
  }

  // The network whose turn it is; nothing: none has any for the unit.
  std::optional<std::size_t> Next(UnitId unit, Nanos now) {
    for (const bool due : {true, false}) {
      for (auto& [priority, group] : groups_) {
        for (std::size_t i = 0; i < group.networks.size(); ++i) {
          const std::size_t at = (group.next + i) % group.networks.size();
          const std::size_t network = group.networks[at];
          if (!lines_.HasFor(network, unit) || (due && !IsDue(network, now))) continue;
          group.next = (at + 1) % group.networks.size();
          return network;
        }
      }
    }
    return std::nullopt;
  }

  const Problem* problem_;
  ModelLines lines_;  // one is a network
  std::vector<Network> networks_;
  std::map<std::int64_t, Group> groups_;  // by negated priority
  std::vector<Chip> chips_;               // per unit
  bool several_slots_ = false;
  Task taken_;  // the last one, and by whom
  UnitId taken_by_;
};

Prepared Make(const PolicySpec& spec, const Problem& problem) {
  return std::make_unique<HailoPolicy>(problem, spec.As<HailoParameters>());
}

const PolicyRegistration kHailo{
    {.name = "hailo",
     .summary = "as HailoRT: a unit runs one network for its batch and on until another is due, by threshold "
                "or timeout; the due ones of the greatest priority in turn",
     .waiting = Waiting::kWholeUnit,
     .keys = KeysFrom<Keys>(),
     .make = Make}};

}  // namespace
}  // namespace tandem::hailo
