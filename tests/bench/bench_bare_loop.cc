// What the SimGrid engine is measured against: as many Execs on as many hosts, started from completion
// callbacks, with nothing to decide. A program of its own, which has SimGrid from its start. It prints how
// many seconds its simulation took.
//   bench_bare_loop UNITS EXECS
#include <xbt/base.h>  // version.h needs its macros
#include <chrono>
#include <cstdio>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include <simgrid/version.h>

#include "tests/bench/unit_times.h"

namespace tandem {
namespace {

namespace sg4 = simgrid::s4u;

struct Place {
  sg4::Host* host = nullptr;
  std::vector<std::int64_t> nanos;  // of its Execs, in turn
  sg4::ExecPtr running, ended;
};

// Each host runs the next of `execs` Execs when its own ends.
void RunBareLoop(std::size_t units, std::size_t total) {
  char name[] = "bench", quiet[] = "--log=root.thres:critical";
  char* arguments[] = {name, quiet, nullptr};
  int count = 2;
  sg4::Engine engine(&count, arguments);
  std::vector<Place> places(units);
#if SIMGRID_VERSION >= 40000
  sg4::NetZone* zone = engine.get_netzone_root()->add_netzone_full("board");
#else
  sg4::NetZone* zone = sg4::create_full_zone("board");
#endif
  for (std::size_t p = 0; p < places.size(); ++p) {
#if SIMGRID_VERSION >= 40000
    places[p].host = zone->add_host("unit" + std::to_string(p), 1.0)->seal();
#else
    places[p].host = zone->create_host("unit" + std::to_string(p), 1.0)->seal();
#endif
    places[p].host->set_data(&places[p]);
    for (int m = 0; m < kBenchModels; ++m) places[p].nanos.push_back(BenchMicros(p, m) * 1000);
  }
  zone->seal();
  std::size_t next = 0;
  const auto start = [&](Place& place) {
    if (next == total) return;
    const std::int64_t amount = place.nanos[next++ % place.nanos.size()];
    place.running = sg4::Exec::init();
    place.running->set_flops_amount(static_cast<double>(amount))->set_host(place.host)->start();
  };
  sg4::Exec::on_completion_cb([&](const sg4::Activity& activity) {
    auto& place = *static_cast<const sg4::Exec&>(activity).get_host()->get_data<Place>();
    place.ended = std::move(place.running);  // SimGrid still needs it after this
    start(place);
  });
  for (Place& place : places) start(place);
  engine.run();
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto start = std::chrono::steady_clock::now();
  tandem::RunBareLoop(std::stoul(argv[1]), std::stoul(argv[2]));
  std::printf("%.9f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}
