#include "sim/engine/simgrid_platform.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>

#include "profiles/base/child.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_reader.h"
#include "profiles/base/markup.h"
#include "profiles/base/suggest.h"
#include "sim/engine/simgrid_library.h"
#include "sim/engine/simgrid_tags.h"
#include "sim/engine/simgrid_text.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

// What SimGrid may take for a file, which can describe a thousand million hosts in a line. A board is read
// within hundredths of a second and a few megabytes.
constexpr rlim_t kMostMemory = rlim_t{512} << 20, kMostSeconds = 5;
constexpr std::chrono::seconds kPatience{60};  // of the clock: it may wait for something
constexpr int kOutOfMemory = 4;                // the status with which the child then ends

constexpr const char* kFlopANano = "1000000000f";  // "1Gf", as hosts of units have it

constexpr std::size_t kMostErrors = 4096;  // of what it says on standard error

struct Pipe {
  int from = -1, to = -1;
};

Pipe MakePipe() {
  int ends[2];
  if (::pipe(ends) != 0) throw EnvironmentError(std::string("no pipe can be made: ") + std::strerror(errno));
  return {ends[0], ends[1]};
}

// Appends what is there; false: no more comes. What is beyond `most` is taken and dropped.
bool Take(int pipe, std::string& text, std::size_t most) {
  char buffer[1 << 14];
  const ssize_t n = ::read(pipe, buffer, sizeof buffer);
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  text.append(buffer, std::min(static_cast<std::size_t>(n), most - text.size()));
  return true;
}

struct Said {
  std::string answer, errors;
};

// What the other end writes until it is gone. One that takes too long is killed.
Said ReadAll(int answer, int errors, const Child& child) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  Said said;
  pollfd ready[2] = {{answer, POLLIN, 0}, {errors, POLLIN, 0}};  // poll passes over those that are negative
  while (ready[0].fd >= 0 || ready[1].fd >= 0) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) {
      child.Signal(SIGKILL);
      break;
    }
    if (::poll(ready, 2, static_cast<int>(left)) <= 0) continue;
    if (ready[0].revents != 0 && !Take(answer, said.answer, SIZE_MAX)) ready[0].fd = -1;
    if (ready[1].revents != 0 && !Take(errors, said.errors, kMostErrors)) ready[1].fd = -1;
  }
  ::close(answer);
  ::close(errors);
  return said;
}

// Of "[0.000000] ./src/kernel/resource/CpuImpl.cpp:67: [root/CRITICAL] Invalid parameters\nBacktrace" what a
// user has use for.
std::string FirstOf(const std::string& errors) {
  constexpr std::string_view kLevel = "/CRITICAL] ";
  const std::string line = errors.substr(0, errors.find('\n'));
  const std::size_t level = line.find(kLevel);
  return level == std::string::npos ? line : line.substr(level + kLevel.size());
}

// In the child. Memory is counted from what the process has already, which sanitizers make large.
void HoldToLimits() {
  rlim_t pages = 0;
  std::ifstream sizes("/proc/self/statm");
  for (int field = 0; field < 6; ++field) sizes >> pages;  // the sixth: data
  const rlim_t data = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + kMostMemory;
  const rlimit memory = {data, data}, time = {kMostSeconds, kMostSeconds + 1}, no_core = {0, 0};
  if (sizes) ::setrlimit(RLIMIT_DATA, &memory);
  ::setrlimit(RLIMIT_CPU, &time);
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::set_new_handler([] { ::_exit(kOutOfMemory); });
}

bool TookTooMuch(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status) == kOutOfMemory;
  return WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
}

// In the child: the board behind a '+', what is wrong with the file behind a '!', or what SimGrid says behind
// a '-'.
[[noreturn]] void Tell(int pipe, int errors, const std::string& file) {
  std::string said;
  ::dup2(errors, STDERR_FILENO);
  HoldToLimits();
  try {
    said = "+" + LoadSimGrid().read_platform(file);
  } catch (const InputError& error) {
    said = std::string("!") + error.what();
  } catch (const std::exception& error) {
    said = std::string("-") + error.what();
  }
  for (std::size_t sent = 0; sent < said.size();) {
    const ssize_t n = ::write(pipe, said.data() + sent, said.size() - sent);
    if (n < 0 && errno != EINTR) ::_exit(1);
    sent += n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  ::_exit(0);
}

// SimGrid names what it was given, who reads that what they gave.
std::string NamedAs(const std::string& name, const std::string& given, std::string said) {
  for (std::size_t at = 0; (at = said.find(given, at)) != std::string::npos; at += name.size())
    said.replace(at, given.size(), name);
  return said;
}

// A line of what is wrong with the board, told of what that was made of in the file.
std::string OfTheFile(const std::string& line, const std::string& name, const Json& made_of) {
  const std::string before = name + ":";
  if (!line.starts_with(before + "/")) return line;
  const std::size_t end = std::min(line.find(": ", before.size()), line.size());
  std::string pointer = line.substr(before.size(), end - before.size()), within;
  while (!pointer.empty() && !made_of.contains(pointer)) {
    const std::size_t last = pointer.rfind('/');
    within = pointer.substr(last) + within;
    pointer.resize(last);
  }
  if (pointer.empty()) return line;
  const Json& made = made_of[pointer];
  return before + " " + made["of"].get<std::string>() + (within.empty() ? "" : ", at " + within) +
         line.substr(end) + made["mended_by"].get<std::string>();
}

// A unit is read from what tandem wrote of it: what else the file says of its host a user may have changed,
// and must not be passed over.
void CheckTags(const Platform& board, const Json& tags, const std::string& name) {
  std::string all;
  for (std::size_t u = 0; u < tags.size(); ++u) {
    const auto check = [&](const std::string& tag, const std::string& is, const std::string& written,
                           const std::string& edit) {
      if (is == written) return;
      all += (all.empty() ? "" : "\n") + name + ": " + tags[u]["of"].get<std::string>() + ": " + tag +
             " is " + Quoted(is) + ", but " + Quoted(written) +
             " is what its property \"tandem_unit\" comes to, of which the unit is read; edit " + edit +
             " there, and let both say the same";
    };
    const HostTags written = TagsOf(board.units[u]);
    std::string is_fast, fast;
    for (const Json& speed : tags[u]["speeds"]) {
      is_fast += (is_fast.empty() ? "" : ",") + std::to_string(speed.get<std::int64_t>()) + "f";
    }
    for (std::size_t state = 0; state < written.states; ++state)
      fast += std::string(state > 0 ? "," : "") + kFlopANano;
    check("core", std::to_string(tags[u]["core"].get<std::int64_t>()), std::to_string(written.cores),
          "\"slots\"");
    check("speed", is_fast, fast, "\"states\" (how fast it works is for profiles to say)");
    check("property \"wattage_per_state\"", tags[u]["watts"], written.watts, "\"idle_w\" and \"busy_w\"");
  }
  if (!all.empty()) throw InputError(all);
}

// The board is text that nobody sees: places in it are told as the file has them, each once.
Platform BoardFrom(const std::string& text, const std::string& name, std::vector<std::string>* notes) {
  const Json read = Json::parse(text);
  if (notes != nullptr) *notes = read["notes"].get<std::vector<std::string>>();
  try {
    Platform board = ReadPlatform(JsonDocument::Parse(read["board"].dump(), name).root());
    CheckTags(board, read["tags"], name);
    return board;
  } catch (const InputError& error) {
    std::vector<std::string> told;
    std::istringstream lines(error.what());
    for (std::string line; std::getline(lines, line);) {
      line = OfTheFile(line, name, read["made_of"]);
      if (std::find(told.begin(), told.end(), line) == told.end()) told.push_back(std::move(line));
    }
    std::string all;
    for (const std::string& line : told) all += (all.empty() ? "" : "\n") + line;
    throw InputError(all);
  }
}

// A line an element.
class Writer {
 public:
  explicit Writer(const Platform& platform)
      : units_(platform.units), platform_(Json::parse(PlatformJson(platform))) {}

  std::string Text() {
    Line(0, R"(<?xml version="1.0"?>)");
    Line(0, R"(<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">)");
    Line(0, "<!-- A host does a flop a nanosecond: what work takes is in the board's profiles. -->");
    Line(0, R"(<platform version="4.1">)");
    Line(1, "<zone id=" + Quoted(platform_["name"]) + R"( routing="Full">)");
    Property(2, "tandem_name", platform_["name"]);
    if (const Json board = OfBoard(); !board.empty()) Property(2, "tandem_board", board.dump());
    for (std::size_t u = 0; u < units_.size(); ++u) AddUnit(platform_["units"][u], TagsOf(units_[u]));
    for (const Json& memory : platform_["memories"]) AddMemory(memory);
    for (const Json& memory : platform_["memories"]) {
      if (memory.contains(kBandwidth)) AddLink(OfMemory(memory["name"]), memory, {});
    }
    for (const Json& hub : List("hubs"))
      AddLink(OfHub(hub["name"]), hub, {{"tandem_hub", Without(hub, {kBandwidth})}});
    for (const Json& link : List("links"))
      AddLink(OfLink(link), link, {{"tandem_link", Without(link, {kBandwidth, "latency_us"})}});
    for (const Json& link : List("links")) AddRoute(link);
    for (const Json& unit : platform_["units"]) {
      const std::string memory = unit["memory"];
      if (HasBandwidth(memory)) Route(OfUnit(unit), OfMemory(memory), {OfMemory(memory)});
    }
    Line(1, "</zone>");
    Line(0, "</platform>");
    return text_;
  }

 private:
  static constexpr const char *kBandwidth = "bandwidth_bytes_per_s", *kSpeed = "1Gf";

  // Beside its name and what it consists of.
  Json OfBoard() const {
    return Without(platform_, {"tandem", "name", "memories", "hubs", "links", "units"});
  }
  static std::string Quoted(const std::string& text) { return "\"" + XmlText(text) + "\""; }
  static Json Without(Json object, std::initializer_list<const char*> keys) {
    for (const char* key : keys) object.erase(key);
    return object;
  }
  static std::string OfUnit(const Json& unit) { return "unit:" + unit["name"].get<std::string>(); }
  static std::string OfMemory(const std::string& name) { return "memory:" + name; }
  static std::string OfHub(const std::string& name) { return "hub:" + name; }
  static std::string OfLink(const Json& link) {
    return "link:" + link["from"].get<std::string>() + "-" + link["to"].get<std::string>();
  }

  void Line(std::size_t depth, const std::string& line) {
    text_ += std::string(2 * depth, ' ') + line + "\n";
  }
  void Property(std::size_t depth, const std::string& name, const std::string& value) {
    Line(depth, "<prop id=" + Quoted(name) + " value=" + Quoted(value) + "/>");
  }
  // Elements come back in this order, whatever SimGrid's own is.
  void Order() { Property(3, "tandem_order", std::to_string(order_++)); }
  Json List(const char* key) const { return platform_.contains(key) ? platform_[key] : Json::array(); }
  bool HasBandwidth(const std::string& memory) const {
    for (const Json& one : platform_["memories"]) {
      if (one["name"] == memory) return one.contains(kBandwidth);
    }
    return false;
  }

  void AddUnit(const Json& unit, const HostTags& tags) {
    std::string speeds = kSpeed;
    for (std::size_t state = 1; state < tags.states; ++state) speeds += std::string(",") + kSpeed;
    Line(2, "<host id=" + Quoted(OfUnit(unit)) + " speed=" + Quoted(speeds) + " core=\"" +
                std::to_string(tags.cores) + "\">");
    Property(3, "tandem_unit", unit.dump());
    Order();
    if (!tags.watts.empty()) Property(3, "wattage_per_state", tags.watts);
    Line(2, "</host>");
  }
  void AddMemory(const Json& memory) {
    Line(2, "<host id=" + Quoted(OfMemory(memory["name"])) + R"( speed="1f">)");
    Property(3, "tandem_memory", Without(memory, {kBandwidth}).dump());
    Order();
    Line(2, "</host>");
  }
  void AddLink(const std::string& name, const Json& of,
               const std::vector<std::pair<std::string, Json>>& properties) {
    const std::string latency = of.contains("latency_us") ? of["latency_us"].dump() : "0";
    Line(2, "<link id=" + Quoted(name) + " bandwidth=\"" + of[kBandwidth].dump() + "Bps\" latency=\"" +
                latency + "us\">");
    for (const auto& [key, value] : properties) {
      Property(3, key, value.dump());
      Order();
    }
    Line(2, "</link>");
  }
  void Route(const std::string& from, const std::string& to, const std::vector<std::string>& links) {
    std::string line = "<route src=" + Quoted(from) + " dst=" + Quoted(to) + ">";
    for (const std::string& link : links) line += "<link_ctn id=" + Quoted(link) + "/>";
    Line(2, line + "</route>");
  }
  void AddRoute(const Json& link) {
    std::vector<std::string> over = {OfLink(link)};
    if (link.contains("hub")) over.push_back(OfHub(link["hub"]));
    const std::string from = link["from"], to = link["to"];
    for (const std::string& end : {from, to}) {
      if (HasBandwidth(end)) over.push_back(OfMemory(end));
    }
    Route(OfMemory(from), OfMemory(to), over);
  }

  const std::vector<Unit>& units_;
  Json platform_;
  std::string text_;
  int order_ = 0;
};

}  // namespace

Platform ReadSimGridPlatform(const std::filesystem::path& file, std::vector<std::string>* notes) {
  const std::string name = file.string();
  if (::access(file.c_str(), R_OK) != 0) throw InputError(name + ": " + std::strerror(errno));
  // Some names make SimGrid start a program, and what was checked is to be what it reads.
  const NamelessFile checked(ReadSimGridText(name));
  LoadSimGrid();  // before the child is there, so that the next one finds it
  const Pipe answer = MakePipe(), errors = MakePipe();
  const pid_t pid = ::fork();
  if (pid < 0) throw EnvironmentError(std::string("no process can be started: ") + std::strerror(errno));
  if (pid == 0) {
    ::close(answer.from);
    ::close(errors.from);
    Tell(answer.to, errors.to, checked.path());
  }
  Child child(pid);
  ::close(answer.to);
  ::close(errors.to);
  const Said all = ReadAll(answer.from, errors.from, child);
  const std::string said = NamedAs(name, checked.path(), all.answer);
  if (TookTooMuch(child.Wait())) {
    throw InputError(name + ": it describes more than a board is: SimGrid takes more than " +
                     std::to_string(kMostMemory >> 20) + " MiB or " + std::to_string(kMostSeconds) +
                     " s to read it; a <cluster> has a host for each number of its radical (radical=\"0-3\" "
                     "are four): leave out those that run no models");
  }
  if (said.empty()) {
    const std::string why = NamedAs(name, checked.path(), FirstOf(all.errors));
    throw InputError(name + ": SimGrid cannot read it as a platform file" + (why.empty() ? "" : ": " + why));
  }
  if (said[0] == '!') throw InputError(name + ": " + said.substr(1));
  if (said[0] != '+') throw InputError(name + ": SimGrid cannot read it: " + said.substr(1));
  return BoardFrom(said.substr(1), name, notes);
}

std::string SimGridPlatformText(const Platform& platform) { return Writer(platform).Text(); }

}  // namespace tandem
