#include "sim/engine/simgrid_engine.h"

#include <simgrid/plugins/energy.h>

#include "profiles/base/check.h"
#include "profiles/base/json_write.h"

namespace tandem {

namespace sg4 = simgrid::s4u;

#if SIMGRID_VERSION >= 40000
sg4::NetZone* MakeZone(const sg4::Engine& engine) {
  return engine.get_netzone_root()->add_netzone_full("board");
}
sg4::NetZone* MakeZoneWithoutRoutes(const sg4::Engine& engine) {
  return engine.get_netzone_root()->add_netzone_empty("board");
}
sg4::Host* MakeHost(sg4::NetZone& zone, const std::string& name, const std::vector<double>& speeds) {
  return zone.add_host(name, speeds);
}
sg4::Link* MakeLink(sg4::NetZone& zone, const std::string& name, double bandwidth) {
  return zone.add_link(name, bandwidth);
}
void AddRoute(sg4::NetZone& zone, sg4::Host& from, sg4::Host& to,
              const std::vector<sg4::LinkInRoute>& links) {
  zone.add_route(&from, &to, links);
}
#else
sg4::NetZone* MakeZone(const sg4::Engine&) { return sg4::create_full_zone("board"); }
sg4::NetZone* MakeZoneWithoutRoutes(const sg4::Engine&) { return sg4::create_empty_zone("board"); }
sg4::Host* MakeHost(sg4::NetZone& zone, const std::string& name, const std::vector<double>& speeds) {
  return zone.create_host(name, speeds);
}
sg4::Link* MakeLink(sg4::NetZone& zone, const std::string& name, double bandwidth) {
  return zone.create_link(name, bandwidth);
}
void AddRoute(sg4::NetZone& zone, sg4::Host& from, sg4::Host& to,
              const std::vector<sg4::LinkInRoute>& links) {
  zone.add_route(from.get_netpoint(), to.get_netpoint(), nullptr, nullptr, links);
}
#endif

void OnCompletion(const std::function<void(const sg4::Activity&)>& completed) {
  sg4::Exec::on_completion_cb(completed);
#if SIMGRID_VERSION >= 33500
  sg4::Comm::on_completion_cb(completed);  // before, one signal was all activities'
#endif
}

void CountEnergy() { sg_host_energy_plugin_init(); }

// Idle, with next to nothing to do, and with all cores busy, each of which draws what a busy unit does above
// idle.
void SetWatts(sg4::Host& host, const std::vector<Watts>& draws, std::int64_t cores) {
  std::string all;
  for (const Watts& in : draws) {
    TANDEM_CHECK(in.idle && in.busy, "the energy plugin knows no host without watts");
    const std::string idle = JsonNumber(*in.idle);
    all += (all.empty() ? "" : ",") + idle + ":" + idle + ":" +
           JsonNumber(*in.idle + static_cast<double>(cores) * in.AboveIdle());
  }
  host.set_property("wattage_per_state", all);
}

double JoulesOf(const sg4::Host& host) { return sg_host_get_consumed_energy(&host) / kNanosPerSecond; }

// SimGrid reads options from a command line; the program's own is none of its business.
sg4::Engine& MakeSimGridEngine() {
  static char name[] = "tandem", quiet[] = "--log=root.thres:critical", model[] = "--cfg=network/model:CM02",
              alone[] = "--cfg=network/crosstraffic:0";
  static char* arguments[] = {name, quiet, model, alone, nullptr};
  static int count = 4;
  TANDEM_CHECK(!sg4::Engine::has_instance(), "SimGrid simulates once per process");
  return *new sg4::Engine(&count, arguments);
}

std::string VersionOfSimGrid() {
  int major = 0, minor = 0, patch = 0;
  sg_version_get(&major, &minor, &patch);
  std::string version = std::to_string(major) + "." + std::to_string(minor);
  return patch == 0 ? version : version + "." + std::to_string(patch);
}

}  // namespace tandem
