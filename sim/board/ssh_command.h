// Commands "ssh BOARD PROGRAM": which board they reach, and what they start there.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tandem {

struct SshCommand {
  std::string shell;               // what runs a command there: "ssh -p 2222 jetson"
  std::string board;               // as `tandem boards install` takes it: "jetson", "\"ssh -p 2222 jetson\""
  std::vector<std::string> words;  // that are run there: "nice", "tandem-device"
};

// Nothing where it is no such command, or has quotes, which a shell understands.
std::optional<SshCommand> ReadSshCommand(const std::string& command);

// The board of such a command; else empty.
std::string BoardNamedBy(const std::string& command);

// The same command with `program` where it starts tandem-device; nothing where it is no such command, or
// starts something else.
std::optional<std::string> WithProgramThere(const std::string& command, const std::string& program);

}  // namespace tandem
