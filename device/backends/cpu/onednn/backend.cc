// The backend "cpu": oneDNN, and XNNPACK where it is faster; one thread pinned to each core of a unit.
#include <dnnl.h>

#include "device/backends/cpu/onednn/assembler.h"
#include "device/backends/cpu/onednn/emit.h"
#include "device/backends/cpu/onednn/executable.h"
#include "device/backends/cpu/onednn/thread_team.h"
#include "device/host/core_list.h"
#include "device/processor/backend.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"

namespace tandem {
namespace {

std::string DnnlVersion() {
  const dnnl_version_t& version = *dnnl_version();
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.patch);
}

class CpuBackend final : public DeviceBackend {
 public:
  const BackendDeclaration& about() const override { return DeclaredBackend("cpu"); }

  // A unit for each cluster: cores of different speed in one unit would wait for the slowest.
  BackendState Look(const HostInfo& host, Platform& platform) const override {
    BackendState state;
    state.libraries.push_back({"oneDNN", DnnlVersion()});
    if (const std::string xnn = XnnVersion(); !xnn.empty()) state.libraries.push_back({"XNNPACK", xnn});
    for (const CoreCluster& cluster : host.clusters) {
      Unit unit;
      unit.name = host.clusters.size() == 1 ? "cpu" : "cpu" + std::to_string(&cluster - host.clusters.data());
      unit.kind = UnitKind::kCpu;
      unit.memory = MemoryId(0);
      unit.backend = &about();
      unit.cores = cluster.cores;
      state.found.push_back(unit.name + ": " + Describe(cluster));
      platform.units.push_back(std::move(unit));
    }
    return state;
  }

  std::unique_ptr<Processor> Open(const OpenRequest& request) const override;

 private:
  static std::string Describe(const CoreCluster& cluster) {
    std::string text =
        std::to_string(cluster.cores.size()) + (cluster.cores.size() == 1 ? " core" : " cores");
    if (cluster.max_khz > 0) text += " at up to " + std::to_string(cluster.max_khz / 1000) + " MHz";
    if (cluster.limit_khz > 0 && cluster.limit_khz != cluster.max_khz) {
      text += ", limited to " + std::to_string(cluster.limit_khz / 1000) + " MHz";
    }
    if (cluster.threads_per_core > 1) {
      text += ", " + std::to_string(cluster.threads_per_core) + " of them share one";
    }
    if (!cluster.governor.empty()) text += ", governor " + cluster.governor;
    if (cluster.parts.size() > 1) {
      text += ", clusters " +
              Joined(cluster.parts, " and ", [](const CorePart& part) { return CoreListText(part.cores); });
    }
    return text;
  }
};

class CpuProcessor final : public Processor {
 public:
  // `bytes`: quantised layers run on whole numbers.
  CpuProcessor(const Unit& unit, bool bytes)
      : team_("unit \"" + unit.name + "\"", unit.cores, unit.time_shared), bytes_(bytes) {}

  std::vector<std::vector<LayerId>> Groups(const Model& model) const override {
    return Fused(model, WorkingLayers(model));
  }

  std::string KernelLibrary() const override {
    const std::string xnn = XnnVersion();
    return "oneDNN " + DnnlVersion() + (xnn.empty() ? "" : ", XNNPACK " + xnn);
  }

  std::unique_ptr<Executable> Compile(const SegmentSpec& spec) override {
    team_.Enter();
    const FlushToZero flush;
    Assembler assembler(spec, dnnl_, team_);
    if (bytes_) CheckQuantised(*spec.model);
    assembler.ForEachGroup(Fused(*spec.model, spec.layers),
                           [&](const FusedGroup& group) { EmitChecked(assembler, group); });
    return std::make_unique<CpuExecutable>(assembler.Finish(), team_);
  }

 private:
  std::vector<FusedGroup> Fused(const Model& model, std::span<const LayerId> layers) const {
    std::vector<FusedGroup> groups = FuseLayers(model, layers);
    return bytes_ ? WithGrids(model, std::move(groups)) : groups;
  }
  static void CheckQuantised(const Model& model) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      if (model.layer(LayerId(i)).op == Op::kQuantize) return;
    }
    throw EnvironmentError(model.name() +
                           ": int8 runs quantised models alone, and it has no quantize layer; "
                           "an ONNX file in the QDQ format and a TensorFlow Lite file of int8 have");
  }
  void EmitChecked(Assembler& assembler, const FusedGroup& group) const {
    try {
      if (!bytes_) return EmitGroup(assembler, group);
      if (!EmitBytes(assembler, group)) EmitAsNumbers(assembler, group);
    } catch (const dnnl::error& error) {
      throw EnvironmentError(assembler.model().name() + ": " + assembler.layer(group[0]).name + ": " +
                             error.what());
    }
  }

  ThreadTeam team_;
  bool bytes_;
  DnnlContext dnnl_;
};

std::unique_ptr<Processor> CpuBackend::Open(const OpenRequest& request) const {
  const Unit& unit = request.platform->unit(request.unit);
  const bool bytes = request.variant.precision == "int8";
  if (bytes && XnnVersion().empty()) {
    throw EnvironmentError(
        "unit \"" + unit.name +
        "\": int8 needs XNNPACK, which this program was built without or which cannot run on this processor");
  }
  return std::make_unique<CpuProcessor>(unit, bytes);
}

const BackendRegistration kCpu{std::make_unique<CpuBackend>()};

}  // namespace
}  // namespace tandem
