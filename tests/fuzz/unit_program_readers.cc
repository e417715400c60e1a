// What a program of a platform's unit answers, docs/command_protocol.md: `cat` says what it would.
#include "device/backends/command/adapter.h"
#include "tests/fuzz/readers.h"

namespace tandem {
namespace {

FuzzReader UnitPrograms() {
  return {"unit_program",
          {"tandem-unit/1 npu 2 runtime=1.17\nok 1000\nok 2000 abc123\nok 10\n",
           "tandem-unit/1 npu 2\nerror no such model\n", "error no card\n"},
          [](const std::string& bytes) {
            Adapter program("unit \"npu\"", {"cat", FuzzFile("answers", bytes).string()});
            program.Load(1, 1, "net.onnx");
            program.Run(1, 3);
            program.Unload(1);
          }};
}
const FuzzReaderRegistration kUnitPrograms(UnitPrograms);

}  // namespace
}  // namespace tandem
