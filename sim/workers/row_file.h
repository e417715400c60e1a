// Room sim/workers: the runs of a sweep on cores, shards and ranks: children that crash alone, and files of
// rows that nothing is lost from.
//
// The file of one worker's rows.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

namespace tandem {

class RowFile {
 public:
  // In the folder, with a name that no other process has; made with the first row.
  explicit RowFile(std::filesystem::path folder) : folder_(std::move(folder)) {}
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;
  ~RowFile();

  // One write: a process that is killed leaves the row whole, or torn at the end of the file. Throws
  // EnvironmentError.
  void Append(std::string_view row);

 private:
  void Open();

  std::filesystem::path folder_, file_;
  int descriptor_ = -1;
};

}  // namespace tandem
