// Does a report writer that stands outside the program become an option of `tandem simulate` with its one
// registration, and get what happens?
#include "sim/study/report_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "profiles/base/files.h"
#include "profiles/program/command_line.h"
#include "tests/support/command_answer.h"

namespace tandem {
namespace {

// A line per run: its policy, engine, tasks and requests.
class Tally final : public ReportWriter, private SpanSink {
 public:
  Tally(const std::filesystem::path& file, const Scenario& scenario) : file_(file) {
    file_.Append(scenario.name + "\n");
  }

  SpanSink& BeginRun(const PreparedRun& run, Engine engine) override {
    file_.Append(run.spec->label + " " + std::string(NameOf(kEngineNames, engine)));
    spans_ = ended_ = 0;
    return *this;
  }
  void EndRun(const Outcome& outcome) override {
    file_.Append(" " + std::to_string(spans_) + " " + std::to_string(ended_) +
                 (outcome.complete ? "\n" : " cut short\n"));
  }
  void Close() override { file_.Commit(); }

 private:
  void Add(const Span&) override { ++spans_; }
  void Ended(const RequestEnd&) override { ++ended_; }

  FileWriter file_;
  int spans_ = 0, ended_ = 0;
};

std::unique_ptr<ReportWriter> Open(const std::filesystem::path& file, const Scenario& scenario) {
  return std::make_unique<Tally>(file, scenario);
}

const ReportWriterRegistration kTally{
    {.name = "tally", .summary = "write the number of tasks to this file", .open = Open}};

CommandAnswer Simulate(std::vector<std::string> words) {
  words.insert(words.begin(), "simulate");
  return AnswerOf({.name = "tandem", .summary = "", .version = ""}, words);
}

TEST(ARegisteredReportWriter, WritesWhatHappens) {
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / ("tally." + std::to_string(::getpid()));
  for (const std::string engine : {"virtual", "simgrid"}) {
    const CommandAnswer answer = Simulate(
        {"study-003", "--policy", "fcfs", "--policy", "eft", "--engine", engine, "--tally", file.string()});
    EXPECT_EQ(answer.status, kExitDone) << answer.errors;
    EXPECT_NE(answer.output.find("eft"), std::string::npos) << answer.output;
    EXPECT_EQ(ReadTextFile(file), "study 003: three models on the Tinker board\nfcfs " + engine +
                                      " 300 300\neft " + engine + " 300 300\n");
    std::filesystem::remove(file);
  }
}

TEST(ARegisteredReportWriter, StandsInTheHelpAfterTheProgramsOwn) {
  const std::string help = Simulate({"--help"}).output;
  const std::size_t tally = help.find("--tally TEXT");
  ASSERT_NE(tally, std::string::npos) << help;
  EXPECT_NE(help.find("write the number of tasks to this file", tally), std::string::npos);
  EXPECT_LT(help.find("--trace TEXT"), help.find("--csv TEXT"));
  EXPECT_LT(help.find("--csv TEXT"), tally);
}

TEST(ARegisteredReportWriter, DoesNotGoWithReplications) {
  const CommandAnswer answer = Simulate({"study-003", "--tally", "x", "--replications", "2"});
  EXPECT_EQ(answer.status, kExitBadInput);
  EXPECT_EQ(answer.errors,
            "tandem simulate: --tally excludes --replications\n"
            "Run `tandem simulate --help` for its usage.\n");
  EXPECT_FALSE(std::filesystem::exists("x"));
}

}  // namespace
}  // namespace tandem
