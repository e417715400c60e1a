// A SimGrid platform file as a board. Inside the library that LoadSimGrid loads.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "profiles/base/input_error.h"
#include "sim/engine/simgrid_engine.h"
#include "sim/engine/simgrid_library.h"

namespace tandem {
namespace {

namespace sg4 = simgrid::s4u;
using Json = nlohmann::ordered_json;

constexpr const char* kBandwidth = "bandwidth_bytes_per_s";
constexpr std::size_t kMostHosts = 256;  // of a board: a memory each
constexpr std::size_t kFewHosts = 16;    // of which each is linked with each other one

template <class Element>
std::string Property(const Element& element, const char* key) {
  const char* const value = element.get_property(key);
  return value == nullptr ? "" : value;
}

// By the order in which tandem wrote them, else by name.
template <class Element>
std::vector<Element*> InOrder(std::vector<Element*> elements) {
  const auto place = [](const Element* element) {
    const std::string order = Property(*element, "tandem_order");
    return order.empty() ? INT32_MAX : std::stoi(order);
  };
  std::stable_sort(elements.begin(), elements.end(),
                   [&](const Element* a, const Element* b) { return place(a) < place(b); });
  return elements;
}

class BoardReader {
 public:
  explicit BoardReader(const sg4::Engine& engine)
      : hosts_(InOrder(engine.get_all_hosts())), links_(InOrder(engine.get_all_links())) {}

  Json Read(const std::string& name) {
    if (hosts_.empty()) throw InputError("it has no hosts");
    if (hosts_.size() > kMostHosts) throw InputError("it has more hosts than a board can have units, 256");
    const bool own = std::any_of(hosts_.begin(), hosts_.end(), [](const sg4::Host* host) {
      return !Property(*host, "tandem_unit").empty();
    });
    Json board = {{"tandem", "platform/1"}, {"name", name}};
    if (!own) board["note"] = "Read from a SimGrid platform file: hosts are units, routes are links.";
    return own ? ReadOwn(std::move(board)) : ReadForeign(std::move(board));
  }

 private:
  const sg4::Link* FindLink(const std::string& name) const {
    const auto found = std::find_if(links_.begin(), links_.end(),
                                    [&](const sg4::Link* link) { return link->get_name() == name; });
    return found == links_.end() ? nullptr : *found;
  }

  // What tandem wrote; figures of links are those of the file, which a user may have changed.
  Json ReadOwn(Json board) {
    Json memories = Json::array(), hubs = Json::array(), links = Json::array(), units = Json::array();
    for (const sg4::Host* host : hosts_) {
      if (const std::string unit = Property(*host, "tandem_unit"); !unit.empty())
        units.push_back(Json::parse(unit));
      const std::string memory = Property(*host, "tandem_memory");
      if (memory.empty()) continue;
      memories.push_back(Json::parse(memory));
      if (const sg4::Link* link = FindLink(host->get_name()))
        memories.back()[kBandwidth] = link->get_bandwidth();
    }
    for (const sg4::Link* link : links_) {
      if (const std::string hub = Property(*link, "tandem_hub"); !hub.empty()) {
        hubs.push_back(Json::parse(hub));
        hubs.back()[kBandwidth] = link->get_bandwidth();
      }
      if (const std::string of = Property(*link, "tandem_link"); !of.empty()) {
        links.push_back(Json::parse(of));
        links.back()[kBandwidth] = link->get_bandwidth();
        links.back()["latency_us"] = link->get_latency() * 1e6;
      }
    }
    return Put(std::move(board), std::move(memories), std::move(hubs), std::move(links), std::move(units));
  }

  // Any platform: a memory beside every host.
  Json ReadForeign(Json board) {
    Json memories = Json::array(), units = Json::array();
    for (const sg4::Host* host : hosts_) {
      memories.push_back({{"name", MemoryOf(*host)}});
      units.push_back(UnitOf(*host));
    }
    std::vector<Way> ways;
    for (std::size_t from = 0; from < hosts_.size(); ++from) {
      if (from > 0 && hosts_.size() > kFewHosts) break;
      for (std::size_t to = from + 1; to < hosts_.size(); ++to) AddWay(*hosts_[from], *hosts_[to], ways);
    }
    std::map<const sg4::Link*, int> routes;
    for (const Way& way : ways) {
      for (const sg4::Link* link : way.links) ++routes[link];
    }
    Json hubs = Json::array(), links = Json::array();
    std::map<const sg4::Link*, std::string> named;
    for (const Way& way : ways) {
      Json link = {
          {"from", MemoryOf(*way.from)}, {"to", MemoryOf(*way.to)}, {"latency_us", way.latency * 1e6}};
      const sg4::Link *narrowest = nullptr, *hub = nullptr;
      for (const sg4::Link* over : way.links) {
        if (narrowest == nullptr || over->get_bandwidth() < narrowest->get_bandwidth()) narrowest = over;
        const bool shared = routes[over] > 1;
        if (shared && (hub == nullptr || over->get_bandwidth() < hub->get_bandwidth())) hub = over;
      }
      link[kBandwidth] = narrowest->get_bandwidth();
      if (hub != nullptr) {
        if (named.emplace(hub, hub->get_name()).second)
          hubs.push_back({{"name", hub->get_name()}, {kBandwidth, hub->get_bandwidth()}});
        link["hub"] = named[hub];
      }
      links.push_back(std::move(link));
    }
    return Put(std::move(board), std::move(memories), std::move(hubs), std::move(links), std::move(units));
  }

  struct Way {
    const sg4::Host *from, *to;
    std::vector<const sg4::Link*> links;
    double latency = 0;
  };

  static void AddWay(const sg4::Host& from, const sg4::Host& to, std::vector<Way>& ways) {
    std::vector<sg4::Link*> links;
    Way way{&from, &to, {}, 0};
    try {
      from.route_to(&to, links, &way.latency);
    } catch (const std::exception&) {
      return;  // none leads there
    }
    way.links.assign(links.begin(), links.end());
    if (!way.links.empty()) ways.push_back(std::move(way));
  }

  static std::string MemoryOf(const sg4::Host& host) { return host.get_name() + " memory"; }
  static Json UnitOf(const sg4::Host& host) {
    Json unit = {{"name", host.get_name()},
                 {"kind", "cpu"},
                 {"memory", MemoryOf(host)},
                 {"slots", host.get_core_count()}};
    AddWatts(host, unit);
    std::string speeds = std::to_string(static_cast<std::int64_t>(host.get_speed()));
    if (host.get_pstate_count() > 1) {
      speeds.clear();
      for (unsigned long state = 0; state < host.get_pstate_count(); ++state) {
        speeds += (state > 0 ? ", " : "") +
                  std::to_string(static_cast<std::int64_t>(host.get_pstate_speed(state))) + " (" +
                  NameOfState(state) + ")";
      }
    }
    unit["note"] = "A core does " + speeds + " flop/s; what models take is for a profile to say.";
    return unit;
  }

  static std::string NameOfState(std::size_t state) { return "pstate" + std::to_string(state); }

  // By state "idle:one core:all cores", or "idle:all cores"; the unit's own are those of the one it is in.
  static void AddWatts(const sg4::Host& host, Json& unit) {
    Json states = Json::array();
    std::istringstream watts(Property(host, "wattage_per_state"));
    try {
      for (std::string state; std::getline(watts, state, ',');) {
        const std::size_t colon = state.find(':');
        if (colon == std::string::npos) return;  // in words of the user's own
        states.push_back({{"name", NameOfState(states.size())},
                          {"idle_w", std::stod(state)},
                          {"busy_w", std::stod(state.substr(state.rfind(':') + 1))}});
      }
    } catch (const std::exception&) {
      return;
    }
    if (host.get_pstate() >= states.size()) return;
    unit["idle_w"] = states[host.get_pstate()]["idle_w"];
    unit["busy_w"] = states[host.get_pstate()]["busy_w"];
    if (states.size() > 1 && states.size() == host.get_pstate_count()) unit["states"] = std::move(states);
  }

  static Json Put(Json board, Json memories, Json hubs, Json links, Json units) {
    board["memories"] = std::move(memories);
    if (!hubs.empty()) board["hubs"] = std::move(hubs);
    if (!links.empty()) board["links"] = std::move(links);
    board["units"] = std::move(units);
    return board;
  }

  std::vector<sg4::Host*> hosts_;
  std::vector<sg4::Link*> links_;
};

std::string NameIn(const sg4::Engine& engine) {
  for (const sg4::NetZone* zone : engine.get_netzone_root()->get_children()) {
    if (const std::string name = Property(*zone, "tandem_name"); !name.empty()) return name;
  }
  const sg4::NetZone* const root = engine.get_netzone_root();
  const std::string own = Property(*root, "tandem_name");
  return own.empty() ? root->get_name() : own;
}

}  // namespace

std::string BoardOfPlatformFile(const std::string& file) {
  const sg4::Engine& engine = MakeSimGridEngine();
  engine.load_platform(file);
  return BoardReader(engine).Read(NameIn(engine)).dump();
}

}  // namespace tandem
