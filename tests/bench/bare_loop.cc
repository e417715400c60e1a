#include "tests/bench/bare_loop.h"

#include <xbt/base.h>  // version.h needs its macros
#include <simgrid/s4u.hpp>

#include <simgrid/version.h>

namespace tandem {
namespace {

namespace sg4 = simgrid::s4u;

struct Place {
  sg4::Host* host = nullptr;
  const std::vector<std::int64_t>* times = nullptr;
  sg4::ExecPtr running, ended;
};

}  // namespace

std::int64_t RunBareLoop(const std::vector<std::vector<std::int64_t>>& times, std::int64_t execs) {
  char name[] = "bench", quiet[] = "--log=root.thres:critical";
  char* arguments[] = {name, quiet, nullptr};
  int count = 2;
  sg4::Engine engine(&count, arguments);
  std::vector<Place> places(times.size());
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
    places[p].times = &times[p];
  }
  zone->seal();
  std::size_t next = 0;
  const auto total = static_cast<std::size_t>(execs);
  const auto start = [&](Place& place) {
    if (next == total) return;
    const std::int64_t amount = (*place.times)[next++ % place.times->size()];
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
  return static_cast<std::int64_t>(sg4::Engine::get_clock());
}

}  // namespace tandem
