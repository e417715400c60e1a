// A SimGrid platform file as a board. Inside the library that LoadSimGrid loads.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "profiles/base/input_error.h"
#include "profiles/base/json_reader.h"
#include "profiles/base/suggest.h"
#include "sim/engine/simgrid_engine.h"
#include "sim/engine/simgrid_library.h"
#include "sim/engine/simgrid_tags.h"

namespace tandem {
namespace {

namespace sg4 = simgrid::s4u;
using Json = nlohmann::ordered_json;

constexpr const char* kBandwidth = "bandwidth_bytes_per_s";
constexpr std::size_t kMostHosts = 256;  // of a board: a memory each
constexpr double kTooFast = 0x1p63;      // flop/s
constexpr std::size_t kMostLinks = 512;  // the same: 32 hosts, each of which is linked with each other one

template <class Element>
std::string Property(const Element& element, const char* key) {
  const char* const value = element.get_property(key);
  return value == nullptr ? "" : value;
}

// As messages call them.
std::string Called(const sg4::Host& host) { return "host " + Quoted(host.get_name()); }
std::string Called(const sg4::NetZone& zone) { return "zone " + Quoted(zone.get_name()); }
std::string Called(const sg4::Link& link) { return "link " + Quoted(link.get_name()); }
template <class Element>
std::string Called(const Element& element, const char* property) {
  return Called(element) + ": property " + Quoted(property);
}

// The place that tandem gave it, else behind all of those.
template <class Element>
std::int32_t OrderOf(const Element& element) {
  constexpr const char* kOrder = "tandem_order";
  const std::string order = Property(element, kOrder);
  std::int32_t place = INT32_MAX;
  if (order.empty()) return place;
  const auto [end, error] = std::from_chars(order.data(), order.data() + order.size(), place);
  if (error == std::errc() && end == order.data() + order.size() && place >= 0) return place;
  throw InputError(Called(element, kOrder) + " is " + Quoted(order) + "; it is a whole number from 0 to " +
                   std::to_string(INT32_MAX) + ", or is left out");
}

// By the order in which tandem wrote them, else by name.
template <class Element>
std::vector<Element*> InOrder(std::vector<Element*> elements) {
  std::map<const Element*, std::int32_t> place;
  for (const Element* element : elements) place[element] = OrderOf(*element);
  std::stable_sort(elements.begin(), elements.end(),
                   [&](const Element* a, const Element* b) { return place[a] < place[b]; });
  return elements;
}

// What tandem wrote into a property, as strictly as it reads files.
template <class Element>
Json ReadProperty(const Element& element, const char* key) {
  const std::string text = Property(element, key), place = Called(element, key);
  const JsonDocument document = JsonDocument::Parse(text, place);
  if (!document.root().IsObject()) {
    throw InputError(place + " is " + Quoted(text) +
                     "; it is a JSON object as `tandem boards export` writes it");
  }
  return Json::parse(text);
}

class BoardReader {
 public:
  explicit BoardReader(const sg4::Engine& engine)
      : engine_(engine), hosts_(InOrder(engine.get_all_hosts())), links_(InOrder(engine.get_all_links())) {}

  // `zone`: that has what tandem wrote of the whole board; null: none has.
  Json Read(const std::string& name, const sg4::NetZone* zone) {
    if (hosts_.empty()) throw InputError("it has no hosts; a board has one at least");
    if (hosts_.size() > kMostHosts) {
      throw InputError("it has " + std::to_string(hosts_.size()) + " hosts, of which a board takes at most " +
                       std::to_string(kMostHosts) + "; leave out those that run no models");
    }
    const bool own = std::any_of(hosts_.begin(), hosts_.end(),
                                 [](const sg4::Host* host) { return !Property(*host, kUnit).empty(); });
    board_ = {{"tandem", "platform/1"}, {"name", name}};
    Made("/name", "zone " + Quoted(name) + ": id", kOtherName);
    if (!own) board_["note"] = "Read from a SimGrid platform file: hosts are units, routes are links.";
    if (zone != nullptr && !Property(*zone, kBoard).empty()) {
      board_.update(ReadProperty(*zone, kBoard));
      for (const char* key : {"/note", "/price"}) Made(key, Called(*zone, kBoard));
    }
    for (const char* list : {"memories", "hubs", "links", "units"}) board_[list] = Json::array();
    own ? ReadOwn() : ReadForeign();
    if (board_["hubs"].empty()) board_.erase("hubs");
    return {
        {"board", std::move(board_)}, {"made_of", std::move(made_of_)}, {"notes", notes_}, {"tags", tags_}};
  }

 private:
  static constexpr const char *kBoard = "tandem_board", *kUnit = "tandem_unit", *kMemory = "tandem_memory",
                              *kHub = "tandem_hub", *kLink = "tandem_link", *kWatts = "wattage_per_state";
  static constexpr const char* kOtherName =
      "; give it another id, of at most 190 bytes and without control characters";
  static constexpr const char* kOtherBandwidth = "; in bytes a second, as in bandwidth=\"100MBps\"";
  static constexpr const char* kOtherLatency = "; as in latency=\"10us\"";

  // What the place of the board was made of in the file, and what mends that, for whoever reads messages.
  void Made(const std::string& pointer, const std::string& of, const std::string& mended_by = "") {
    made_of_[pointer] = {{"of", of}, {"mended_by", mended_by}};
  }
  // Into a list of the board; returns its pointer.
  std::string Put(const char* list, Json part) {
    board_[list].push_back(std::move(part));
    return std::string("/") + list + "/" + std::to_string(board_[list].size() - 1);
  }

  const sg4::Link* FindLink(const std::string& name) const {
    const auto found = std::find_if(links_.begin(), links_.end(),
                                    [&](const sg4::Link* link) { return link->get_name() == name; });
    return found == links_.end() ? nullptr : *found;
  }

  // Of the link's tag itself.
  static double LatencyOf(const sg4::Link& link) {
    const double seconds = link.get_latency();
    if (std::isfinite(seconds) && seconds >= 0) return seconds;
    throw InputError(Called(link) + ": latency: it is negative or no number" + kOtherLatency);
  }
  static double BandwidthOf(const sg4::Link& link) {
    const double bandwidth = link.get_bandwidth();
    if (std::isfinite(bandwidth)) return bandwidth;
    throw InputError(Called(link) + ": bandwidth: it is no number" + kOtherBandwidth);
  }
  void MadeOfTag(const std::string& pointer, const sg4::Link& link) {
    Made(pointer + "/" + kBandwidth, Called(link) + ": bandwidth", kOtherBandwidth);
  }

  template <class Element>
  std::string PutOwn(const char* list, const Element& element, const char* property) {
    if (Property(element, property).empty()) return "";
    std::string pointer = Put(list, ReadProperty(element, property));
    Made(pointer, Called(element, property));
    return pointer;
  }

  // What tandem wrote; figures of links are those of the file, which a user may have changed.
  void ReadOwn() {
    Made("/memories", "hosts with the property " + Quoted(kMemory),
         "; `tandem boards export` writes one for each memory");
    for (const sg4::Host* host : hosts_) {
      if (!PutOwn("units", *host, kUnit).empty()) {
        tags_.push_back({{"of", Called(*host)},
                         {"core", host->get_core_count()},
                         {"speeds", SpeedsOf(*host)},
                         {"watts", Property(*host, kWatts)}});
      }
      const std::string memory = PutOwn("memories", *host, kMemory);
      const sg4::Link* const link = memory.empty() ? nullptr : FindLink(host->get_name());
      if (link == nullptr) continue;
      board_["memories"].back()[kBandwidth] = BandwidthOf(*link);
      MadeOfTag(memory, *link);
    }
    for (const sg4::Link* link : links_) {
      if (const std::string hub = PutOwn("hubs", *link, kHub); !hub.empty()) {
        board_["hubs"].back()[kBandwidth] = BandwidthOf(*link);
        MadeOfTag(hub, *link);
      }
      if (const std::string own = PutOwn("links", *link, kLink); !own.empty()) {
        board_["links"].back()[kBandwidth] = BandwidthOf(*link);
        board_["links"].back()["latency_us"] = LatencyOf(*link) * 1e6;
        MadeOfTag(own, *link);
        Made(own + "/latency_us", Called(*link) + ": latency", kOtherLatency);
      }
    }
  }

  // Any platform: a memory beside every host.
  void ReadForeign() {
    for (const sg4::Host* host : hosts_) {
      const std::string memory = Put("memories", {{"name", MemoryOf(*host)}});
      const std::string unit = Put("units", UnitOf(*host));
      for (const std::string& part : {memory, unit}) {
        Made(part, Called(*host));
        Made(part + "/name", Called(*host) + ": id", kOtherName);
      }
      Made(unit + "/slots", Called(*host) + ": core", "; a task runs on each: give it fewer");
      for (const char* key : {"/idle_w", "/busy_w", "/states"}) Made(unit + key, Called(*host, kWatts));
    }
    engine_.seal_platform();  // before, zones know few of their routes, and SimGrid dies of asking some
    const std::vector<Way> ways = WaysOfHosts();
    std::map<const sg4::Link*, int> routes;
    for (const Way& way : ways) {
      for (const sg4::Link* link : way.links) ++routes[link];
    }
    for (const Way& way : ways) AddLink(way, routes);
  }

  struct Way {
    const sg4::Host *from, *to;
    std::vector<const sg4::Link*> links;
    double latency = 0;
    std::string note;
  };

  // Of all pairs of hosts; where these are more than a board takes, of the first host alone.
  std::vector<Way> WaysOfHosts() {
    std::vector<Way> ways;
    std::size_t of_first = 0;
    for (std::size_t from = 0; from < hosts_.size() && ways.size() <= kMostLinks; ++from) {
      for (std::size_t to = from + 1; to < hosts_.size() && ways.size() <= kMostLinks; ++to)
        AddWay(*hosts_[from], *hosts_[to], ways);
      if (from == 0) of_first = ways.size();
    }
    if (ways.size() <= kMostLinks) return ways;
    ways.erase(ways.begin() + static_cast<std::ptrdiff_t>(of_first), ways.end());
    notes_.push_back("its routes are more than the " + std::to_string(kMostLinks) +
                     " links that a board takes: only those of " + Called(*hosts_[0]) + " are links");
    if (!board_["note"].is_string()) return ways;  // a property of the file, which is refused
    board_["note"] = board_["note"].get<std::string>() + " Of more than " + std::to_string(kMostLinks) +
                     " routes only those of " + Called(*hosts_[0]) + " are here.";
    return ways;
  }

  void AddLink(const Way& way, const std::map<const sg4::Link*, int>& routes) {
    const sg4::Link *narrowest = nullptr, *hub = nullptr;
    for (const sg4::Link* over : way.links) {
      LatencyOf(*over);
      const double bandwidth = BandwidthOf(*over);
      if (narrowest == nullptr || bandwidth < narrowest->get_bandwidth()) narrowest = over;
      const bool shared = routes.at(over) > 1 && !GivesAllToEach(*over);
      if (shared && (hub == nullptr || bandwidth < hub->get_bandwidth())) hub = over;
    }
    Json link = {{"from", MemoryOf(*way.from)},
                 {"to", MemoryOf(*way.to)},
                 {"latency_us", way.latency * 1e6},
                 {kBandwidth, narrowest->get_bandwidth()}};
    if (hub != nullptr) {
      if (hubs_.insert(hub).second) AddHub(*hub);
      link["hub"] = hub->get_name();
    }
    std::string note = way.note;
    if (GivesAllToEach(*narrowest)) {
      note += (note.empty() ? "" : " ") + Called(*narrowest) +
              " is a FATPIPE, of which every flow has all the bandwidth; here copies that are under way at "
              "once share it.";
    }
    if (!note.empty()) link["note"] = std::move(note);
    const std::string pointer = Put("links", std::move(link));
    const std::string route = "route from " + Called(*way.from) + " to " + Called(*way.to);
    Made(pointer, route);
    Made(pointer + "/latency_us", route + ": latency", kOtherLatency);
    Made("/links", "routes between hosts", "; leave out hosts that run no models");
    MadeOfTag(pointer, *narrowest);
  }
  static bool GivesAllToEach(const sg4::Link& link) {
    return link.get_sharing_policy() == sg4::Link::SharingPolicy::FATPIPE;
  }
  void AddHub(const sg4::Link& link) {
    const std::string pointer = Put("hubs", {{"name", link.get_name()}, {kBandwidth, link.get_bandwidth()}});
    Made(pointer, Called(link));
    Made(pointer + "/name", Called(link) + ": id", kOtherName);
    MadeOfTag(pointer, link);
  }

  // Empty: none leads there.
  static Way WayFrom(const sg4::Host& from, const sg4::Host& to) {
    std::vector<sg4::Link*> links;
    Way way{&from, &to, {}, 0, ""};
    try {
      from.route_to(&to, links, &way.latency);
    } catch (const std::exception&) {
      return {&from, &to, {}, 0, ""};
    }
    way.links.assign(links.begin(), links.end());
    return way;
  }
  static double NarrowestOf(const Way& way) {
    double least = std::numeric_limits<double>::infinity();
    for (const sg4::Link* link : way.links) least = std::min(least, BandwidthOf(*link));
    return least;
  }

  // A board's links work both ways, SimGrid's routes one: of two that differ the worse of each figure counts.
  static void AddWay(const sg4::Host& from, const sg4::Host& to, std::vector<Way>& ways) {
    Way way = WayFrom(from, to), back = WayFrom(to, from);
    if (way.links.empty()) std::swap(way, back);
    if (way.links.empty()) return;
    if (back.links.empty()) {
      way.note = "The file has a route from " + Called(*way.from) + " to " + Called(*way.to) +
                 " and none back; here copies go both ways.";
      return ways.push_back(std::move(way));
    }
    const double there = NarrowestOf(way), here = NarrowestOf(back);
    const double latency = std::max(way.latency, back.latency);
    const bool same_latency =
        std::abs(way.latency - back.latency) <= 1e-9 * latency;  // sums, of other orders
    if (there != here || !same_latency) {
      way.note =
          "The file's routes there and back differ; here both have the narrower bandwidth and the later "
          "latency of the two.";
    }
    if (here < there) way.links = std::move(back.links);
    if (!same_latency) way.latency = latency;
    ways.push_back(std::move(way));
  }

  static std::string MemoryOf(const sg4::Host& host) { return host.get_name() + " memory"; }
  static Json UnitOf(const sg4::Host& host) {
    Json unit = {{"name", host.get_name()},
                 {"kind", "cpu"},
                 {"memory", MemoryOf(host)},
                 {"slots", host.get_core_count()}};
    AddWatts(host, unit);
    const std::vector<std::int64_t> each = SpeedsOf(host);
    std::string speeds = std::to_string(each[0]);
    for (std::size_t state = 0; each.size() > 1 && state < each.size(); ++state) {
      speeds =
          (state > 0 ? speeds + ", " : "") + std::to_string(each[state]) + " (" + NameOfState(state) + ")";
    }
    unit["note"] = "A core does " + speeds + " flop/s; what models take is for a profile to say.";
    return unit;
  }

  // Of its pstates, in flop/s.
  static std::vector<std::int64_t> SpeedsOf(const sg4::Host& host) {
    std::vector<std::int64_t> speeds;
    for (unsigned long state = 0; state < host.get_pstate_count(); ++state) {
      const double speed = host.get_pstate_speed(state);
      // SimGrid takes "nanf", too. Not even the largest whole number is 2^63.
      if (!(speed > 0 && speed < kTooFast)) {
        throw InputError(Called(host) +
                         ": speed: it is not above 0 and below 2^63 flop/s; as in speed=\"1Gf\"");
      }
      speeds.push_back(static_cast<std::int64_t>(speed));
    }
    return speeds;
  }
  static std::string NameOfState(std::size_t state) { return "pstate" + std::to_string(state); }

  // The unit's own watts are those of the state that it is in.
  static void AddWatts(const sg4::Host& host, Json& unit) {
    Json states = Json::array();
    const std::string all = Property(host, kWatts);
    std::istringstream watts(all);
    for (std::string text; std::getline(watts, text, ',');) {
      const std::optional<StateOfHost> state = ReadStateOfHost(text);
      if (!state) {
        throw InputError(Called(host, kWatts) + ": " + Quoted(text) +
                         " is no state's; write \"idle:all cores\" or \"idle:epsilon:all cores\" in watts, "
                         "as in \"10:12:20\", with a comma between states");
      }
      if (state->all < state->idle) {
        throw InputError(Called(host, kWatts) + ": " + Quoted(text) +
                         " has all cores draw less than none; write the idle watts first");
      }
      states.push_back({{"name", NameOfState(states.size())},
                        {"idle_w", state->idle},
                        {"busy_w", state->OfOne(host.get_core_count())}});
    }
    if (states.empty()) return;
    if (states.size() != host.get_pstate_count()) {
      throw InputError(Called(host, kWatts) + " has " + std::to_string(states.size()) +
                       " states, the host's speed " + std::to_string(host.get_pstate_count()) +
                       "; write as many, with a comma between them");
    }
    unit["idle_w"] = states[host.get_pstate()]["idle_w"];
    unit["busy_w"] = states[host.get_pstate()]["busy_w"];
    if (states.size() > 1) unit["states"] = std::move(states);
  }

  const sg4::Engine& engine_;
  std::vector<sg4::Host*> hosts_;
  std::vector<sg4::Link*> links_;
  std::set<const sg4::Link*> hubs_;
  Json board_, made_of_ = Json::object();
  std::vector<std::string> notes_;
  Json tags_ = Json::array();
};

constexpr const char* kName = "tandem_name";

// That tandem has written; null: none.
const sg4::NetZone* OwnZone(const sg4::NetZone& root) {
  for (const sg4::NetZone* zone : root.get_children()) {
    if (!Property(*zone, kName).empty()) return zone;
  }
  return Property(root, kName).empty() ? nullptr : &root;
}

}  // namespace

std::string BoardOfPlatformFile(const std::string& file) {
  const sg4::Engine& engine = MakeSimGridEngine();
  // Of some files it dies. Who has sent for it says so better than its own "Segmentation fault.".
  std::signal(SIGSEGV, SIG_DFL);
  engine.load_platform(file);
  try {
    const sg4::NetZone* const root = engine.get_netzone_root();
    if (!root) throw InputError("SimGrid cannot read it as a platform file: it has no zone");
    const sg4::NetZone* const own = OwnZone(*root);
    return BoardReader(engine).Read(own == nullptr ? root->get_name() : Property(*own, kName), own).dump();
  } catch (const Json::type_error&) {
    throw InputError("a name or property in it is not UTF-8; save the file as UTF-8");
  }
}

}  // namespace tandem
