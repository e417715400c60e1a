// What a program of a platform's unit answers, docs/command_protocol.md: a line for the greeting and for each
// request.
#include "device/backends/command/adapter.h"
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
          }};
}
const FuzzReaderRegistration kUnitPrograms(UnitPrograms);

}  // namespace
}  // namespace tandem
