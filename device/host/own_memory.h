// The memory of this process.
#pragma once

#include <cstdint>
#include <optional>

namespace tandem {

std::int64_t ResidentBytes();      // that it has at the moment; 0: the system does not tell
std::int64_t PeakResidentBytes();  // the most that it has had

// The most that this process has from its construction on. One at a time.
class ResidentPeak {
 public:
  ResidentPeak();
  std::optional<std::int64_t> Bytes() const;  // nothing: the system does not tell

 private:
  bool begun_ = false;
};

// From here on large blocks go back to the system as soon as they are let go, whatever was let go before.
void GiveLargeBlocksBack();
// So does what lies unused between small ones, now.
void GiveUnusedBack();

}  // namespace tandem
