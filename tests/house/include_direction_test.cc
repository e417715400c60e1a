// Does every folder include only what stands left of it, and is every outside package used only where it may
// be?
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace {
namespace fs = std::filesystem;

// What each folder may include of the project itself.
const std::map<std::string, std::vector<std::string>> kFolders = {
    {"profiles", {"profiles"}},
    {"scenarios", {"profiles", "scenarios"}},
    {"policies", {"profiles", "scenarios", "policies"}},
    {"sim", {"profiles", "scenarios", "policies", "sim"}},
    {"device", {"profiles", "scenarios", "policies", "device"}},
};

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
        row("SimGrid", "(simgrid|xbt|smpi)/.*", "sim/simgrid_runner\\.cc"),
        row("CLI11", "CLI/.*", "(sim|device)/(main|command[a-z0-9_]*)\\.cc"),
        row("protobuf", "(google/protobuf|onnx)/.*|.*\\.pb\\.h", "profiles/importers/.*"),
        row("nlohmann_json", "nlohmann/json\\.hpp", ".*\\.cc"),
        row("Boost", "boost/.*", "profiles/model\\.cc"),
        row("CUDA", "cuda.*|cudnn.*|cublas.*", "device/backends/cuda/.*"),
        row("oneDNN", "(oneapi/dnnl/)?dnnl.*", "device/backends/cpu/.*"),
        row("COIN-OR", "coin/.*", "policies/bound\\.cc"),
        row("MPI", "mpi\\.h", "sim/.*sweep[a-z0-9_]*\\.cc"),
        row("GoogleTest", "g(test|mock)/.*", "tests/.*"),
    };
  }();
  return rules;
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string FirstFolder(const std::string& path) { return path.substr(0, path.find('/')); }

// Why `file` may not include `header`; empty where it may.
std::string Objection(const std::string& file, const std::string& header) {
  const std::string from = FirstFolder(file), to = FirstFolder(header);
  if (kFolders.count(to) != 0 && header != to) {
    return Contains(kFolders.at(from), to) ? "" : from + " does not know " + to;
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

TEST(IncludeDirection, EveryWrongIncludeOfABadTreeIsFound) {
  const fs::path root = fs::temp_directory_path() / ("tandem_includes_" + std::to_string(::getpid()));
  const auto write = [&](const std::string& file, const std::string& text) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  };
  write("profiles/a.cc", "#include \"scenarios/b.h\"\n#include <boost/graph/adjacency_list.hpp>\n");
  write("profiles/a.h", "#include <nlohmann/json.hpp>\n#include <nlohmann/json_fwd.hpp>\n");
  write("profiles/model/model.cc",
        "#include <boost/graph/adjacency_list.hpp>\n#include \"onnx/onnx_pb.h\"\n");
  write("policies/p.cc", "  #  include <simgrid/s4u.hpp>\n// #include <simgrid/s4u.hpp>\n");
  write("sim/deep/s.cc",
        "#include \"device/processor/backend.h\"\n#include <CLI/CLI.hpp>\n#include <vector>\n");
  write("sim/engine/simgrid_runner.cc", "#include <simgrid/s4u.hpp>\n");
  write("device/d.cu", "#include <cuda_runtime.h>\n#include \"sim/s.h\"\n");
  write("device/backends/cpu/c.cc", "#include <dnnl.hpp>\n#include <cudnn.h>\n");
  write("device/command_x.cc", "#include <CLI/CLI.hpp>\n");
  const Findings findings = JudgeTree(root);
  fs::remove_all(root);
  const std::vector<std::string> expected = {
      "device/backends/cpu/c.cc:2: cudnn.h: CUDA does not belong here",
      "device/d.cu:1: cuda_runtime.h: CUDA does not belong here",
      "device/d.cu:2: sim/s.h: device does not know sim",
      "policies/p.cc:1: simgrid/s4u.hpp: SimGrid does not belong here",
      "profiles/a.cc:1: scenarios/b.h: profiles does not know scenarios",
      "profiles/a.cc:2: boost/graph/adjacency_list.hpp: Boost does not belong here",
      "profiles/a.h:1: nlohmann/json.hpp: nlohmann_json does not belong here",
      "profiles/model/model.cc:2: onnx/onnx_pb.h: protobuf does not belong here",
      "sim/deep/s.cc:1: device/processor/backend.h: sim does not know device",
      "sim/deep/s.cc:2: CLI/CLI.hpp: CLI11 does not belong here",
  };
  EXPECT_EQ(findings.objections, expected) << Joined(findings.objections);
}

}  // namespace
