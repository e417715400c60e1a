// What differs between the versions of SimGrid, from 3.32 to 4.1, and what of its kernel is used, which any
// version may change. Inside the library that LoadSimGrid loads.
#pragma once

#include <xbt/base.h>  // version.h needs its macros
#include <functional>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

#include <simgrid/version.h>

namespace tandem {

#if SIMGRID_VERSION >= 40000
inline simgrid::s4u::NetZone* MakeZone(const simgrid::s4u::Engine& engine) {
  return engine.get_netzone_root()->add_netzone_full("board");
}
// The same for hosts between which nothing is sent: the other has a table of all pairs of hosts.
inline simgrid::s4u::NetZone* MakeZoneWithoutRoutes(const simgrid::s4u::Engine& engine) {
  return engine.get_netzone_root()->add_netzone_empty("board");
}
inline simgrid::s4u::Host* MakeHost(simgrid::s4u::NetZone& zone, const std::string& name,
                                    const std::vector<double>& speeds) {
  return zone.add_host(name, speeds);
}
inline simgrid::s4u::Link* MakeLink(simgrid::s4u::NetZone& zone, const std::string& name, double bandwidth) {
  return zone.add_link(name, bandwidth);
}
inline void AddRoute(simgrid::s4u::NetZone& zone, simgrid::s4u::Host& from, simgrid::s4u::Host& to,
                     const std::vector<simgrid::s4u::LinkInRoute>& links) {
  zone.add_route(&from, &to, links);
}
#else
inline simgrid::s4u::NetZone* MakeZone(const simgrid::s4u::Engine&) {
  return simgrid::s4u::create_full_zone("board");
}
inline simgrid::s4u::NetZone* MakeZoneWithoutRoutes(const simgrid::s4u::Engine&) {
  return simgrid::s4u::create_empty_zone("board");
}
inline simgrid::s4u::Host* MakeHost(simgrid::s4u::NetZone& zone, const std::string& name,
                                    const std::vector<double>& speeds) {
  return zone.create_host(name, speeds);
}
inline simgrid::s4u::Link* MakeLink(simgrid::s4u::NetZone& zone, const std::string& name, double bandwidth) {
  return zone.create_link(name, bandwidth);
}
inline void AddRoute(simgrid::s4u::NetZone& zone, simgrid::s4u::Host& from, simgrid::s4u::Host& to,
                     const std::vector<simgrid::s4u::LinkInRoute>& links) {
  zone.add_route(from.get_netpoint(), to.get_netpoint(), nullptr, nullptr, links);
}
#endif

// Of every execution and every flow, for ever.
inline void OnCompletion(const std::function<void(const simgrid::s4u::Activity&)>& completed) {
  simgrid::s4u::Exec::on_completion_cb(completed);
#if SIMGRID_VERSION >= 33500
  simgrid::s4u::Comm::on_completion_cb(completed);  // before, one signal was all activities'
#endif
}

// Activities that were cancelled. SimGrid reports each once more, at the latest when its clock has gone on,
// and has to find it then; until then it has its part of what it shares, unless it is suspended, too. (What
// was suspended and goes on could not be suspended again in 3.32.)
class Cancelled {
 public:
  void Cancel(simgrid::s4u::ActivityPtr activity) {
    const double now = simgrid::s4u::Engine::get_clock();
    if (now != at_) {
      before_.swap(activities_);
      activities_.clear();
      at_ = now;
    }
    activities_.push_back(std::move(activity));
    activities_.back()->suspend();
    activities_.back()->cancel();
  }

 private:
  double at_ = -1;
  std::vector<simgrid::s4u::ActivityPtr> activities_, before_;  // at that date; at the last one before it
};

// A call at a date; SimGrid's own, gone once it was made.
using SimGridTimer = simgrid::kernel::timer::Timer;

using SimGridModel = simgrid::kernel::resource::Model;
inline const std::vector<SimGridModel*>& ModelsOf(const simgrid::s4u::Engine& engine) {
  return engine.get_all_models();
}
// Have all that end at this date been reported?
inline bool HasReported(SimGridModel& model) { return model.get_finished_action_set()->empty(); }

}  // namespace tandem
