#include "sim/engine/simgrid_engine.h"

#include <simgrid/plugins/energy.h>

#include "profiles/base/check.h"
#include "profiles/base/json_write.h"

namespace tandem {

namespace sg4 = simgrid::s4u;

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
