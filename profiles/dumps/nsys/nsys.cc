// `nsys export --type=sqlite`: a database with all that a program did, among it the kernels of a model and
// the NVTX ranges that their launches were in. A range counts where it is called as a layer, or explained by
// the map.
#include "profiles/dumps/dump.h"
#include "profiles/dumps/nsys/about.h"
#include "profiles/dumps/nsys/layers.h"

namespace tandem::nsys {
namespace {

ProfileDump Read(std::string bytes, const std::string& file, const DumpQuestion& asked) {
  return LayerTimes(Database(std::move(bytes), file), file, asked);
}

const DumpFormatRegistration kRegistration{{kFormat, IsDatabase, nullptr, Read}};

}  // namespace
}  // namespace tandem::nsys
