// What several targets want to know: the files that a model becomes, its tensors, and what its units are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/model/attributes.h"
#include "profiles/model/shape.h"
#include "sim/emit/emitter.h"

namespace tandem {

struct PartTensor {
  std::string name;                       // as the file has it
  std::string of;                         // the layer of the whole model whose output it is
  Shape shape;                            // batch first
  ElementType type = ElementType::kFp32;  // where a stage alone reads or makes it, what the model says
};

// What one file has of a model: a segment of the cut, or all of it.
struct DeployedPart {
  SegmentId segment;
  std::vector<LayerId> layers;  // of the whole model; none: of a split, whose first part has them
  std::string name;             // "resnet50", "resnet50.1"
  std::vector<PartTensor> inputs, outputs;
  std::vector<UnitId> units;  // that ran it, in the order of the platform
};

// The model whose parts are being written: read once for all of them, and let go for the next one.
struct LoadedCut {
  const Cut* cut = nullptr;
  std::optional<DeployedModel> model;
};

// A model in one batch, and its parts.
struct DeployedCut {
  const Cut* cut = nullptr;
  std::string name;
  std::vector<PartTensor> inputs, outputs;
  std::vector<DeployedPart> parts;    // one: the whole
  std::shared_ptr<LoadedCut> loaded;  // the same for all cuts

  bool whole() const { return parts.size() == 1; }
};

// Of layers of a model, by their own names.
std::vector<PartTensor> TensorsOf(const Model& model, const std::vector<LayerId>& layers);

// In the order of the platform.
std::vector<UnitId> UnitsThatRan(const Deployment& deployment, SegmentId segment);

// In the order of the problem's cuts.
std::vector<DeployedCut> CutsOf(const Deployment& deployment);
// The part's ONNX file, at that path.
EmittedFile FileOf(const Deployment& deployment, const DeployedCut& cut, const DeployedPart& part,
                   std::string path);

// What stands behind a unit for NVIDIA's tools: a DLA is an npu of that name beside a GPU.
enum class Chip : std::uint8_t { kCpu, kGpu, kDla, kOther };
Chip ChipOf(const Platform& platform, UnitId unit);
// Which of its kind: as the unit or its name says ("dla1"), else counted in the order of the platform.
std::int64_t NumberOf(const Platform& platform, UnitId unit);
// "fp32", "fp16", "int8": what the unit computes in.
std::string PrecisionOf(const Scenario& scenario, UnitId unit);

std::string UnitText(const Platform& platform, UnitId unit);  // unit "gpu"
std::string ShellText(std::string_view word);                 // one word, as a shell takes it

}  // namespace tandem
