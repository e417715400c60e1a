#include "tests/support/random_scenario.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace tandem {
namespace {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class Generator {
 public:
  Generator(std::uint64_t seed, Drawn drawn)
      : seed_(seed), bits_(seed * 0x9e3779b97f4a7c15U + 1), drawn_(drawn) {}

  void Draw() {
    coarse_ = Chance(50);
    transfer_ = OneOf({"none", "copy", "copy", "zero_copy"});
    DrawPlatform();
    const int models = Between(1, 3);
    for (int m = 0; m < models; ++m) DrawModel("m" + std::to_string(m));
    DrawSurroundings();
    DrawScenario();
    bits_.seed(seed_ + 1);  // what is drawn here leaves the rest as it is
    DrawParts();
    bits_.seed(seed_ + 2);
    DrawNeighbourhood();
    bits_.seed(seed_ + 3);
    for (Json& stream : scenario_["streams"]) DrawFrames(stream);
    bits_.seed(seed_ + 4);
    for (Json& unit : platform_["units"]) {
      if (unit.contains("slots") && Chance(25)) unit["time_shared"] = true;
    }
    bits_.seed(seed_ + 5);
    DrawSharedWays();
    bits_.seed(seed_ + 6);
    if (Chance(20)) DrawSpeeds();
    bits_.seed(seed_ + 8);
    if (Chance(20)) DrawHeat();
    bits_.seed(seed_ + 9);
    DrawPreemption();
    bits_.seed(seed_ + 10);
    DrawFanOut();
    bits_.seed(seed_ + 11);
    if (Chance(20)) DrawAbsences();
    bits_.seed(seed_ + 12);
    DrawEndToEnd();
    bits_.seed(seed_ + 13);
    DrawLossOfSharing();
    bits_.seed(seed_ + 17);
    DrawSlices();
    bits_.seed(seed_ + 14);
    if (drawn_ != Drawn::kTight && Chance(25)) DrawChips();
    bits_.seed(seed_ + 7);
    if (drawn_ == Drawn::kBatching) DrawBatches();
    bits_.seed(seed_ + 16);
    if (drawn_ == Drawn::kCritical) DrawCritical();
    bits_.seed(seed_ + 20);
    if (drawn_ == Drawn::kFurther && Chance(30)) DrawCopiesOfSharedUnits();
    bits_.seed(seed_ + 18);
    if (drawn_ == Drawn::kFurther) DrawFurther();
    bits_.seed(seed_ + 19);
    if (FormsBatches()) DrawMoreOfBatches();
    if (drawn_ == Drawn::kProvable || drawn_ == Drawn::kShared) KeepToWhatProofsAskFor();
    bits_.seed(seed_ + 15);
    DrawHandedOn();
    DrawJoinsAcross();
    bits_.seed(seed_);
    if (drawn_ == Drawn::kTight) DrawLittleRoom();
  }

  std::string Write(const fs::path& folder) const {
    fs::create_directories(folder);
    for (const Json& model : models_) WriteFile(folder / (Text(model["name"]) + ".model.json"), model);
    WriteFile(folder / "board.platform.json", platform_);
    WriteFile(folder / "board.profile.json", profile_);
    for (const auto& [name, text] : times_) std::ofstream(folder / name) << text;
    const fs::path path = folder / "random.scenario.json";
    WriteFile(path, scenario_);
    return path.string();
  }

 private:
  int Between(int least, int most) {
    return least + static_cast<int>(bits_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool Chance(int percent) { return Between(1, 100) <= percent; }
  std::string OneOf(const std::vector<std::string>& of) {
    return of[static_cast<std::size_t>(Between(0, static_cast<int>(of.size()) - 1))];
  }
  // Whole microseconds, or thousandths of them.
  double Micros(int most, int least = 1) {
    return coarse_ ? Between(least, most) : Between((least - 1) * 1000 + 1, most * 1000) / 1000.0;
  }
  static std::string Text(const Json& value) { return value.get<std::string>(); }
  static void WriteFile(const fs::path& path, const Json& value) { std::ofstream(path) << value.dump(1); }

  void AddTime(Json& entry, int most) {
    if (Chance(80)) {
      entry["median_us"] = Micros(most);
    } else {
      entry["samples_us"] = {Micros(most), Micros(most), Micros(most)};
    }
  }

  void DrawPlatform() {
    platform_ = {{"tandem", "platform/1"}, {"name", "board"}};
    const int memories = Chance(40) ? 1 : Between(2, 3);
    for (int m = 0; m < memories; ++m) platform_["memories"].push_back({{"name", MemoryName(m)}});
    // A tree, so that there is a way everywhere, and sometimes a link more.
    for (int m = 1; m < memories; ++m) AddLink(Between(0, m - 1), m);
    if (memories == 3 && Chance(30)) AddLinkUnlessThere();
    const int units = Between(1, 4);
    for (int u = 0; u < units; ++u) DrawUnit(u, memories);
    if (units > 1 && Chance(35)) DrawSharing();
  }

  // Units that exclude each other, now all, now some in a chain.
  void DrawSharing() {
    for (Json& unit : platform_["units"]) {
      const int core = Between(0, 3);
      if (Chance(70)) unit["cores"] = Chance(50) ? Json::array({core}) : Json::array({core, core + 1});
      if (Chance(20)) unit["device"] = 0;
    }
  }

  static std::string MemoryName(int m) { return "mem" + std::to_string(m); }
  void AddLink(int from, int to) {
    Json link = {{"from", MemoryName(from)},
                 {"to", MemoryName(to)},
                 {"latency_us", Chance(50) ? 0 : Micros(2)},
                 {"bandwidth_bytes_per_s", Between(1, 4) * 500000000LL}};
    if (Chance(50)) link["engine"] = true;
    platform_["links"].push_back(link);
  }
  void AddLinkUnlessThere() {
    const bool star = platform_["links"][1]["from"] == MemoryName(0);
    AddLink(star ? 1 : 0, 2);
  }

  // Streams whose requests go together, and times of several inferences at once.
  void DrawBatches() {
    Json more = Json::array();
    for (const Json& entry : profile_["entries"]) {
      if (entry["layers"] != "*" || entry.contains("batch")) continue;
      for (const int size : {4, 5}) {
        if (!Chance(70)) continue;
        Json at_once = entry;
        at_once.erase("samples_us");
        at_once.erase("energy_j");
        at_once["batch"] = size;
        at_once["median_us"] = Micros(20, 2);
        more.push_back(std::move(at_once));
      }
    }
    for (Json& entry : more) profile_["entries"].push_back(std::move(entry));
    for (Json& stream : scenario_["streams"]) {
      if (stream.contains("batch") || stream.contains("drop_late") || stream.contains("keep_latest"))
        continue;
      Json batching = {{"most", Between(2, 5)}};
      if (Chance(50)) batching["wait_us"] = Micros(12);
      if (Chance(30)) batching["preferred"] = {2};
      stream["batching"] = std::move(batching);
    }
    if (Chance(50)) LetThemGoAcross();
  }

  bool FormsBatches() const {
    const Json& streams = scenario_["streams"];
    return std::any_of(streams.begin(), streams.end(),
                       [](const Json& stream) { return stream.contains("batching"); });
  }

  // Streams that drop form batches too, others come to drop; and of several preferred sizes each may be full.
  // What goes across has one rule and stays as it is.
  void DrawMoreOfBatches() {
    for (Json& stream : scenario_["streams"]) {
      if (stream.contains("batch")) continue;
      if (!stream.contains("batching") && Chance(60))
        stream["batching"] = {{"most", Between(2, 5)}, {"wait_us", Micros(12)}};
      if (!stream.contains("batching")) continue;
      if (ComesOneByOne(stream) && Chance(20)) stream["keep_latest"] = Between(1, 4);
      if (stream.contains("deadline_us") && Chance(30)) stream["drop_late"] = true;
      if (stream["batching"].contains("across") || !Chance(30)) continue;
      Json preferred = Json::array();
      for (int size = 2, most = stream["batching"]["most"]; size <= most; ++size) {
        if (Chance(50)) preferred.push_back(size);
      }
      if (!preferred.empty()) stream["batching"]["preferred"] = preferred;
    }
  }

  // Those of one model together: by the rule of the first, and where they are as critical as that one.
  void LetThemGoAcross() {
    std::map<std::string, Json> first_of;
    for (Json& stream : scenario_["streams"]) {
      if (!stream.contains("batching")) continue;
      const Json& first = first_of.try_emplace(Text(stream["model"]), stream).first->second;
      if (first.contains("critical") != stream.contains("critical")) continue;
      stream["batching"] = first["batching"];
      stream["batching"]["across"] = true;
    }
  }

  // Some of them in little room, or beside streams whose requests go together.
  void DrawCritical() {
    for (Json& stream : scenario_["streams"]) {
      if (!Chance(50)) continue;
      stream["critical"] = true;
      if (!stream.contains("deadline_us")) stream["deadline_us"] = Micros(80, 10);
    }
    if (Chance(20)) {
      DrawLittleRoom();
    } else if (Chance(20)) {
      DrawBatches();
    }
  }

  void DrawFurther() {
    if (Chance(25)) DrawLittleRoom();
    if (Chance(25)) {
      DrawBatches();
    } else if (Chance(25)) {
      DrawCritical();
    }
    for (Json& stream : scenario_["streams"]) {
      if (stream.contains("arrival") && Chance(60)) DrawTimes(stream);
    }
    for (Json& unit : platform_["units"]) {
      if (Chance(50)) DrawStates(unit);
    }
    if (Chance(30)) DrawAllWatts();
    for (int limits = Between(0, 4); limits > 0; --limits) scenario_["limits"].push_back(AnyLimit());
  }

  // In every form that the file may have. Some come at once; some streams take the first of them alone.
  void DrawTimes(Json& stream) {
    const std::string type = Text(stream["arrival"]["type"]);
    if (type != "periodic" && type != "poisson") return;
    const std::string name = Text(stream["name"]);
    const int form = Between(0, 3), times = Between(1, 8);
    Json whole, arrival = {{"type", "trace"}};
    std::string text;
    long long at = 0;
    for (int t = 0; t < times; ++t) {
      const long long gap = Chance(20) ? 0 : std::llround(Micros(12) * 1000);
      at += gap;
      if (form == 0) whole["data"].push_back({{"timestamp", static_cast<double>(at) / 1e6}});
      if (form == 1) text += R"({"timestamp": )" + Thousandths(at / 1000) + "}\n";
      if (form == 2) text += Thousandths(at) + "\n";
      if (form == 3) text += Thousandths(gap) + "  # of " + Thousandths(at) + "\n";
    }
    const std::string file = name + (form == 0 ? ".times.json" : ".times.txt");
    times_[file] = form == 0 ? whole.dump(1) : text;
    arrival["file"] = "./" + file;
    if (form == 3) arrival["intervals"] = true;
    stream["arrival"] = arrival;
    if (Chance(70)) stream.erase("duration_ms");
    if (Chance(70)) stream.erase("count");
    if (stream.contains("count")) stream["count"] = Between(1, times);
  }
  static std::string Thousandths(long long value) {
    const std::string rest = std::to_string(1000 + value % 1000);
    return std::to_string(value / 1000) + "." + rest.substr(1);
  }

  // Two states, in the slow one of which everything takes longer; the scenario names one of them, or none.
  void DrawStates(Json& unit) {
    const std::string name = Text(unit["name"]);
    for (const char* list : {"entries", "parts", "loads"}) {
      if (profile_.contains(list)) DrawStatesOf(name, profile_[list]);
    }
    if (name == UnitName(0) && Chance(60)) scenario_["variants"][name] = OneOf({"fast", "slow"});
    for (const char* state : {"fast", "slow"}) {
      if (!Chance(60)) continue;
      unit["states"].push_back({{"name", state}, {"idle_w", Between(1, 8) / 10.0}});
      if (Chance(70)) unit["states"].back()["busy_w"] = Between(10, 40) / 10.0;
    }
  }
  void DrawStatesOf(const std::string& unit, Json& list) {
    Json slow = Json::array();
    for (Json& entry : list) {
      if (entry["unit"] != unit) continue;
      Json other = entry;
      entry["variant"] = "fast";
      other["variant"] = "slow";
      for (const char* time : {"median_us", "samples_us"}) {
        if (other.contains(time)) Lengthen(other[time], Between(1, 3));
      }
      if (unit == UnitName(0) || Chance(85)) slow.push_back(std::move(other));  // it runs everything
    }
    for (Json& entry : slow) list.push_back(std::move(entry));
  }
  static void Lengthen(Json& time, int times) {
    if (time.is_array()) {
      for (Json& one : time) Lengthen(one, times);
    } else {
      time = static_cast<double>(std::llround(time.get<double>() * 1000) * times) / 1000;
    }
  }

  void DrawAllWatts() {
    for (Json& unit : platform_["units"]) {
      unit["idle_w"] = Between(1, 9) / 10.0;
      unit["busy_w"] = Between(10, 50) / 10.0;
    }
    scenario_["limits"].push_back("energy <= " + Thousandths(Between(1, 400)) + " mJ");
    scenario_["limits"].push_back(OfSomeStream("energy_per_inference") +
                                  " <= " + Thousandths(Between(1, 9000)) + " mJ");
  }

  std::string OfSomeStream(const std::string& figure) {
    const Json& streams = scenario_["streams"];
    const int last = static_cast<int>(streams.size()) - 1;
    const Json& stream = streams[static_cast<std::size_t>(Between(0, last))];
    return "streams." + Text(stream["name"]) + "." + figure;
  }
  // Of a stream that can miss, drop or follow; else of all.
  std::string AnyMissLimit(const std::string& number) {
    for (const Json& stream : scenario_["streams"]) {
      const std::string name = "streams." + Text(stream["name"]) + ".";
      if (stream.contains("drop_late") && Chance(50)) return name + "drops <= " + number + " %";
      if (stream.contains("deadline_us") && Chance(70)) return name + "misses <= " + number + " %";
      if (stream.contains("depends_on") && Chance(70)) return name + "p99_end_to_end <= " + number + " us";
    }
    return "max <= " + number + " us";
  }
  std::string AnyLimit() {
    const std::string number = std::to_string(Between(1, 90));
    switch (Between(0, 6)) {
      case 0:
        return OfSomeStream(OneOf({"mean", "p50", "p90", "p99", "max"})) + " <= " + number + " us";
      case 1:
        return OfSomeStream("throughput") + " >= " + number + "000";
      case 2:
        return "units." + AnyUnit() + ".utilization < " + number + " %";
      case 3:
        return "makespan <= " + number + " us";
      case 4:
        return "p95 <= " + number + " us";
      case 5:
        return AnyMissLimit(number);
      default:
        return "streams.*." + OneOf({"mean", "p99"}) + " <= " + number + " us";
    }
  }

  // What proofs of longest latencies ask for: one slot each, nothing that moves, is shared, loaded or slowed
  // down, and requests that come by a period, most of them with time enough. Some others come, too: they may
  // have a lower rank.
  void KeepToWhatProofsAskFor() {
    const bool shares = drawn_ == Drawn::kShared;
    if (!shares) scenario_["transfer"] = "none";
    for (const char* key : {"background", "speeds", "heat", "away", "co_compiled"}) scenario_.erase(key);
    for (const char* key :
         {"co_running", "together", "after_idle", "after_other", "repeated", "sharing", "loads"})
      profile_.erase(key);
    for (Json& unit : platform_["units"]) {
      for (const char* key : {"time_shared", "slice_us", "switch_us", "preempts", "resident_models",
                              "on_chip_bytes", "stream_bytes_per_s"})
        unit.erase(key);
      for (const char* key : {"slots", "cores", "device"}) {
        if (!shares) unit.erase(key);
      }
    }
    if (shares) ShareCores();
    for (Json& stream : scenario_["streams"]) {
      if (stream.contains("arrival") && Chance(80)) ComeByAPeriod(stream);
      if (!Chance(drawn_ == Drawn::kShared ? 50 : 25)) continue;
      stream["critical"] = true;
      if (!stream.contains("deadline_us")) stream["deadline_us"] = Micros(80, 10);
    }
  }
  // Some of two or three cores, each; most work in the first memory.
  void ShareCores() {
    if (Chance(60)) profile_.erase("hand_overs");
    for (Json& unit : platform_["units"]) {
      if (Chance(60)) unit["memory"] = MemoryName(0);
      if (Chance(70)) unit.erase("slots");
      unit.erase("cores");
      if (Chance(25)) continue;
      for (int core = 0; core < 3; ++core) {
        if (Chance(45)) unit["cores"].push_back(core);
      }
    }
    platform_["units"][0]["memory"] = MemoryName(0);
    platform_["units"][0].erase("slots");
    if (!platform_.contains("links")) return;
    for (Json& link : platform_["links"]) {
      link["bandwidth_bytes_per_s"] = Between(1, 8) * 50000000LL;  // a tensor takes some 3 to 20 us
      if (Chance(70)) link.erase("engine");
    }
  }
  void ComeByAPeriod(Json& stream) {
    stream.erase("duration_ms");
    stream["count"] = Between(5, 30);
    stream["arrival"] = {{"type", "periodic"}, {"period_us", Micros(120, 20)}, {"phase_us", Micros(30)}};
    if (Chance(40)) stream["arrival"]["jitter_us"] = Micros(60);
    if (!stream.contains("deadline_us")) stream.erase("drop_late");
  }

  void DrawLittleRoom() {
    constexpr int kTensor = 4 * 8 * 8 * 4;  // of a batch of one
    for (Json& memory : platform_["memories"]) memory["capacity_bytes"] = kTensor * Between(2, 13);
    for (Json& unit : platform_["units"]) {
      if (Chance(50)) unit["slots"] = Between(1, 4);
    }
  }

  void DrawSpeeds() {
    for (int c = 0, at = 0; c < 3; ++c) {
      at += Between(1, 60);
      scenario_["speeds"].push_back({{"unit", AnyUnit()}, {"at_us", at}, {"speed", Between(1, 30) / 20.0}});
    }
  }

  // Everybody comes back: else much could never be done.
  void DrawAbsences() {
    for (const Json& unit : platform_["units"]) {
      for (int at = 0; Chance(60) && at < 200;) {
        const int from = at + Between(1, 40), until = from + Between(1, 40);
        scenario_["away"].push_back({{"unit", unit["name"]}, {"from_us", from}, {"until_us", until}});
        at = until;
      }
    }
  }

  // Several requests that follow one, and one that follows several.
  void DrawFanOut() {
    std::map<std::string, Json> siblings;
    for (Json& stream : scenario_["streams"]) {
      if (!stream.contains("depends_on")) continue;
      Json& link = stream["depends_on"];
      Json& before = siblings.try_emplace(Text(link["stream"]), Json::array()).first->second;
      if (!before.empty() && Chance(60)) {
        link["joins"] = before;
      } else if (Chance(50)) {
        link.erase("probability");
        link["times"] = {Between(0, 3), Between(1, 3), Between(0, 2)};
      }
      before.push_back(stream["name"]);
    }
  }

  // Layers with 32 bytes of weights each, and chips that have room for a few of them.
  void DrawChips() {
    for (Json& model : models_) {
      for (Json& layer : model["layers"]) {
        if ((layer["op"] == "relu" || layer["op"] == "sigmoid") && Chance(70)) layer["op"] = "scale";
      }
    }
    for (Json& unit : platform_["units"]) {
      if (!Chance(60)) continue;
      unit["on_chip_bytes"] = Between(0, 12) * 16;
      unit["stream_bytes_per_s"] = Between(1, 9) * 7000000LL;
      DrawCompiled(Text(unit["name"]));
    }
  }

  // Some together, of the others now and then some more.
  void DrawCompiled(const std::string& unit) {
    Json together = Json::array(), apart = Json::array();
    for (const Json& stream : scenario_["streams"]) {
      const Json& model = stream["model"];
      const auto has = [&](const Json& list) { return std::ranges::find(list, model) != list.end(); };
      if (has(together) || has(apart)) continue;
      Json& list = Chance(60) ? together : apart;
      list.insert(list.begin() + Between(0, static_cast<int>(list.size())), model);
    }
    if (!together.empty()) scenario_["co_compiled"][unit].push_back(together);
    if (!apart.empty() && Chance(50)) scenario_["co_compiled"][unit].push_back(apart);
  }

  // Some read what the request has made that they follow.
  void DrawHandedOn() {
    for (Json& stream : scenario_["streams"]) {
      if (!stream.contains("depends_on") || !Chance(50)) continue;
      if (stream.contains("batching") ||
          StreamCalled(Text(stream["depends_on"]["stream"])).contains("batching"))
        continue;
      stream["depends_on"]["data"] = true;
    }
  }

  // Some wait for a stream that follows another one, or comes by itself.
  void DrawJoinsAcross() {
    std::vector<std::string> before;
    for (Json& stream : scenario_["streams"]) {
      if (!before.empty() && stream.contains("depends_on") && !stream["depends_on"].contains("joins") &&
          Chance(30)) {
        const std::string other = OneOf(before);
        if (MayJoin(Text(stream["depends_on"]["stream"]), other)) stream["depends_on"]["joins"] = {other};
      }
      before.push_back(Text(stream["name"]));
    }
  }
  bool MayJoin(const std::string& followed, const std::string& other) {
    const std::vector<std::string> way = WayUp(followed);
    if (std::find(way.begin(), way.end(), other) != way.end()) return false;
    const std::string root = WayUp(other).back();
    if (root == way.back()) return true;
    const auto type = [&](const std::string& name) { return Text(StreamCalled(name)["arrival"]["type"]); };
    const auto comes_alike = [&](const std::string& of) { return of == "offline" || of == "poisson"; };
    return comes_alike(type(root)) && comes_alike(type(way.back()));
  }
  std::vector<std::string> WayUp(const std::string& name) {
    std::vector<std::string> way = {name};
    while (StreamCalled(way.back()).contains("depends_on"))
      way.push_back(Text(StreamCalled(way.back())["depends_on"]["stream"]));
    return way;
  }
  Json& StreamCalled(const std::string& name) {
    for (Json& stream : scenario_["streams"]) {
      if (Text(stream["name"]) == name) return stream;
    }
    throw std::logic_error("no stream " + name);
  }

  void DrawEndToEnd() {
    for (Json& stream : scenario_["streams"]) {
      if (!stream.contains("depends_on") || !Chance(40)) continue;
      stream["end_to_end_deadline_us"] = Between(20, 200);
      if (!stream.contains("batching") && Chance(50)) stream["drop_late"] = true;
    }
  }

  void DrawPreemption() {
    bool any = false;
    for (Json& unit : platform_["units"]) {
      if (!unit.value("time_shared", false) || !Chance(50)) continue;
      unit["preempts"] = true;
      any = true;
    }
    if (!any) return;
    for (Json& stream : scenario_["streams"]) {
      if (!stream.contains("priority")) stream["priority"] = Between(0, 2);
    }
  }

  void DrawLossOfSharing() {
    for (const Json& unit : platform_["units"]) {
      if (!unit.value("time_shared", false) || !Chance(50)) continue;
      for (int at_once = 2; at_once <= 4; ++at_once) {
        if (!Chance(60)) continue;
        Json entry = {
            {"unit", unit["name"]}, {"at_once", at_once}, {"slowdown", at_once * Between(50, 150) / 100.0}};
        if (Chance(30)) entry["model"] = AnyModel();
        if (Chance(30)) entry["apart"] = true;
        profile_["sharing"].push_back(entry);
      }
    }
  }

  // Slots that share their unit's time and copy at once, in each of the ways in which they may share it.
  void DrawCopiesOfSharedUnits() {
    const int memories = static_cast<int>(platform_["memories"].size());
    if (memories == 1) return;
    scenario_["transfer"] = "copy";
    for (Json& link : platform_["links"]) {
      if (Chance(70)) link.erase("engine");
    }
    for (Json& unit : platform_["units"]) {
      for (const char* key : {"preempts", "slice_us", "switch_us"}) unit.erase(key);
      if (!Chance(60)) continue;
      unit["memory"] = MemoryName(Between(1, memories - 1));
      unit["slots"] = Between(2, 4);
      unit["time_shared"] = true;
    }
    DrawPreemption();
    DrawSlices();
  }

  // Instead of what a profile knows of how slots share a unit.
  void DrawSlices() {
    for (Json& unit : platform_["units"]) {
      if (!unit.value("time_shared", false) || unit.value("preempts", false) || !Chance(60)) continue;
      unit["slice_us"] = Micros(4);
      if (Chance(60)) unit["switch_us"] = Between(0, 20) / 10.0;
      if (unit["slice_us"] < 1) unit["slice_us"] = 1;
      if (!profile_.contains("sharing")) continue;
      std::erase_if(profile_["sharing"].get_ref<Json::array_t&>(),
                    [&](const Json& entry) { return entry["unit"] == unit["name"]; });
      if (profile_["sharing"].empty()) profile_.erase("sharing");
    }
  }

  // Nearly too warm already: runs are short.
  void DrawHeat() {
    for (const Json& unit : platform_["units"]) {
      if (!Chance(60)) continue;
      const double hot = Between(10, 90) / 100.0;
      scenario_["heat"].push_back({{"unit", unit["name"]},
                                   {"time_constant_us", Between(1000, 3000)},
                                   {"hot", hot},
                                   {"speed", Between(1, 20) / 20.0},
                                   {"warmth", hot * Between(95, 101) / 100}});
      if (Chance(70)) scenario_["heat"].back()["cool"] = hot * Between(90, 98) / 100;
    }
  }

  // Memories and hubs whose bandwidth copies share.
  void DrawSharedWays() {
    for (Json& memory : platform_["memories"]) {
      if (Chance(25)) memory["bandwidth_bytes_per_s"] = Between(1, 8) * 300000000LL;
    }
    if (!platform_.contains("links") || !Chance(40)) return;
    platform_["hubs"] = {{{"name", "hub"}, {"bandwidth_bytes_per_s", Between(2, 8) * 300000000LL}}};
    for (Json& link : platform_["links"]) {
      if (Chance(70)) link["hub"] = "hub";
    }
  }

  void DrawUnit(int u, int memories) {
    Json unit = {{"name", "u" + std::to_string(u)},
                 {"kind", OneOf({"cpu", "gpu", "npu"})},
                 {"memory", MemoryName(Between(0, memories - 1))}};
    if (Chance(30)) unit["slots"] = Between(2, 3);
    if (Chance(30)) unit["dispatch_us"] = Micros(2);
    // The first unit runs everything, so that every stream runs somewhere.
    if (u > 0 && Chance(25)) unit["resident_models"] = Between(1, 2);
    if (Chance(50)) {
      unit["idle_w"] = 0.5;
      unit["busy_w"] = 2.5;
    }
    platform_["units"].push_back(unit);
  }

  // A few layers on small tensors, each of which reads one or two before it.
  void DrawModel(const std::string& name) {
    Json layers = Json::array({{{"name", "in"}, {"op", "input"}, {"shape", {1, 4, 8, 8}}}});
    std::vector<std::string> names = {"in"};
    const int count = Between(1, 5);
    for (int l = 0; l < count; ++l) {
      const std::string layer = "l" + std::to_string(l);
      const std::string first = Chance(60) ? names.back() : OneOf(names);
      std::string second = OneOf(names);
      if (first != second && Chance(40)) {
        layers.push_back({{"name", layer}, {"op", "add"}, {"inputs", {first, second}}});
      } else {
        layers.push_back({{"name", layer}, {"op", OneOf({"relu", "sigmoid"})}, {"inputs", {first}}});
      }
      names.push_back(layer);
    }
    models_.push_back({{"tandem", "model/1"}, {"name", name}, {"layers", layers}});
    names.erase(names.begin());
    for (std::size_t u = 0; u < platform_["units"].size(); ++u) DrawCosts(name, names, u);
  }

  // Per layer, for the whole model, or both; the first unit has all layers. A unit may run a part only.
  void DrawCosts(const std::string& model, const std::vector<std::string>& layers, std::size_t unit) {
    const bool by_layer = unit == 0 || Chance(60);
    for (const int batch : {1, 2}) {
      for (const std::string& layer : layers) {
        if (by_layer && (unit == 0 || Chance(90))) AddEntry(model, unit, {layer}, batch);
      }
      if (unit > 0 && Chance(50)) AddEntry(model, unit, "*", batch);
    }
    if (layers.size() >= 2 && Chance(30)) AddEntry(model, unit, {layers[0], layers[1]}, 1);
  }
  void AddEntry(const std::string& model, std::size_t unit, const Json& layers, int batch) {
    Json entry = {{"model", ModelFile(model)}, {"unit", UnitName(unit)}, {"layers", layers}};
    if (batch != 1) entry["batch"] = batch;
    if (Chance(30)) entry["energy_j"] = Between(1, 9) / 1000.0;
    const bool mapped = transfer_ == "zero_copy" && Chance(50);
    Json as_mapped = entry;
    AddTime(entry, layers == "*" ? 12 : 4);
    profile_["entries"].push_back(entry);
    if (!mapped) return;
    as_mapped["mapped"] = true;
    AddTime(as_mapped, 12);
    profile_["entries"].push_back(as_mapped);
  }
  static std::string ModelFile(const std::string& model) { return "./" + model + ".model.json"; }
  std::string UnitName(std::size_t unit) const { return Text(platform_["units"][unit]["name"]); }
  std::string AnyUnit() { return Text(platform_["units"][UnitIndex()]["name"]); }
  std::size_t UnitIndex() {
    return static_cast<std::size_t>(Between(0, static_cast<int>(platform_["units"].size()) - 1));
  }
  std::string AnyModel() {
    const int last = static_cast<int>(models_.size()) - 1;
    return ModelFile(Text(models_[static_cast<std::size_t>(Between(0, last))]["name"]));
  }

  // What a profile knows beside the layers' times.
  void DrawSurroundings() {
    profile_["tandem"] = "profile/1";
    profile_["platform"] = "./board.platform.json";
    profile_["origin"] = {{"kind", "estimated"}, {"method", "drawn at random for a test"}};
    for (std::size_t u = 0; u < platform_["units"].size(); ++u) {
      for (const Json& model : models_) {
        if (Chance(20))
          AddList("loads", {{"model", ModelFile(Text(model["name"]))}, {"unit", UnitName(u)}}, 6);
      }
      if (Chance(15)) AddList("dispatch", {{"unit", UnitName(u)}}, 2);
    }
    if (platform_["memories"].size() > 1 && Chance(30)) {
      for (const int bytes : {256, 1024, 4096}) {
        AddList("transfers", {{"from", "mem0"}, {"to", "mem1"}, {"bytes", bytes}}, 3);
      }
    }
    if (platform_["units"].size() > 1 && Chance(40)) DrawCoRunning();
  }
  void AddList(const char* list, Json entry, int most) {
    AddTime(entry, most);
    profile_[list].push_back(entry);
  }
  double Slowdown() { return 1 + Between(0, 200) / 100.0; }
  void DrawCoRunning() {
    for (std::size_t u = 0; u < platform_["units"].size(); ++u) {
      const std::string beside = AnyUnit();
      if (beside == UnitName(u)) continue;
      Json entry = {{"unit", UnitName(u)}, {"beside", beside}, {"slowdown", Slowdown()}};
      if (Chance(40)) entry["model"] = AnyModel();
      if (Chance(30)) entry["beside_model"] = AnyModel();
      profile_["co_running"].push_back(entry);
    }
    if (Chance(60)) DrawCurves();
  }
  void DrawCurves() {
    for (std::size_t u = 0; u < platform_["units"].size(); ++u) {
      for (std::size_t beside = 0; beside < platform_["units"].size(); ++beside) {
        if (u == beside || Chance(30)) continue;
        for (const double traffic : {1e9, 3e9}) {
          profile_["co_running"].push_back({{"unit", UnitName(u)},
                                            {"beside", UnitName(beside)},
                                            {"beside_traffic_bytes_per_s", traffic},
                                            {"slowdown", Slowdown()}});
        }
      }
      for (const Json& model : models_) {
        profile_["traffic"].push_back({{"model", ModelFile(Text(model["name"]))},
                                       {"unit", UnitName(u)},
                                       {"bytes_per_s", Between(0, 40) * 1e8}});
      }
    }
  }

  // What parts of layers take; the tensors have 4 channels and 8 rows.
  void DrawParts() {
    for (std::size_t u = 0; u < platform_["units"].size(); ++u) {
      for (const Json& model : models_) {
        for (const Json& layer : model["layers"]) {
          if (layer["op"] != "input" && Chance(40))
            AddParts(ModelFile(Text(model["name"])), u, layer["name"]);
        }
      }
      if (Chance(30)) AddList("dispatch", {{"unit", UnitName(u)}, {"split", true}}, 3);
    }
  }
  void AddParts(const std::string& model, std::size_t unit, const Json& layer) {
    const bool rows = Chance(50);
    for (int size = 1; size <= (rows ? 8 : 4); ++size) {
      if (Chance(60)) continue;
      AddList("parts",
              {{"model", model},
               {"unit", UnitName(unit)},
               {"layers", Json::array({layer})},
               {"axis", rows ? "rows" : "channels"},
               {"size", size}},
              4);
    }
  }

  // Hand-overs, pauses, several neighbours at once, and neighbours that make work faster.
  void DrawNeighbourhood() {
    const std::size_t units = platform_["units"].size();
    for (std::size_t u = 0; u < units; ++u) {
      for (std::size_t from = 0; from < units; ++from) {
        if (u == from || !Chance(30)) continue;
        for (int size = Between(0, 2); size >= 0; --size) {
          AddList("hand_overs", {{"from", UnitName(from)}, {"to", UnitName(u)}, {"bytes", size * 700}}, 3);
        }
      }
      if (Chance(25)) DrawPauses(u);
      if (Chance(20)) DrawAfterOther(u, Chance(40) ? AnyModel() : "");
      if (units > 2 && Chance(40)) DrawTogether(u);
      if (Chance(25)) DrawRepeats(u);
    }
    if (units > 1 && Chance(15)) SpeedUp();
  }
  void DrawPauses(std::size_t unit) {
    const std::string model = Chance(40) ? AnyModel() : "";
    for (const int idle : {3, 8, 20}) {
      Json entry = {{"unit", UnitName(unit)}, {"idle_us", idle}, {"slowdown", Slowdown()}};
      if (!model.empty()) entry["model"] = model;
      if (Chance(70)) profile_["after_idle"].push_back(entry);
    }
  }
  void DrawAfterOther(std::size_t unit, const std::string& model) {
    Json entry = {{"unit", UnitName(unit)}, {"slowdown", Slowdown()}};
    if (!model.empty()) entry["model"] = model;
    profile_["after_other"].push_back(entry);
    if (!Chance(30)) return;
    const Json& of = models_[0];
    profile_["after_other"].push_back({{"unit", UnitName(unit)},
                                       {"model", ModelFile(Text(of["name"]))},
                                       {"layers", Json::array({of["layers"].back()["name"]})},
                                       {"slowdown", Slowdown()}});
  }
  void DrawRepeats(std::size_t unit) {
    for (const Json& model : models_) {
      for (const Json& layer : model["layers"]) {
        if (layer["op"] == "input" || Chance(50)) continue;
        const bool whole = Chance(15);
        for (const int every : {4, 9, 25}) {
          if (Chance(30)) continue;
          profile_["repeated"].push_back({{"unit", UnitName(unit)},
                                          {"model", ModelFile(Text(model["name"]))},
                                          {"layers", whole ? Json("*") : Json::array({layer["name"]})},
                                          {"every_us", every},
                                          {"slowdown", Slowdown()}});
        }
        if (whole) break;
      }
    }
  }
  void DrawTogether(std::size_t unit) {
    Json beside = Json::array();
    for (std::size_t other = 0; other < platform_["units"].size(); ++other) {
      if (other != unit && Chance(80)) beside.push_back(UnitName(other));
    }
    if (beside.size() > 1)
      profile_["together"].push_back(
          {{"unit", UnitName(unit)}, {"beside", beside}, {"slowdown", Slowdown()}});
  }
  void SpeedUp() {
    for (const char* list : {"co_running", "together", "after_idle", "after_other", "repeated"}) {
      if (!profile_.contains(list)) continue;
      for (Json& entry : profile_[list]) {
        if (Chance(50)) entry["slowdown"] = Between(10, 100) / 100.0;
      }
    }
  }

  void DrawScenario() {
    scenario_ = {{"tandem", "scenario/1"},
                 {"name", "random " + std::to_string(seed_)},
                 {"seed", seed_},
                 {"platform", "./board.platform.json"},
                 {"profiles", {"./board.profile.json"}},
                 {"transfer", transfer_}};
    if (Chance(25)) DrawBackground();
    const int streams = Between(1, 4);
    for (int s = 0; s < streams; ++s) DrawStream(s);
    scenario_["policies"] = Json::array();
    // Of every other seed by another one; no draw of its own, so that seeds that are known stay what they
    // are.
    constexpr std::array kOthers = {"mean_latency", "p99_latency", "misses", "throughput"};
    scenario_["objective"] = seed_ % 2 == 0 ? "makespan" : kOthers[seed_ / 2 % kOthers.size()];
    if (seed_ % 3 == 0) scenario_["then"] = {"p99_latency", "makespan"};
    // Whose ages are asked for: no draw either.
    for (int s = 0; s < streams; ++s) {
      if ((seed_ / 2 + static_cast<std::uint64_t>(s)) % 3 == 0) scenario_["streams"][s]["age"] = true;
    }
  }
  void DrawBackground() {
    for (std::size_t u = 0; u < platform_["units"].size(); ++u) {
      if (Chance(40)) continue;
      const int load = Between(0, 90);
      scenario_["background"].push_back({{"unit", UnitName(u)}, {"load_pct", load}});
      if (load > 0 && Chance(50)) {
        profile_["background"].push_back(
            {{"unit", UnitName(u)}, {"load_pct", load}, {"slowdown", Slowdown()}});
      }
    }
  }

  void DrawStream(int s) {
    Json stream = {{"name", "s" + std::to_string(s)}, {"model", AnyModel()}};
    if (s > 0 && Chance(25)) {
      stream["depends_on"] = {{"stream", "s" + std::to_string(Between(0, s - 1))}};
      if (Chance(50)) stream["depends_on"]["probability"] = 0.5;
    } else {
      DrawArrival(stream);
    }
    if (Chance(25)) stream["batch"] = 2;
    if (Chance(30)) stream["priority"] = Between(-2, 2);
    const bool has_deadline =
        stream.contains("arrival") && stream["arrival"].contains("target_latency_us") && Chance(50);
    if (Chance(40)) stream["deadline_us"] = Micros(40);
    if ((stream.contains("deadline_us") || has_deadline) && Chance(60)) stream["drop_late"] = true;
    scenario_["streams"].push_back(stream);
  }
  // Which frames are followed, and which are kept.
  void DrawFrames(Json& stream) {
    if (stream.contains("depends_on") && Chance(25)) stream["depends_on"]["every"] = Between(2, 3);
    if (ComesOneByOne(stream) && Chance(10)) stream["keep_latest"] = Between(1, 3);
  }
  static bool ComesOneByOne(const Json& stream) {
    if (stream.contains("depends_on")) return true;
    const std::string type = stream["arrival"]["type"];
    return type == "periodic" || type == "poisson" || type == "server";
  }
  void DrawArrival(Json& stream) {
    const std::string type = OneOf(
        {"offline", "closed", "periodic", "periodic", "poisson", "single_stream", "multi_stream", "server"});
    Json arrival = {{"type", type}};
    if (type == "single_stream" || type == "multi_stream" || type == "server") {
      arrival["rules"] = "loadgen";
      arrival["min_query_count"] = Between(1, 5);
      arrival["min_duration_ms"] = Chance(50) ? 0 : 0.02;
      if (type == "multi_stream") arrival["samples_per_query"] = Between(1, 4);
      if (type == "server") {
        arrival["target_qps"] = Between(50, 500) * 1000;
        arrival["target_latency_us"] = Micros(40);
      }
    } else if (type != "offline" && Chance(30)) {
      stream["duration_ms"] = Between(20, 60) / 1000.0;
    } else {
      stream["count"] = Between(1, 8);
    }
    if (type == "closed") arrival["in_flight"] = Between(1, 3);
    if (type == "poisson") arrival["rate_per_s"] = Between(50, 500) * 1000;
    if (type == "periodic") {
      arrival["period_us"] = Micros(10, 3);
      if (Chance(40)) arrival["phase_us"] = Micros(10);
      if (Chance(30)) arrival["jitter_us"] = Micros(6);
    }
    stream["arrival"] = arrival;
  }

  std::uint64_t seed_;
  std::mt19937_64 bits_;
  Drawn drawn_;
  bool coarse_ = false;
  std::string transfer_;
  Json platform_, profile_, scenario_;
  std::map<std::string, std::string> times_;  // of arrival, by file
  std::vector<Json> models_;
};

}  // namespace

std::string WriteRandomScenario(std::uint64_t seed, const std::string& folder, Drawn drawn) {
  Generator generator(seed, drawn);
  generator.Draw();
  return generator.Write(folder);
}

Scenario RandomScenario(std::uint64_t seed, Drawn drawn) {
  const fs::path folder = fs::temp_directory_path() / ("tandem_random_" + std::to_string(::getpid()));
  Scenario scenario = ReadScenarioFile(WriteRandomScenario(seed, folder.string(), drawn));
  fs::remove_all(folder);
  return scenario;
}

}  // namespace tandem
