// Nsight Systems.
#include <array>

#include "profiles/dumps/dump.h"
#include "tests/fuzz/readers.h"
#include "tests/support/nsys_test_export.h"

namespace tandem {
namespace {

const DumpQuestion kAsked = {.model = "tiny", .names = {"conv", "fc", "aside"}, .left_out = {"aside"}};

// A program's ranges and launches, which fit together only now and then.
class DrawnExport {
 public:
  explicit DrawnExport(std::mt19937_64& chance) : chance_(chance) {}

  std::string Bytes() {
    NsysTestExport nsys = Below(3) == 0 ? NsysTestExport() : ThreeInferences(Below(2) == 0 ? "tiny" : "");
    for (std::int64_t lines = Below(12); lines > 0; --lines) AddLine(nsys);
    if (Below(4) == 0) SetAValue(nsys);
    return nsys.Bytes();
  }

 private:
  std::int64_t Below(std::uint64_t end) { return static_cast<std::int64_t>(chance_() % end); }

  NsysTestExport::Line Line() {
    return {.thread = NsysTestExport::kThread + (Below(6) == 0 ? 1 : 0),
            .device = Below(12) == 0 ? 1 : 0,
            .graph_node = Below(6) == 0 ? std::optional<std::int64_t>(3) : std::nullopt,
            .copy_kind = Below(12)};
  }

  void AddLine(NsysTestExport& nsys) {
    static constexpr std::array<const char*, 5> kNames = {"tiny", "conv", "fc", "aside", "other"};
    const std::int64_t at = Below(4000), start = Below(4) == 0 ? Below(4000) : at + 4000;
    switch (Below(6)) {
      case 0:
        nsys.Copy(at, start, start + Below(50), Line());
        break;
      case 1:
        nsys.Kernel("kernel", at, start, start + Below(50), Line());
        break;
      case 2:
        Below(2) == 0 ? nsys.Set(at, start, start + Below(9)) : nsys.Graph(at, start, start + Below(9));
        break;
      default:
        nsys.Range(kNames[static_cast<std::size_t>(Below(kNames.size()))], at,
                   Below(12) == 0 ? std::nullopt : std::optional(at + Below(1000)), Line(), 59 + Below(2));
    }
  }

  void SetAValue(NsysTestExport& nsys) {
    static constexpr std::array<const char*, 6> kPlaces = {"NVTX_EVENTS SET start",
                                                           "NVTX_EVENTS SET textId",
                                                           "CUPTI_ACTIVITY_KIND_KERNEL SET end",
                                                           "CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId",
                                                           "CUPTI_ACTIVITY_KIND_KERNEL SET shortName",
                                                           "META_DATA_EXPORT SET value"};
    static constexpr std::array<const char*, 8> kValues = {
        "0", "-1", "9223372036854775807", "9007199254740992", "0.5", "'text'", "zeroblob(9)", "rowid"};
    nsys.Sql(std::string("UPDATE OR IGNORE ") + kPlaces[static_cast<std::size_t>(Below(kPlaces.size()))] +
             " = " + kValues[static_cast<std::size_t>(Below(kValues.size()))] +
             " WHERE rowid % 3 = " + std::to_string(Below(3)) + ";");
  }

  std::mt19937_64& chance_;
};

FuzzReader Nsys() {
  return {"nsys",
          {ThreeInferences().Bytes(), ThreeInferences("tiny").Bytes()},
          [](const std::string& bytes) { ParseProfileDump(bytes, "fuzz.sqlite", "nsys", kAsked); },
          [](const std::string&, std::mt19937_64& chance) { return DrawnExport(chance).Bytes(); }};
}
const FuzzReaderRegistration kNsys(Nsys);

}  // namespace
}  // namespace tandem
