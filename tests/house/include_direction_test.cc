// Does every folder include only what stands left of it, and is every outside package used only where it may
// be?
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {
namespace fs = std::filesystem;

// The folders from left to right: a room may include what stands in a folder left of its own.
const std::map<std::string, std::set<std::string>> kFolders = {
    {"profiles", {}},
    {"scenarios", {"profiles"}},
    {"policies", {"profiles", "scenarios"}},
    {"sim", {"profiles", "scenarios", "policies"}},
    {"device", {"profiles", "scenarios", "policies"}},
};

// The rooms, and of its own folder what each may include beside itself. An arrow that is not here runs back,
// or is a new one: think twice before you add it.
const std::map<std::string, std::set<std::string>>& Rooms() {
  static const std::map<std::string, std::set<std::string>> rooms = [] {
    std::map<std::string, std::set<std::string>> table;
    const auto row = [&table](const std::string& folder, const std::string& names,
                              std::initializer_list<const char*> known) {
      for (std::size_t from = 0, to = 0; from < names.size(); from = to + 1) {
        to = std::min(names.find(' ', from), names.size());
        auto& arrows = table[folder + "/" + names.substr(from, to - from)];
        for (const char* room : known) arrows.insert(folder + "/" + room);
      }
    };
    row("profiles", "base", {});
    row("profiles", "program model", {"base"});
    row("profiles", "model/ops zoo importers/caffe importers/tflite", {"base", "model"});
    row("profiles", "importers/onnx costs", {"base", "program", "model"});
    row("profiles", "estimate dumps", {"base", "program", "model", "costs"});
    row("profiles", "dumps/nsys", {"base", "dumps"});

    row("scenarios", "arrivals", {});
    row("scenarios", "scenario", {"arrivals"});
    row("scenarios", "exchange trace", {"arrivals", "scenario"});
    row("scenarios", "check report", {"arrivals", "scenario", "trace"});
    row("scenarios", "calibration baseline", {"arrivals", "scenario", "trace", "report"});

    row("policies", "problem", {});
    row("policies", "engine", {"problem"});
    row("policies", "engine/draws", {"problem", "engine"});
    row("policies", "kinds", {"problem", "engine"});
    row("policies", "placing cutting", {"problem", "engine", "kinds"});
    row("policies", "bounds", {"problem", "engine", "engine/draws", "kinds"});
    row("policies", "search", {"problem", "engine", "engine/draws", "kinds", "bounds"});
    row("policies", "explain", {"problem", "engine", "engine/draws", "kinds", "bounds", "search"});
    row("policies", "rules", {"problem", "engine", "kinds", "placing", "cutting", "bounds", "search"});

    row("sim", "engine board page", {});
    row("sim", "study", {"engine", "page"});
    row("sim", "lab", {"board"});
    row("sim", "regress sweep", {"engine", "study"});
    row("sim", "writers", {"engine", "study", "page"});
    row("sim", "emit", {"engine", "study"});
    row("sim", "workers questions", {"engine", "study", "sweep"});
    row("sim", "commands",
        {"engine", "board", "page", "lab", "study", "regress", "sweep", "workers", "questions", "emit"});

    row("device", "host", {});
    row("device", "processor energy", {"host"});
    row("device", "threads lowering loads", {"host", "processor"});
    row("device", "machine", {"host", "processor", "energy"});
    row("device", "harness", {"host", "processor", "energy", "threads", "loads", "machine"});
    row("device", "profiler/samples", {"processor"});
    row("device", "profiler/bench", {"host", "processor", "threads", "loads", "machine", "profiler/samples"});
    row("device", "profiler/beside", {"host", "loads", "profiler/samples", "profiler/bench"});
    row("device", "profiler",
        {"host", "processor", "energy", "threads", "machine", "harness", "profiler/samples", "profiler/bench",
         "profiler/beside"});
    row("device", "service", {"host", "processor", "energy", "threads", "machine", "harness"});
    row("device", "study",
        {"host", "processor", "energy", "threads", "loads", "machine", "harness", "profiler",
         "profiler/samples", "profiler/bench"});
    row("device", "commands",
        {"host", "processor", "energy", "threads", "loads", "machine", "harness", "profiler",
         "profiler/samples", "study"});
    row("device", "backends/reference backends/emulated backends/command", {"host", "processor", "lowering"});
    row("device", "backends/cpu/loops", {"processor", "lowering", "backends/reference"});
    row("device", "backends/cpu/xnnpack", {});
    row("device", "backends/cpu/onednn",
        {"host", "processor", "lowering", "backends/cpu/loops", "backends/cpu/xnnpack"});
    row("device", "backends/cuda", {});
    row("device", "backends/cuda/gpu", {"host", "processor", "lowering", "backends/cuda"});
    row("device", "backends/cuda/kernels", {"backends/cuda", "backends/cuda/card"});
    row("device", "backends/cuda/libraries", {"backends/cuda"});
    row("device", "backends/cuda/card",
        {"host", "processor", "loads", "backends/cuda", "backends/cuda/gpu", "backends/cuda/libraries"});
    return table;
  }();
  return rooms;
}

// Where the headers of an outside package may be included; what no row matches is the language's or system's.
struct PackageRule {
  const char* package;
  std::regex headers;
  std::regex files;
};
const std::vector<PackageRule>& PackageRules() {
  static const std::vector<PackageRule> rules = [] {
    const auto row = [](const char* package, const char* headers, const char* files) {
      return PackageRule{package, std::regex(headers), std::regex(files)};
    };
    return std::vector<PackageRule>{
        row("SimGrid", "(simgrid|xbt|smpi)/.*",
            "sim/engine/"
            "(simgrid_(engine\\.(cc|h)|reader\\.cc|runner\\.cc|versions\\.h)|fluid_(platform|runner)\\.cc)"),
        row("MPI", "mpi\\.h", "sim/workers/ranks\\.cc"),
        row("CLI11", "CLI/.*", "profiles/program/command_line\\.cc"),
        row("protobuf", "(google/protobuf|onnx)/.*|.*\\.pb\\.h", "profiles/importers/.*"),
        row("FlatBuffers", "flatbuffers/.*", "profiles/importers/tflite/.*"),
        row("SQLite", "sqlite3\\.h", "profiles/dumps/nsys/.*"),
        row("nlohmann_json", "nlohmann/json\\.hpp", ".*\\.cc"),
        row("Boost", "boost/.*", "profiles/base/graph\\.cc"),
        row("CUDA", "cuda.*|cudnn.*|cublas.*", "device/backends/cuda/.*"),
        row("oneDNN", "(oneapi/dnnl/)?dnnl.*", "device/backends/cpu/onednn/.*"),
        row("XNNPACK", "(xnnpack|pthreadpool)[.]h", "device/backends/cpu/xnnpack/.*"),
        row("COIN-OR", "coin/.*", "policies/bounds/bound\\.cc"),
        row("GoogleTest", "g(test|mock)/.*", "tests/.*"),
    };
  }();
  return rules;
}

std::string FirstFolder(const std::string& path) { return path.substr(0, path.find('/')); }
std::string RoomOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

// The declaration of a backend, which is part of both programs.
bool IsDeclaration(const std::string& file) {
  static const std::regex about("device/backends/[^/]+/about\\.cc");
  return std::regex_match(file, about);
}

// What a room may include of its folder; an added backend or importer without a row what the plain ones may.
// Null: no room.
const std::set<std::string>* ArrowsOf(const std::string& room) {
  static const std::regex backend("device/backends/[^/]+"), importer("profiles/importers/[^/]+");
  auto known = Rooms().find(room);
  if (known == Rooms().end() && std::regex_match(room, backend)) {
    known = Rooms().find("device/backends/reference");
  }
  if (known == Rooms().end() && std::regex_match(room, importer)) {
    known = Rooms().find("profiles/importers/caffe");
  }
  return known == Rooms().end() ? nullptr : &known->second;
}

// Why `file` may not include the project's own `header`; empty where it may.
std::string ObjectionToArrow(const std::string& file, const std::string& header) {
  const std::string from = FirstFolder(file), to = FirstFolder(header);
  if (IsDeclaration(file)) return to == "profiles" ? "" : "a backend's declaration does not know " + to;
  if (from != to) return kFolders.at(from).count(to) != 0 ? "" : from + " does not know " + to;
  const std::string room = RoomOf(file), other = RoomOf(header);
  const std::set<std::string>* known = ArrowsOf(room);
  if (room == other || known == nullptr || known->count(other) != 0) return "";
  return room + " does not know " + other;
}

std::string Objection(const std::string& file, const std::string& header) {
  if (kFolders.count(FirstFolder(header)) != 0 && header.find('/') != std::string::npos) {
    return ObjectionToArrow(file, header);
  }
  for (const PackageRule& rule : PackageRules()) {
    if (std::regex_match(header, rule.headers) && !std::regex_match(file, rule.files)) {
      return std::string(rule.package) + " does not belong here";
    }
  }
  return "";
}

bool IsSource(const fs::path& path) {
  const std::string suffix = path.extension().string();
  return suffix == ".cc" || suffix == ".h" || suffix == ".cu" || suffix == ".cuh";
}

struct Findings {
  std::vector<std::string> objections;  // "sim/x.cc:3: device/y.h: sim does not know device"
  int files = 0, includes = 0;
};

void JudgeFile(const fs::path& root, const fs::path& path, Findings& findings) {
  static const std::regex include_line("\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"].*");
  const std::string file = path.lexically_relative(root).generic_string();
  std::ifstream stream(path);
  std::string line;
  std::smatch match;
  ++findings.files;
  if (ArrowsOf(RoomOf(file)) == nullptr) findings.objections.push_back(file + ": stands in no room");
  for (int number = 1; std::getline(stream, line); ++number) {
    if (!std::regex_match(line, match, include_line)) continue;
    ++findings.includes;
    const std::string objection = Objection(file, match[1]);
    if (objection.empty()) continue;
    findings.objections.push_back(file + ":" + std::to_string(number) + ": " + match[1].str() + ": " +
                                  objection);
  }
}

Findings JudgeTree(const fs::path& root) {
  Findings findings;
  for (const auto& [folder, known] : kFolders) {
    if (!fs::is_directory(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file() && IsSource(entry.path())) JudgeFile(root, entry.path(), findings);
    }
  }
  std::sort(findings.objections.begin(), findings.objections.end());
  return findings;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(IncludeDirection, HoldsInThisTree) {
  const Findings findings = JudgeTree(fs::path(TANDEM_TEST_DIR).parent_path());
  EXPECT_GT(findings.files, 50);
  EXPECT_GT(findings.includes, 200);
  EXPECT_TRUE(findings.objections.empty()) << Joined(findings.objections);
}

TEST(Rooms, ArrowsRunOneWay) {
  std::set<std::string> placed;  // rooms all of whose arrows end in rooms placed before
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [room, known] : Rooms()) {
      if (!std::includes(placed.begin(), placed.end(), known.begin(), known.end())) continue;
      grew = placed.insert(room).second || grew;
    }
  }
  for (const auto& [room, known] : Rooms()) EXPECT_EQ(placed.count(room), 1u) << room << " is in a circle";
}

// "profiles/base" to what its first file says that it is for, line ends taken out.
std::map<std::string, std::string> WhatRoomsAreFor(const fs::path& root) {
  std::map<std::string, std::string> texts;
  for (const auto& [room, known] : Rooms()) {
    for (const auto& entry : fs::directory_iterator(root / room)) {
      std::ifstream stream(entry.path());
      const std::string start = "// Room " + room + ": ";
      std::string line, text;
      while (std::getline(stream, line) && line.rfind("// ", 0) == 0)
        text += (text.empty() ? "" : " ") + line.substr(3);
      if (text.rfind(start.substr(3), 0) != 0) continue;
      EXPECT_TRUE(texts.emplace(room, text.substr(start.size() - 3)).second) << room << " says it twice";
    }
    EXPECT_EQ(texts.count(room), 1u) << room << ": no file of it opens with \"// Room " << room << ": \"";
  }
  return texts;
}

TEST(Rooms, EachSaysWhatItIsForAndContributingSaysTheSame) {
  const fs::path root = fs::path(TANDEM_TEST_DIR).parent_path();
  std::ifstream stream(root / "CONTRIBUTING.md");
  const std::string page(std::istreambuf_iterator<char>(stream), {});
  std::string rows;
  for (const auto& [room, text] : WhatRoomsAreFor(root)) {
    const std::string row = "| " + room + "/ | " + text + " |\n";
    rows += page.find(row) == std::string::npos ? row : "";
  }
  EXPECT_EQ(rows, "") << "CONTRIBUTING.md lacks these rows, or has others";
}

TEST(Rooms, TheListOfPoliciesHoldsNoHeader) {
  const fs::path rules = fs::path(TANDEM_TEST_DIR).parent_path() / "policies" / "rules";
  for (const auto& entry : fs::directory_iterator(rules)) EXPECT_EQ(entry.path().extension(), ".cc");
}

TEST(IncludeDirection, EveryWrongIncludeOfABadTreeIsFound) {
  const fs::path root = fs::temp_directory_path() / ("tandem_includes_" + std::to_string(::getpid()));
  const auto write = [&](const std::string& file, const std::string& text) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  };
  write("profiles/base/a.cc",
        "#include \"scenarios/trace/b.h\"\n#include <boost/graph/adjacency_list.hpp>\n");
  write("profiles/base/a.h", "#include <nlohmann/json.hpp>\n#include <nlohmann/json_fwd.hpp>\n");
  write("profiles/costs/c.cc", "#include \"profiles/base/a.h\"\n#include \"profiles/estimate/e.h\"\n");
  write("profiles/loose.cc", "#include <vector>\n");
  write("profiles/model/m.cc", "#include \"onnx/onnx_pb.h\"\n#include \"profiles/costs/profile.h\"\n");
  write("policies/rules/p.cc", "  #  include <simgrid/s4u.hpp>\n// #include <simgrid/s4u.hpp>\n");
  write("policies/engine/q.cc",
        "#include \"policies/kinds/list_policy.h\"\n#include \"policies/problem/a.h\"\n");
  write("sim/study/s.cc", "#include \"device/harness/run.h\"\n#include <CLI/CLI.hpp>\n#include <vector>\n");
  write("sim/engine/simgrid_runner.cc", "#include <simgrid/s4u.hpp>\n");
  write("device/commands/x.cc", "#include <CLI/CLI.hpp>\n");
  write("profiles/program/command_line.cc", "#include <CLI/CLI.hpp>\n");
  write("device/host/d.cu", "#include <cuda_runtime.h>\n#include \"sim/study/s.h\"\n");
  write("device/backends/cpu/onednn/c.cc", "#include <dnnl.hpp>\n#include <cudnn.h>\n");
  write("device/backends/tpu/about.cc",
        "#include \"profiles/costs/backend.h\"\n#include \"device/processor/backend.h\"\n");
  write("device/backends/tpu/b.cc",
        "#include \"device/processor/backend.h\"\n#include \"device/harness/run.h\"\n");
  write("device/backends/cuda/gpu/g.cc", "#include \"device/backends/cuda/card/c.h\"\n");
  const Findings findings = JudgeTree(root);
  fs::remove_all(root);
  const std::vector<std::string> expected = {
      "device/backends/cpu/onednn/c.cc:2: cudnn.h: CUDA does not belong here",
      "device/backends/cuda/gpu/g.cc:1: device/backends/cuda/card/c.h: device/backends/cuda/gpu does not "
      "know "
      "device/backends/cuda/card",
      "device/backends/tpu/about.cc:2: device/processor/backend.h: a backend's declaration does not know "
      "device",
      "device/backends/tpu/b.cc:2: device/harness/run.h: device/backends/tpu does not know device/harness",
      "device/commands/x.cc:1: CLI/CLI.hpp: CLI11 does not belong here",
      "device/host/d.cu:1: cuda_runtime.h: CUDA does not belong here",
      "device/host/d.cu:2: sim/study/s.h: device does not know sim",
      "policies/engine/q.cc:1: policies/kinds/list_policy.h: policies/engine does not know policies/kinds",
      "policies/rules/p.cc:1: simgrid/s4u.hpp: SimGrid does not belong here",
      "profiles/base/a.cc:1: scenarios/trace/b.h: profiles does not know scenarios",
      "profiles/base/a.cc:2: boost/graph/adjacency_list.hpp: Boost does not belong here",
      "profiles/base/a.h:1: nlohmann/json.hpp: nlohmann_json does not belong here",
      "profiles/costs/c.cc:2: profiles/estimate/e.h: profiles/costs does not know profiles/estimate",
      "profiles/loose.cc: stands in no room",
      "profiles/model/m.cc:1: onnx/onnx_pb.h: protobuf does not belong here",
      "profiles/model/m.cc:2: profiles/costs/profile.h: profiles/model does not know profiles/costs",
      "sim/study/s.cc:1: device/harness/run.h: sim does not know device",
      "sim/study/s.cc:2: CLI/CLI.hpp: CLI11 does not belong here",
  };
  EXPECT_EQ(findings.objections, expected) << Joined(findings.objections);
}

}  // namespace
