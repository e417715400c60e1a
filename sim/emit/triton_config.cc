#include "sim/emit/triton_config.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "profiles/base/suggest.h"

namespace tandem::triton_server {
namespace {

// With an open batch the extent of the batch is none of the configuration's.
enum class Batch : std::uint8_t { kInDims, kOpen };

std::string TypeText(ElementType type) {
  std::string text = "TYPE_";
  for (const char c : NameOf(kElementTypeNames, type)) text += static_cast<char>(std::toupper(c));
  return text;
}

void AddTensors(TextProto& proto, std::string_view field, const std::vector<PartTensor>& tensors,
                bool by_layer, Batch batch) {
  for (const PartTensor& tensor : tensors) {
    proto.Open(field);
    proto.Text("name", by_layer ? tensor.of : tensor.name);
    proto.Word("data_type", TypeText(tensor.type));
    Shape dims = tensor.shape;
    if (batch == Batch::kOpen) dims.erase(dims.begin());
    proto.Numbers("dims", dims.empty() ? Shape{1} : dims);
    if (dims.empty() && batch == Batch::kOpen) {  // Triton has no empty dims
      proto.Open("reshape");
      proto.Numbers("shape", {});
      proto.Close();
    }
    proto.Close();
  }
}

void AddFp16(TextProto& proto) {
  proto.Open("optimization");
  proto.Open("execution_accelerators");
  proto.Open("gpu_execution_accelerator");
  proto.Text("name", "tensorrt");
  proto.Open("parameters");
  proto.Text("key", "precision_mode");
  proto.Text("value", "FP16");
  for (int open = 0; open < 4; ++open) proto.Close();
}

void AddMap(TextProto& proto, std::string_view field, const std::vector<PartTensor>& tensors) {
  for (const PartTensor& tensor : tensors) {
    proto.Open(field);
    proto.Text("key", tensor.name);
    proto.Text("value", tensor.of);
    proto.Close();
  }
}

}  // namespace

std::string ConfigWriter::ModelText(const Served& served, Emitted& emitted) {
  TextProto proto;
  proto.Text("name", served.name);
  if (served.stage) {
    proto.Text("backend", "python");
  } else {
    proto.Text("platform", served.engine ? "tensorrt_plan" : "onnxruntime_onnx");
  }
  // Of 0 a request's batch is in the dimensions, and none are put together.
  const Batching* const batching = queues_.BatchingOf(served);
  proto.Number("max_batch_size", batching != nullptr ? batching->most : 0);
  const Batch batch = batching != nullptr ? Batch::kOpen : Batch::kInDims;
  AddTensors(proto, "input", served.part->inputs, false, batch);
  AddTensors(proto, "output", served.part->outputs, false, batch);
  for (const Serving::Group& group : served.groups) AddGroup(proto, served, group, emitted);
  queues_.Write(served, proto);
  if (!served.stage) AddThreads(proto, served, emitted);
  if (InFp16(served)) AddFp16(proto);
  return proto.Take();
}

void ConfigWriter::AddGroup(TextProto& proto, const Served& served, const Serving::Group& group,
                            Emitted& emitted) {
  const Chip chip = ChipOf(platform(), group.unit);
  proto.Open("instance_group");
  proto.Text("name", served.name + "_" + platform().unit(group.unit).name);
  proto.Number("count", group.count);
  proto.Word("kind", KindOf(served, chip));
  if (chip == Chip::kGpu) proto.Numbers("gpus", {NumberOf(platform(), group.unit)});
  if (chip == Chip::kDla && !served.stage) {
    proto.Numbers("gpus", {0});
    proto.Open("secondary_devices");
    proto.Word("kind", "KIND_NVDLA");
    proto.Number("device_id", NumberOf(platform(), group.unit));
    proto.Close();
  }
  if (HasCores(platform(), group.unit)) proto.Text("host_policy", PolicyName(group.unit));
  if (serving_.takes_turns) AddLimiter(proto, group);
  proto.Close();
  if (chip == Chip::kOther && !served.stage) {
    emitted.Lacks(UnitText(platform(), group.unit) + ": Triton has no kind of instance for a unit of kind " +
                  std::string(NameOf(kUnitKindNames, platform().unit(group.unit).kind)) +
                  ": KIND_MODEL leaves it to a backend of yours");
  }
}

void ConfigWriter::AddLimiter(TextProto& proto, const Serving::Group& group) {
  proto.Open("rate_limiter");
  AddResource(proto, platform().unit(group.unit).name, 1, platform().unit(group.unit).slots);
  for (const Serving::Resource& resource : serving_.resources) {
    const std::int64_t needs = resource.needs[group.model.index()];
    if (needs > 0) AddResource(proto, resource.name, needs, resource.count);
  }
  proto.Number("priority", serving_.weights[group.model.index()]);
  proto.Close();
}

void ConfigWriter::AddResource(TextProto& proto, const std::string& name, std::int64_t needs,
                               std::int64_t count) {
  if (!plain_resource_.contains(name)) plain_resource_[name] = resource_names_.Of(name);
  proto.Open("resources");
  proto.Text("name", plain_resource_[name]);
  proto.Word("global", "true");
  proto.Number("count", needs);
  proto.Close();
  resources_[plain_resource_[name]] = count;
}

bool ConfigWriter::InFp16(const Served& served) const {
  return !served.engine && !served.stage &&
         std::all_of(served.groups.begin(), served.groups.end(), [&](const Serving::Group& group) {
           return ChipOf(platform(), group.unit) == Chip::kGpu &&
                  PrecisionOf(deployment_.scenario(), group.unit) == "fp16";
         });
}

// ONNX Runtime's own threads are of the model, not of an instance: of its units the one with the most
// cores.
void ConfigWriter::AddThreads(TextProto& proto, const Served& served, Emitted& emitted) const {
  std::size_t most = 0;
  std::set<std::size_t> counts;
  for (const Serving::Group& group : served.groups) {
    if (!HasCores(platform(), group.unit)) continue;
    counts.insert(platform().unit(group.unit).cores.size());
    most = std::max(most, platform().unit(group.unit).cores.size());
  }
  if (most == 0) return;
  proto.Open("parameters");
  proto.Text("key", "intra_op_thread_count");
  proto.Open("value");
  proto.Text("string_value", std::to_string(most));
  proto.Close();
  proto.Close();
  if (counts.size() > 1) {
    emitted.Lacks("model " + Quoted(served.name) +
                  ": units with different numbers of cores: Triton has one number of threads per model");
  }
}

std::string ConfigWriter::EnsembleText(const DeployedCut& cut, const std::string& name,
                                       const std::vector<std::string>& parts) const {
  TextProto proto;
  proto.Text("name", name);
  proto.Text("platform", "ensemble");
  proto.Number("max_batch_size", 0);
  AddTensors(proto, "input", cut.inputs, true, Batch::kInDims);
  AddTensors(proto, "output", cut.outputs, true, Batch::kInDims);
  proto.Open("ensemble_scheduling");
  for (std::size_t p = 0; p < cut.parts.size(); ++p) {
    if (parts[p].empty()) continue;
    proto.Open("step");
    proto.Text("model_name", parts[p]);
    proto.Number("model_version", -1);
    AddMap(proto, "input_map", cut.parts[p].inputs);
    AddMap(proto, "output_map", cut.parts[p].outputs);
    proto.Close();
  }
  proto.Close();
  return proto.Take();
}

}  // namespace tandem::triton_server
