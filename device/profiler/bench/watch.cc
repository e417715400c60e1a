#include "device/profiler/bench/watch.h"

#include <system_error>

#include "profiles/base/files.h"

namespace tandem {
namespace {

constexpr std::chrono::seconds kBetweenSaves{2};

}  // namespace

bool ProfilerWatch::Goes(const ProfilerSamples& samples, const std::string& what, std::int64_t done,
                         std::int64_t total) {
  if (std::chrono::steady_clock::now() - saved_ >= kBetweenSaves) Save(samples);
  if (onlooker_.known) onlooker_.known(samples);
  stopped_ = stopped_ || (onlooker_.progress && !onlooker_.progress(what, done, total));
  return !stopped_;
}

void ProfilerWatch::Save(const ProfilerSamples& samples) {
  if (!kept_.empty()) WriteFile(kept_, ProfilerSamplesJson(samples));
  saved_ = std::chrono::steady_clock::now();
}

void ProfilerWatch::Remove() {
  std::error_code error;
  if (!kept_.empty()) std::filesystem::remove(kept_, error);
}

}  // namespace tandem
