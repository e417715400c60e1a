// The files that a command writes: what must not be lost by it, and where the command's own words go.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

// What is written. A file of this kind that is already there may be replaced.
struct OutputKind {
  std::string_view name;  // "plan/1", or in words where files of it do not say their kind: "a table"
  bool (*begins)(std::string_view head) = nullptr;  // then: does a file begin as ours do?
  // Of what is known by nothing else: a file that has exactly so many, and says no kind, may be replaced.
  std::optional<std::int64_t> bytes = {};
};

struct Output {
  std::string option;          // "-o"
  std::filesystem::path file;  // empty: not written; "-": standard output
  OutputKind kind;
};

// All that one command writes. Made when its inputs have been read and nothing has been computed yet.
class Outputs {
 public:
  // Throws InputError where a file is an input of this command (whatever it is called here: link or not),
  // where two outputs are one, where `json` and a file both go to standard output, and without `force` where
  // a file holds measurements, or is neither empty nor of the kind that is written.
  Outputs(std::vector<Output> outputs, bool force, bool json);

  bool ToStandardOutput() const;  // does one of the files go there?
  void Say(std::string_view text)
      const;  // the result in words: beside a file on standard output to standard error

 private:
  std::vector<Output> outputs_;
};

}  // namespace tandem
