// docs/command_protocol.md both ways: what a program of a platform's unit answers, a line for the greeting
// and for each request, and what adapters are asked.
#include <sstream>
#include <stdexcept>

#include "device/backends/command/adapter.h"
#include "scripts/adapters/unit_program.h"
#include "tests/fuzz/mutations.h"
#include "tests/fuzz/readers.h"

namespace tandem {
namespace {

constexpr const char* kAnswers =
    R"(exec 3<"$0"; while IFS= read -r line <&3; do printf '%s\n' "$line"; read -r request || exit; done)";

FuzzReader UnitPrograms() {
  return {"unit_program",
          {"tandem-unit/1 npu 2 runtime=1.17\nok 1000\nok 2000 abc123\nok 10\n",
           "tandem-unit/1 npu 2\nerror no such model\n", "error no card\n"},
          [](const std::string& bytes) {
            Adapter program("unit \"npu\"", {"sh", "-c", kAnswers, FuzzFile("answers", bytes).string()});
            program.Load(1, 1, "net.onnx");
            program.Run(1, 3);
            program.Unload(1);
          },
          WithWordsChanged};
}
const FuzzReaderRegistration kUnitPrograms(UnitPrograms);

// Of a library that runs anything, but not without end.
class AnyNet final : public unit_program::Net {
 public:
  std::vector<unit_program::Input> Inputs() const override { return {{"x", {2}, true}}; }
  void SetInput(std::size_t, const std::byte* values) override {
    values_.assign(values, values + 2 * sizeof(float));
  }
  void Run() override {
    if (--left_ < 0) throw unit_program::Trouble("that often\nnobody runs it");
  }
  unit_program::Bytes Outputs() override { return values_; }

 private:
  unit_program::Bytes values_;
  int left_ = 100;
};

class AnyRuntime final : public unit_program::Runtime {
 public:
  std::string Libraries() const override { return "any=1"; }
  std::unique_ptr<unit_program::Net> Load(const std::filesystem::path&, std::int64_t) override {
    return std::make_unique<AnyNet>();
  }
};

FuzzReader UnitRequests() {
  const std::filesystem::path file = FuzzFile("any.net", "");
  return {"unit_requests",
          {"load 1 1 any.net\nrun 1 3\nunload 1\n",
           "load 1 1 any\nload 2 4 " + file.string() + "\nrun 2 1\nrun 1 7\n",
           "run 3 1\nload 1 1 /n/net.model.json\nload 1 1\n"},
          [models = file.parent_path()](const std::string& bytes) {
            unit_program::Options options;
            options.models = models;
            const unit_program::About about = {
                "any", ".net",         "",
                {},    "none is made", [](const auto&) {
                                                 return std::make_unique<AnyRuntime>(); }};
            unit_program::inside::Program program(about, options);
            std::istringstream lines(bytes);
            for (std::string line; std::getline(lines, line);) {
              const std::string answer = unit_program::inside::AnswerOrWhyNot(program, line);
              if (answer.find('\n') != std::string::npos) throw std::logic_error("two lines: " + answer);
            }
          },
          WithWordsChanged};
}
const FuzzReaderRegistration kUnitRequests(UnitRequests);

}  // namespace
}  // namespace tandem
