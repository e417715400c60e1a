// Small exports of Nsight Systems, written down in a line per range and kernel.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

// One process and one thread, unless a line says otherwise. Times are in nanoseconds.
class NsysTestExport {
 public:
  static constexpr std::int64_t kProcess = (std::int64_t{1} << 48) + (std::int64_t{77} << 24);
  static constexpr std::int64_t kThread = kProcess + 78;
  static constexpr std::int64_t kPushPop = 59, kStartEnd = 60;

  struct Line {
    std::int64_t thread = kThread;
    std::int64_t device = 0;
    std::optional<std::int64_t> graph_node = {};
    std::int64_t copy_kind = 8;
  };

  NsysTestExport& Range(const std::string& name, std::int64_t start, std::int64_t end) {
    return Range(name, start, end, Line());
  }
  NsysTestExport& Range(const std::string& name, std::int64_t start, std::optional<std::int64_t> end,
                        Line line, std::int64_t type = kPushPop);
  // Launched at `launch`, in a call of 2 ns; it runs from `start` to `end`.
  NsysTestExport& Kernel(const std::string& name, std::int64_t launch, std::int64_t start, std::int64_t end) {
    return Kernel(name, launch, start, end, Line());
  }
  NsysTestExport& Kernel(const std::string& name, std::int64_t launch, std::int64_t start, std::int64_t end,
                         Line line);
  NsysTestExport& Copy(std::int64_t launch, std::int64_t start, std::int64_t end, Line line);
  NsysTestExport& Set(std::int64_t launch, std::int64_t start, std::int64_t end);
  NsysTestExport& Graph(std::int64_t launch, std::int64_t start, std::int64_t end);

  NsysTestExport& Sql(const std::string& sql);  // after all of it
  NsysTestExport& Schema(const std::string& version);
  NsysTestExport& Without(const std::string& table);

  std::string Bytes() const;

 private:
  std::int64_t Text(const std::string& text);
  std::int64_t Launch(std::int64_t launch, const Line& line);

  std::string schema_ = "3.15.1";
  std::map<std::string, std::int64_t> texts_;
  std::int64_t launches_ = 0;
  std::vector<std::string> inserts_, after_;
};

// Three inferences of a convolution and a fully connected layer, in ranges of their own: the convolution
// takes 100, 110 and 120 ns on the card in two kernels, the other 50 each, and 10 ns lie between any two
// kernels. `around`, if not empty, is a range around each.
NsysTestExport ThreeInferences(const std::string& around = {});

}  // namespace tandem
