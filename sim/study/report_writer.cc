#include "sim/study/report_writer.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tandem {
namespace {

std::vector<ReportWriterDeclaration>& Registry() {
  static std::vector<ReportWriterDeclaration> registry;
  return registry;
}

}  // namespace

ReportWriterRegistration::ReportWriterRegistration(ReportWriterDeclaration declaration) {
  const auto earlier = [](const ReportWriterDeclaration& a, const ReportWriterDeclaration& b) {
    return std::tie(a.order, a.name) < std::tie(b.order, b.name);
  };
  auto& registry = Registry();
  const auto place = std::upper_bound(registry.begin(), registry.end(), declaration, earlier);
  registry.insert(place, std::move(declaration));
}

const std::vector<ReportWriterDeclaration>& ReportWriters() { return Registry(); }

}  // namespace tandem
