// Fully connected layers, and LRN by oneDNN.
#include "device/backends/cpu/loops/fc_rows.h"
#include "device/backends/cpu/onednn/emit.h"
#include "device/lowering/folded_weights.h"

namespace tandem {

namespace {

// A few rows are read once for all outputs: the weights come straight from memory, in the order in which they
// are used. False where an activation is not simple or there are more rows.
bool EmitRows(Assembler& out, const FusedGroup& group, std::int64_t rows, std::int64_t features,
              const FoldedWeights& folded, const std::string& how) {
  SimpleActivation activation;
  for (const LayerId id : group) {
    if (IsActivation(out.layer(id).op) && !IsSimple(out.layer(id), activation)) return false;
  }
  if (rows > kMostRows) return false;
  const std::int64_t outputs = out.layer(group[0]).As<FcAttributes>().out_features;
  const ValueId from = out.Need(out.layer(group[0]).inputs[0], Layout::kPlain);
  const ValueId to = out.Make(group.back(), Layout::kPlain);
  const FcProblem problem{rows, features, outputs};
  AlignedFloats weights = PackFc(problem, folded.data());
  std::vector<float> bias = folded.bias;
  bias.resize(static_cast<std::size_t>(outputs));
  const auto bytes = static_cast<std::int64_t>(weights.size() * sizeof(float));
  out.AddKernel(
      group, "fc by rows" + how, {from}, {to},
      [=, weights = std::move(weights), bias = std::move(bias)](const Addresses& at) {
        RunFc(problem, weights.data(), bias.data(), activation, at[from], at[to]);
      },
      bytes);
  return true;
}

bool EmitFc(Assembler& out, const FusedGroup& group) {
  const Layer& fc = out.layer(group[0]);
  const auto& a = fc.As<FcAttributes>();
  const Shape& in = out.layer(fc.inputs[0]).output;
  const std::int64_t rows = Elements(fc.output) / a.out_features, features = Elements(in) / rows;
  const FoldedWeights folded = FoldWeights(out.weights(), group);
  const DnnlDims src{rows, features}, weights{a.out_features, features}, dst{rows, a.out_features};
  std::vector<PostOp> posts;
  std::string how = folded.bias.empty() ? "" : ", bias";
  for (const LayerId id : group) {
    if (!IsActivation(out.layer(id).op)) continue;
    const std::vector<PostOp> own = PostOpsOf(out.layer(id));
    posts.insert(posts.end(), own.begin(), own.end());
    how += ", " + std::string(OpName(out.layer(id).op));
  }
  if (EmitRows(out, group, rows, features, folded, how)) return true;
  const MadePrimitive made = out.dnnl().InnerProduct(src, weights, dst, !folded.bias.empty(), posts);
  if (!made) return false;
  const ValueId from = out.Need(fc.inputs[0], Layout::kPlain);
  const ValueId to = out.Make(group.back(), Layout::kPlain);
  auto step =
      std::make_unique<PrimitiveStep>(group, "fc " + made.implementation + how, out.dnnl(), made.primitive);
  step->Use(DNNL_ARG_SRC, made.src, from);
  step->Use(DNNL_ARG_WEIGHTS, made.weights, out.dnnl().Pack(folded.data(), PlainDesc(weights), made.weights));
  if (!folded.bias.empty()) {
    const dnnl::memory::desc bias = PlainDesc({a.out_features});
    step->Use(DNNL_ARG_BIAS, bias, out.dnnl().Pack(folded.bias.data(), bias, bias));
  }
  step->Use(DNNL_ARG_DST, made.dst, to);
  out.AddPrimitive(std::move(step), made, {from}, {to});
  return true;
}

// oneDNN's windows lie as ours where they have a middle.
bool EmitLrn(Assembler& out, const FusedGroup& group) {
  const Layer& layer = out.layer(group[0]);
  const auto& a = layer.As<LrnAttributes>();
  if (a.within_channel || a.size % 2 == 0 || layer.output.size() != 4) return false;
  const bool blocked = out.CanBlock(layer.output) && layer.output[1] % out.dnnl().block() == 0;
  const Layout layout = blocked ? Layout::kBlocked : Layout::kPlain;
  const MadePrimitive made = out.dnnl().Lrn(layer.output, layout, a);
  if (!made) return false;
  const ValueId from = out.Need(layer.inputs[0], layout);
  const ValueId to = out.Make(group[0], layout);
  auto step =
      std::make_unique<PrimitiveStep>(group, "lrn " + made.implementation, out.dnnl(), made.primitive);
  step->Use(DNNL_ARG_SRC, made.src, from);
  step->Use(DNNL_ARG_DST, made.dst, to);
  out.AddPrimitive(std::move(step), made, {from}, {to});
  return true;
}

const Emitters kEmitters{{Op::kFc, EmitFc}, {Op::kLrn, EmitLrn}};

}  // namespace
}  // namespace tandem
