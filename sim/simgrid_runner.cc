#include "sim/simgrid_runner.h"

#include <xbt/base.h>  // version.h needs its macros

#include <simgrid/version.h>

namespace tandem {

std::string SimGridVersion() {
  int major = 0, minor = 0, patch = 0;
  sg_version_get(&major, &minor, &patch);
  std::string version = std::to_string(major) + "." + std::to_string(minor);
  return patch == 0 ? version : version + "." + std::to_string(patch);
}

}  // namespace tandem
