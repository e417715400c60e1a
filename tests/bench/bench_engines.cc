// How fast are the engines and the search, how much memory do they need, what does a long backlog cost, and
// how does that grow with requests, units and layers? Every bar of time is a ratio of things measured in turn
// in one run, so that it means the same on any machine.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "policies/engine/virtual_runner.h"
#include "policies/search/search.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/program/cores.h"
#include "profiles/program/program.h"
#include "sim/engine/in_child.h"
#include "sim/engine/simgrid_library.h"
#include "tests/bench/unit_times.h"

namespace tandem {
namespace {

constexpr int kModels = kBenchModels;
constexpr int kRepetitions = 7;
constexpr std::int64_t kMegabyte = 1 << 20;
constexpr const char* kSearched[] = {"examples/study-001",       "examples/study-002",
                                     "examples/two-at-once",     "examples/gpu-and-dla",
                                     "examples/sticks-on-a-hub", "examples/xrbench-vr-gaming"};

bool missed = false;

std::string Units(std::size_t units) {
  std::string text;
  for (std::size_t u = 0; u < units; ++u) {
    text += (u ? "," : "") + std::string(R"({"name": "u)") + std::to_string(u) +
            R"(", "kind": "cpu", "memory": "dram"})";
  }
  return text;
}

// Of the whole model where it has one layer that works, else of each layer.
std::string Entries(std::size_t units, std::size_t layers) {
  std::string text;
  const auto add = [&](std::size_t unit, int model, const std::string& of) {
    text += (text.empty() ? "" : ",") + std::string(R"({"model": "./m)") + std::to_string(model) +
            R"(.model.json", "unit": "u)" + std::to_string(unit) + R"(", "layers": )" + of +
            R"(, "median_us": )" + std::to_string(BenchMicros(unit, model)) + "}";
  };
  for (std::size_t u = 0; u < units; ++u) {
    for (int m = 0; m < (layers > 1 ? 1 : kModels); ++m) {
      if (layers == 1) add(u, m, R"("*")");
      for (std::size_t l = 0; layers > 1 && l < layers; ++l)
        add(u, m, R"(["l)" + std::to_string(l) + R"("])");
    }
  }
  return text;
}

std::string Chain(std::size_t layers) {
  std::string text = R"({"name": "in", "op": "input", "shape": [1, 1, 1, 1]})", before = "in";
  for (std::size_t l = 0; l < layers; ++l) {
    const std::string name = "l" + std::to_string(l);
    text += R"(,{"name": ")" + name + R"(", "op": "relu", "inputs": [")" + before + R"("]})";
    before = name;
  }
  return text;
}

std::string Streams(std::size_t streams, std::int64_t count, const std::string& arrival) {
  std::string text;
  for (std::size_t s = 0; s < streams; ++s) {
    text += (s ? "," : "") + std::string(R"({"name": "s)") + std::to_string(s) + R"(", "model": "./m)" +
            std::to_string(s % kModels) + R"(.model.json", "count": )" + std::to_string(count) +
            R"(, "arrival": )" + arrival + "}";
  }
  return text;
}

constexpr const char* kOffline = R"({"type": "offline"})";

// Several streams of models of one layer each, or one of a model of many; all requests wait from the start
// unless said otherwise.
Scenario MakeScenario(std::size_t units, std::size_t streams, std::int64_t count,
                      const std::string& arrival = kOffline, std::size_t layers = 1) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "tandem_bench";
  fs::create_directories(folder);
  for (int m = 0; m < kModels; ++m) {
    WriteFile(folder / ("m" + std::to_string(m) + ".model.json"),
              R"({"tandem": "model/1", "name": "m)" + std::to_string(m) + R"(", "layers": [)" +
                  Chain(layers) + "]}");
  }
  WriteFile(folder / "b.platform.json",
            R"({"tandem": "platform/1", "name": "b", "memories": [{"name": "dram"}], "units": [)" +
                Units(units) + "]}");
  WriteFile(folder / "b.profile.json",
            R"({"tandem": "profile/1", "platform": "./b.platform.json",
                "origin": {"kind": "estimated", "method": "made up"}, "entries": [)" +
                Entries(units, layers) + "]}");
  WriteFile(folder / "b.scenario.json",
            R"({"tandem": "scenario/1", "name": "bench", "platform": "./b.platform.json",
                "profiles": ["./b.profile.json"], "transfer": "none", "policies": [], "streams": [)" +
                Streams(streams, count, arrival) + "]}");
  Scenario scenario = ReadScenarioFile(folder / "b.scenario.json");
  fs::remove_all(folder);
  return scenario;
}

using Clock = std::chrono::steady_clock;
double Seconds(const std::function<void()>& act) {
  const auto start = Clock::now();
  act();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The same in a process of its own, as SimGrid needs; starting that is not counted.
double SecondsInChild(const std::function<void()>& act) {
  const Outcome outcome = RunInChild({}, [&](const RunOptions&) {
    Outcome made;
    made.end = Nanos{static_cast<std::int64_t>(Seconds(act) * 1e9)};
    return made;
  });
  return static_cast<double>(outcome.end.count()) / 1e9;
}

Outcome Run(const Scenario& scenario, bool simgrid, const std::string& policy = "fcfs") {
  const PolicySpec spec = PolicyByName(policy, scenario, "bench");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  return simgrid ? RunOnSimGridHere(*made.problem, *made.policy, {})
                 : RunVirtual(*made.problem, *made.policy);
}

struct Sample {
  std::vector<double> values;
  void Add(double value) { values.insert(std::upper_bound(values.begin(), values.end(), value), value); }
  double median() const { return values[(values.size() - 1) / 2]; }
};

std::string Text(const char* format, double a, double b = 0, double c = 0) {
  char text[200];
  std::snprintf(text, sizeof text, format, a, b, c);
  return text;
}

void Judge(const std::string& what, bool good) {
  std::printf("%s: %s\n", what.c_str(), good ? "ok" : "MISSED");
  std::fflush(stdout);
  missed = missed || !good;
}

// What the bare loop says of itself.
double BareSeconds(std::size_t units, std::int64_t tasks) {
  const std::string command =
      std::string(TANDEM_BARE_LOOP) + " " + std::to_string(units) + " " + std::to_string(tasks);
  std::FILE* const said = ::popen(command.c_str(), "r");
  double seconds = 0;
  if (said == nullptr || std::fscanf(said, "%lf", &seconds) != 1 || ::pclose(said) != 0)
    throw EnvironmentError(command + " failed");
  return seconds;
}

// Ten million tasks a second at 2 and 4 units, eight at 16, where the bare loop does 0.95.
constexpr std::pair<std::size_t, double> kVirtualToBare[] = {{2, 10.5}, {4, 10.5}, {16, 8.4}};

// The ratio of two speeds is taken per repetition, within which they were measured one after the other.
void Ratios() {
  constexpr std::int64_t kTasks = 400000;
  for (const std::size_t units : {2, 4, 16, 64}) {
    const Scenario scenario = MakeScenario(units, kModels, kTasks / kModels);
    Sample bare, simgrid, in_virtual, to_bare, to_simgrid, virtual_to_bare;
    for (int r = 0; r < kRepetitions; ++r) {
      const double a = kTasks / BareSeconds(units, kTasks);
      const double b = kTasks / SecondsInChild([&] { Run(scenario, true); });
      const double c = kTasks / Seconds([&] { Run(scenario, false); });
      bare.Add(a), simgrid.Add(b), in_virtual.Add(c), to_bare.Add(b / a), to_simgrid.Add(c / b),
          virtual_to_bare.Add(c / a);
    }
    std::printf(
        "%zu units, fcfs, tasks a second: bare loop %.2f million, SimGrid engine %.2f, virtual %.2f\n", units,
        bare.median() / 1e6, simgrid.median() / 1e6, in_virtual.median() / 1e6);
    const auto range = [](const Sample& s, const char* format) {
      return Text(format, s.median(), s.values.front(), s.values.back());
    };
    Judge(range(to_bare, "  SimGrid engine / bare loop %.2f (%.2f to %.2f), at least 0.85"),
          to_bare.median() >= 0.85);
    Judge(range(to_simgrid, "  virtual / SimGrid engine %.1f (%.1f to %.1f), at least 10"),
          to_simgrid.median() >= 10);
    for (const auto& [at, least] : kVirtualToBare) {
      if (at != units) continue;
      Judge(range(virtual_to_bare, "  virtual / bare loop %.1f (%.1f to %.1f)") +
                Text(", at least %.1f", least),
            virtual_to_bare.median() >= least);
    }
  }
}

std::int64_t PeakBytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

void Memory() {
  constexpr std::int64_t kRequests = 10000000;
  const std::vector<std::pair<const char*, const char*>> arrivals = {
      {"offline", R"({"type": "offline"})"}, {"poisson", R"({"type": "poisson", "rate_per_s": 1000})"}};
  for (const auto& [name, arrival] : arrivals) {
    const Scenario scenario = MakeScenario(4, kModels, kRequests / kModels, arrival);
    for (const bool simgrid : {false, true}) {
      Sample growth, peak;
      SecondsInChild([] {});
      const Outcome outcome = RunInChild({}, [&](const RunOptions&) {
        const std::int64_t before = PeakBytes();
        Run(scenario, simgrid);
        Outcome made;
        made.end = Nanos{PeakBytes() - before};
        made.first_release = Nanos{PeakBytes()};
        return made;
      });
      const double bytes = static_cast<double>(outcome.end.count()) / kRequests;
      const std::int64_t megabytes = outcome.first_release.count() / kMegabyte;
      Judge(std::string("10 million ") + name + " requests, " + (simgrid ? "SimGrid" : "virtual") +
                Text(": %.1f bytes a request, at most 16", bytes),
            bytes <= 16);
      Judge(Text("  %.0f MiB in all, less than 200", static_cast<double>(megabytes)), megabytes < 200);
    }
  }
}

// All requests wait from the start: the backlog is as long as there are requests.
void Overload() {
  double first = 0;
  for (const std::int64_t backlog : {1000, 10000, 100000, 1000000}) {
    const Scenario scenario = MakeScenario(16, 8, backlog / 8);
    Sample nanos;
    for (int r = 0; r < kRepetitions; ++r) {
      const int runs = static_cast<int>(1000000 / backlog);
      const double seconds = Seconds([&] {
        for (int i = 0; i < runs; ++i) Run(scenario, false);
      });
      nanos.Add(seconds * 1e9 / static_cast<double>(runs * backlog));
    }
    if (first == 0) first = nanos.median();
    const double allowed = std::log(static_cast<double>(backlog)) / std::log(1000.0);
    Judge(Text("backlog %.0f, 16 units, fcfs: %.0f ns a decision", static_cast<double>(backlog),
               nanos.median()) +
              Text(", %.2f of the shortest, at most %.2f", nanos.median() / first, allowed),
          nanos.median() / first <= allowed);
  }
  const Scenario large = MakeScenario(64, 1000, 1000);
  const double seconds = Seconds([&] { Run(large, false); });
  std::printf("1000 streams of 1000 requests on 64 units: %.2f s\n", seconds);
}

// What one run in virtual time takes, in a process of its own; its processor's time, since others may use the
// machine for the minutes that this takes.
struct Cost {
  double set_up_s = 0;  // reading the scenario and making it ready
  double run_s = 0;
  double megabytes = 0;  // at its greatest
  double tasks = 0;
};

Nanos ProcessorTime() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + Nanos{time.tv_nsec};
}

Cost CostOf(const std::function<Scenario()>& make, Granularity granularity = Granularity::kModel) {
  const Outcome told = RunInChild({}, [&](const RunOptions&) {
    Outcome took;
    const Nanos start = ProcessorTime();
    const Scenario scenario = make();
    PolicySpec spec = PolicyByName("fcfs", scenario, "bench");
    spec.granularity = granularity;
    const Prepared ready = MakePolicy(spec, ProblemFor(spec, scenario));
    const Nanos begin = ProcessorTime();
    took.units = RunVirtual(*ready.problem, *ready.policy).units;
    took.end = ProcessorTime() - begin;
    took.first_release = begin - start;
    took.last_completion = Nanos{PeakBytes()};
    return took;
  });
  Cost cost{static_cast<double>(told.first_release.count()) / 1e9,
            static_cast<double>(told.end.count()) / 1e9,
            static_cast<double>(told.last_completion.count()) / kMegabyte};
  for (const UnitOutcome& unit : told.units) cost.tasks += static_cast<double>(unit.tasks);
  return cost;
}

constexpr double kMostMegabytes = 2048;

void ScaleOfRequests(const std::string& name, const std::string& arrival) {
  constexpr std::int64_t kRequests = 100'000'000;
  const Cost cost = CostOf([&] { return MakeScenario(4, kModels, kRequests / kModels, arrival); });
  Judge("100 million " + name +
            Text(" requests, 4 units, virtual: %.1f s, %.0f MiB, less than 2048", cost.run_s, cost.megabytes),
        cost.megabytes < kMostMegabytes);
}

// As many tasks at each of several sizes, the least of a few runs in turn: what others do on the machine only
// adds to it. `bar`: of the cost of a task at the greatest size to that at the least.
void ScaleOf(const char* of, const std::vector<std::size_t>& sizes, double bar,
             const std::function<Cost(std::size_t)>& measure) {
  constexpr int kTimes = 5;
  std::vector<Sample> nanos(sizes.size()), set_up(sizes.size()), megabytes(sizes.size());
  for (int r = 0; r < kTimes; ++r) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Cost cost = measure(sizes[i]);
      nanos[i].Add(cost.run_s * 1e9 / cost.tasks);
      set_up[i].Add(cost.set_up_s), megabytes[i].Add(cost.megabytes);
    }
  }
  const auto least = [](const Sample& sample) { return sample.values.front(); };
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::printf("%zu %s, fcfs, virtual: %.0f ns a task (median %.0f), %.2f s to make it ready\n", sizes[i],
                of, least(nanos[i]), nanos[i].median(), least(set_up[i]));
    Judge(Text("  %.0f MiB, less than 2048", megabytes[i].median()), megabytes[i].median() < kMostMegabytes);
  }
  const double growth = least(nanos.back()) / least(nanos.front());
  Judge(std::string("  a task at the most ") + of +
            Text(" to one at the least: %.2f, at most %.2f", growth, bar),
        growth <= bar);
}

// The logarithm is of what a task's place has to be found among. Layers follow each other: there is nothing
// to find.
void Scale() {
  ScaleOfRequests("offline", kOffline);
  ScaleOfRequests("poisson", R"({"type": "poisson", "rate_per_s": 1000})");
  constexpr std::int64_t kTasks = 2'000'000;
  ScaleOf("units", {64, 512, 4096, 10000}, std::log(10000.0) / std::log(64.0), [](std::size_t units) {
    return CostOf([&] { return MakeScenario(units, kModels, kTasks / kModels); });
  });
  ScaleOf("layers", {1000, 10000, 100000}, std::log(100000.0) / std::log(1000.0), [](std::size_t layers) {
    const std::int64_t requests = kTasks / static_cast<std::int64_t>(layers);
    const std::size_t that_work = layers - 1;  // one is the model's input
    return CostOf([&] { return MakeScenario(4, 1, requests, kOffline, that_work); }, Granularity::kLayer);
  });
}

// So many tasks once, for whoever counts what that executes (scripts/bench/engine_instructions) or holds
// another simulator against it (scripts/bench/simpy_peer.py): prints when the last one ends.
void Once(const std::string& engine, std::size_t units, std::int64_t tasks, const std::string& policy) {
  const Outcome outcome = Run(MakeScenario(units, kModels, tasks / kModels), engine == "simgrid", policy);
  std::printf("%lld\n", static_cast<long long>(outcome.end.count()));
}

// How many schedules a search tries a second: of a scenario's file, of so many and on so many cores, where
// they are given.
void Search(const std::string& file, const std::string& evaluations, const std::string& on = "") {
  const Scenario scenario = ReadScenarioFile(file);
  const std::int64_t most = evaluations.empty() ? DefaultEvaluations(scenario) : std::stoll(evaluations);
  std::int64_t tried = 0;
  const std::size_t cores = on.empty() ? CoresToUse() : std::stoul(on);
  const double seconds = Seconds([&] { tried = FindBest(scenario, most, cores).front().search->tried; });
  std::printf("%s: %lld schedules, %.0f a second\n", scenario.name.c_str(), static_cast<long long>(tried),
              static_cast<double>(tried) / seconds);
  std::fflush(stdout);
}

// Of different objectives and lengths, below the folder in which scripts/bench/bench runs this.
void Searches() {
  for (const char* name : kSearched) Search(std::string("scenarios/") + name + ".scenario.json", "");
}

int Main(const std::vector<std::string>& words) {
  const std::string what = words.empty() ? "all" : words[0];
  if (what == "once") {
    Once(words.at(1), std::stoul(words.at(2)), std::stoll(words.at(3)), words.size() > 4 ? words[4] : "fcfs");
    return kExitDone;
  }
  if (what == "search" && words.size() > 1) {
    Search(words[1], words.size() > 2 ? words[2] : "", words.size() > 3 ? words[3] : "");
    return kExitDone;
  }
  if (what == "all" || what == "search") Searches();
  if (what != "scale" && what != "search") LoadSimGrid();  // which is no part of what is measured
  if (what == "all" || what == "ratios") Ratios();
  if (what == "all" || what == "memory") Memory();
  if (what == "all" || what == "overload") Overload();
  if (what == "scale") Scale();
  return missed ? kExitNo : kExitDone;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  return tandem::RunGuarded("bench_engines", [&] { return tandem::Main({argv + 1, argv + argc}); });
}
