// What `tandem simulate` writes to files beside its result. A writer is one file of sim/writers that
// registers itself; its name is an option of the command then.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "profiles/program/outputs.h"
#include "scenarios/trace/span.h"
#include "sim/study/one_run.h"

namespace tandem {

class ReportWriter {
 public:
  virtual ~ReportWriter() = default;
  // Runs come one after the other; `run` and the sink are good until EndRun.
  virtual SpanSink& BeginRun(const PreparedRun& run, Engine engine) = 0;
  virtual void EndRun(const Outcome& outcome) = 0;
  // After the last run: what came out, with its intervals; interrupted: as far as it came.
  virtual void SetReports(const std::vector<Report>&, bool /*interrupted*/) {}
  virtual void Close() = 0;  // at the end; without it no file is left
};

struct ReportWriterDeclaration {
  std::string name;                    // "csv" is the option --csv
  std::string summary;                 // its line in the help
  int order = 1000;                    // there, and by name where it is the same
  OutputKind kind = {"another file"};  // by which its own files are known, which it replaces unasked
  // `scenario` outlives the writer.
  std::unique_ptr<ReportWriter> (*open)(const std::filesystem::path& file,
                                        const Scenario& scenario) = nullptr;
};

// At namespace scope of the writer's file.
struct ReportWriterRegistration {
  explicit ReportWriterRegistration(ReportWriterDeclaration declaration);
};

const std::vector<ReportWriterDeclaration>& ReportWriters();  // in their order

}  // namespace tandem
