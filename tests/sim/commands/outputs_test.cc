// Do the commands of tandem leave alone what they read and what somebody measured, and do they take part in
// pipes?
#include <gtest/gtest.h>

#include <filesystem>

#include "profiles/base/files.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class CommandOutputs : public testing::Test {
 protected:
  CommandOutputs() {
    Write("s.json",
          R"({"tandem": "scenario/1", "name": "small", "platform": "./b.json", "profiles": ["./p.json"],
        "transfer": "none", "policies": ["fcfs", "eft"],
        "streams": [{"name": "a", "model": "./m.json", "count": 3, "arrival": {"type": "offline"}}]})");
    Write("b.json", R"({"tandem": "platform/1", "name": "board", "memories": [{"name": "dram"}],
        "units": [{"name": "cpu", "kind": "cpu", "memory": "dram", "backend": "reference"}]})");
    Write(
        "p.json",
        R"({"tandem": "profile/1", "platform": "board", "origin": {"kind": "estimated", "method": "made up"},
        "entries": [{"model": "./m.json", "unit": "cpu", "layers": "*", "median_us": 100}]})");
    Write("m.json", R"({"tandem": "model/1", "name": "tiny", "layers": [
        {"name": "data", "op": "input", "shape": [1, 4]},
        {"name": "fc", "op": "fc", "inputs": ["data"], "out_features": 3}]})");
  }

  void Write(const std::string& name, const std::string& text) { WriteFile(folder_ / name, text); }
  std::string Read(const std::string& name) const { return ReadTextFile(folder_ / name); }
  ProgramResult Shell(const std::string& line) const {
    return RunShell("cd " + folder_.string() + " && " + line);
  }
  ProgramResult Run(const std::string& arguments) const {
    return Shell(TANDEM_PROGRAM " " + arguments + " --engine virtual");
  }
  // Ends with 2, says so of that file, and all is as it was.
  void ExpectRefused(const std::string& arguments, const std::string& file) {
    const std::string before = Read(file);
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.output, "") << arguments;
    EXPECT_NE(result.errors.find(file + ": "), std::string::npos) << result.errors;
    EXPECT_EQ(Read(file), before) << arguments;
  }

  TempFolder folder_;
};

TEST_F(CommandOutputs, InputsAreNotOverwritten) {
  for (const std::string file : {"s.json", "b.json", "p.json", "m.json"}) {
    for (const std::string options : {"", " --force"}) {
      ExpectRefused("simulate s.json --trace " + file + options, file);
      ExpectRefused("simulate s.json --csv " + file + options, file);
      ExpectRefused("plan s.json -o " + file + options, file);
    }
  }
  fs::create_symlink("s.json", folder_ / "link.json");
  ExpectRefused("plan s.json -o link.json --force", "link.json");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.json"));
}

TEST_F(CommandOutputs, OtherFilesAreReplacedOnlyByForce) {
  Write("notes.txt", "what I found out");
  ExpectRefused("simulate s.json --trace notes.txt", "notes.txt");
  ExpectRefused("simulate s.json --csv notes.txt", "notes.txt");
  ExpectRefused("plan s.json -o notes.txt", "notes.txt");
  EXPECT_EQ(Run("plan s.json -o notes.txt --force").status, 0);
  EXPECT_EQ(Run("plan s.json -o notes.txt").status, 0) << "a plan replaces a plan";
  for (const char* options : {"--trace t.json", "--csv t.csv"}) {
    EXPECT_EQ(Run("simulate s.json " + std::string(options)).status, 0);
    EXPECT_EQ(Run("simulate s.json " + std::string(options)).status, 0) << "of the same kind: " << options;
  }
}

TEST_F(CommandOutputs, ModelsAndSchemasAreWatchedTheSameWay) {
  const auto status = [&](const std::string& line) { return Shell(TANDEM_PROGRAM " " + line).status; };
  EXPECT_EQ(status("models import m.json -o m"), 2);
  EXPECT_EQ(status("models import m.json -o b.json"), 2);
  EXPECT_EQ(status("models import m.json -o copy"), 0);
  EXPECT_EQ(status("models import m.json -o copy"), 0);
  EXPECT_EQ(status("schema --all schemas"), 0);
  EXPECT_EQ(status("schema --all schemas"), 0);
  Write("schemas/plan.schema.json", "mine");
  EXPECT_EQ(status("schema --all schemas"), 2);
  EXPECT_EQ(status("schema --all schemas --force"), 0);
}

TEST_F(CommandOutputs, AFileThatIsNotNamedIsRefused) {
  for (const std::string arguments :
       {"simulate s.json --trace ''", "simulate s.json --csv=''", "plan s.json -o ''"}) {
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.output, "") << arguments;
  }
}

TEST_F(CommandOutputs, OneFileIsWrittenOnce) {
  fs::create_symlink("t.out", folder_ / "link.out");
  EXPECT_EQ(Run("simulate s.json --trace t.out --csv link.out").errors,
            "link.out: --trace and --csv cannot both write it\n");
  EXPECT_EQ(Run("new baseline s.json -o b.baseline.json").status, 0);
  const auto regress = [&](const std::string& options) {
    const ProgramResult result = Shell(TANDEM_PROGRAM " regress b.baseline.json " + options);
    EXPECT_EQ(result.status, 2) << options;
    return result.errors;
  };
  EXPECT_EQ(regress("--junit r.out --openmetrics ./r.out"),
            "./r.out: --junit and --openmetrics cannot both write it\n");
  const std::string baseline = Read("b.baseline.json");
  EXPECT_NE(regress("--junit b.baseline.json").find("b.baseline.json: is an input of this command"),
            std::string::npos);
  EXPECT_EQ(Read("b.baseline.json"), baseline);
  const ProgramResult merged = Shell(TANDEM_PROGRAM " profiles merge p.json p.json -o p.json");
  EXPECT_EQ(merged.status, 2) << merged.output;
}

TEST_F(CommandOutputs, PlansAndBaselinesAreReadBackFromWhereTheyLie) {
  fs::create_directories(folder_ / "a/b");
  fs::create_directory_symlink("a/b", folder_ / "deep");
  fs::create_symlink("a/b/far.plan.json", folder_ / "link.plan.json");
  for (const char* file : {"deep/x.plan.json", "link.plan.json"}) {
    EXPECT_EQ(Run("plan s.json -o " + std::string(file)).status, 0) << file;
    const ProgramResult checked = Shell(TANDEM_PROGRAM " check " + std::string(file));
    EXPECT_EQ(checked.status, 0) << checked.errors;
  }
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.plan.json"));
  EXPECT_EQ(Shell(TANDEM_PROGRAM " check a/b/far.plan.json").status, 0);
  EXPECT_EQ(Run("new baseline s.json -o deep/s.baseline.json").status, 0);
  EXPECT_EQ(Shell(TANDEM_PROGRAM " regress deep/s.baseline.json").status, 0);
}

TEST_F(CommandOutputs, APlanGoesThroughAPipe) {
  const std::string plan = TANDEM_PROGRAM " plan s.json --engine virtual -o - 2>said";
  const ProgramResult checked = Shell(plan + " | " TANDEM_PROGRAM " check -");
  EXPECT_EQ(checked.status, 0) << checked.errors;
  EXPECT_EQ(checked.output.rfind("ok  (standard input): plan/1", 0), 0U) << checked.output;
  EXPECT_NE(Read("said").find("fcfs"), std::string::npos) << "the comparison makes room for the plan";
  const ProgramResult again = Shell(plan + " | " TANDEM_PROGRAM " simulate - --engine virtual --json");
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(Shell(plan + " > x.plan.json && " TANDEM_PROGRAM " simulate x.plan.json --engine virtual --json")
                .output,
            again.output);
}

TEST_F(CommandOutputs, APlanHoldsAProfileThatStandsInTheScenario) {
  Write("in_place.json",
        R"({"tandem": "scenario/1", "name": "small", "platform": "./b.json", "transfer": "none",
        "profiles": [{"platform": "board", "origin": {"kind": "estimated", "method": "made up"},
          "entries": [{"model": "./m.json", "unit": "cpu", "layers": "*", "median_us": 100}]}],
        "policies": ["fcfs"],
        "streams": [{"name": "a", "model": "./m.json", "count": 3, "arrival": {"type": "offline"}}]})");
  const ProgramResult plan = Run("plan in_place.json -o in_place.plan.json");
  ASSERT_EQ(plan.status, 0) << plan.errors;
  EXPECT_EQ(Run("simulate in_place.plan.json").status, 0);
}

TEST_F(CommandOutputs, EveryFileMayComeFromStandardInput) {
  const std::string tandem = TANDEM_PROGRAM " ";
  EXPECT_EQ(Shell(tandem + "plan - --engine virtual < s.json").status, 0);
  EXPECT_EQ(Shell(tandem + "plan - -o again.plan.json --engine virtual < s.json").status, 0);
  EXPECT_EQ(Shell(tandem + "explain - --engine virtual < s.json").status, 0);
  EXPECT_EQ(Shell(tandem + "check - --json < s.json").status, 0);
  EXPECT_EQ(Shell(tandem + "profiles show - < p.json").status, 0);
  EXPECT_EQ(Shell(tandem + "models show - < m.json").status, 0);
  const ProgramResult trace = Run("simulate s.json --trace -");
  EXPECT_EQ(trace.status, 0) << trace.errors;
  Write("t.json", trace.output);
  EXPECT_EQ(Shell(tandem + "check-trace s.json - < t.json").status, 0);
  EXPECT_EQ(Shell(tandem + "compare - t.json < t.json").status, 0);
  const ProgramResult wrong = Shell(tandem + "simulate - < p.json");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.errors.rfind("(standard input):", 0), 0U) << wrong.errors;
}

TEST_F(CommandOutputs, StandardOutputTakesOneResult) {
  const auto error = [&](const std::string& arguments) {
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.output, "") << arguments;
    return result.errors;
  };
  EXPECT_EQ(error("plan s.json -o - --json"),
            "-o: standard output takes one result, and --json prints there too\n");
  EXPECT_EQ(error("simulate s.json --trace - --csv -"),
            "--csv: standard output takes one file, and --trace writes there too\n");
}

}  // namespace
}  // namespace tandem
