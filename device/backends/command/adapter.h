// Room device/backends/command: processors that are programs, over a protocol on standard input and
// output.
//
// Speaks the protocol of docs/command_protocol.md with one program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/host/child_program.h"

namespace tandem {

// How long an answer may take. Compilers for accelerators take minutes to load a model.
struct AdapterLimits {
  Nanos greeting{300'000'000'000};
  Nanos load{1'800'000'000'000};
  Nanos run{300'000'000'000};  // and unload
};

struct AdapterRun {
  Nanos time{0};  // of all inferences, by the program's own clock
  std::string hash;
};

// Throws EnvironmentError, `who` first, where the program fails or breaks the protocol.
class Adapter {
 public:
  Adapter(const std::string& who, const std::vector<std::string>& command, const AdapterLimits& limits = {});

  const std::string& about() const { return about_; }  // "adapter_onnx 1 (onnxruntime 1.17.3)"
  // Handles are the caller's, and are taken until Unload. Returns the program's time for it. A model that the
  // program cannot run throws too, and the program stays.
  Nanos Load(std::int64_t handle, std::int64_t batch, const std::string& model);
  AdapterRun Run(std::int64_t handle, std::int64_t count);
  void Unload(std::int64_t handle);
  pid_t pid() const { return program_.pid(); }

 private:
  void ReadGreeting();
  // The words after "ok".
  std::vector<std::string> Ask(const std::string& line, Nanos limit, std::string_view request,
                               std::string_view form);
  Nanos TimeOf(const std::string& word, std::string_view request, std::string_view form);
  void ThrowIfError(const std::string& answer) const;
  [[noreturn]] void FailForm(std::string_view answer, std::string_view request, std::string_view form);

  std::string who_;
  AdapterLimits limits_;
  ChildProgram program_;
  std::string about_;
};

}  // namespace tandem
