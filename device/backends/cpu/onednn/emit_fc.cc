// Fully connected layers, and LRN by oneDNN.
#include "device/backends/cpu/loops/fc_rows.h"
#include "device/backends/cpu/onednn/emit.h"
#include "device/backends/cpu/onednn/thread_team.h"
#include "device/backends/cpu/onednn/trial.h"
#include "device/backends/cpu/onednn/xnn_conv.h"
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

// A product of rows with weights, and what follows.
struct FcGroup {
  std::int64_t rows = 0, features = 0, outputs = 0;
  std::vector<PostOp> posts;
  std::string how;  // ", bias, relu"
};

FcGroup DescribeFc(const Assembler& out, const FusedGroup& group, bool bias) {
  const Layer& fc = out.layer(group[0]);
  FcGroup g;
  g.outputs = fc.As<FcAttributes>().out_features;
  g.rows = Elements(fc.output) / g.outputs;
  g.features = Elements(out.layer(fc.inputs[0]).output) / g.rows;
  g.how = bias ? ", bias" : "";
  for (const LayerId id : group) {
    if (!IsActivation(out.layer(id).op)) continue;
    const std::vector<PostOp> own = PostOpsOf(out.layer(id));
    g.posts.insert(g.posts.end(), own.begin(), own.end());
    g.how += ", " + std::string(OpName(out.layer(id).op));
  }
  return g;
}

// Null where XNNPACK has not got all of it. A row is an image of one position.
std::shared_ptr<XnnConv> XnnFcOf(const Assembler& out, const FcGroup& g, const FoldedWeights& folded) {
  ConvProblem rows;
  rows.src = {g.rows, g.features, 1, 1};
  rows.weights = {g.outputs, g.features, 1, 1};
  rows.dst = {g.rows, g.outputs, 1, 1};
  rows.strides = {1, 1};
  rows.dilates = rows.pad_before = rows.pad_after = {0, 0};
  rows.posts = g.posts;
  const std::optional<XnnFit> fit = FitOf(rows);
  if (!fit || !fit->after.empty()) return nullptr;
  return MakeXnnConv(fit->problem, folded.data(), folded.bias.empty() ? nullptr : folded.bias.data(),
                     out.team().size());
}

void EmitDnnlFc(Assembler& out, const FusedGroup& group, const FcGroup& g, const MadePrimitive& made,
                const FoldedWeights& folded) {
  const ValueId from = out.Need(out.layer(group[0]).inputs[0], Layout::kPlain);
  const ValueId to = out.Make(group.back(), Layout::kPlain);
  auto step =
      std::make_unique<PrimitiveStep>(group, "fc " + made.implementation + g.how, out.dnnl(), made.primitive);
  step->Use(DNNL_ARG_SRC, made.src, from);
  step->Use(DNNL_ARG_WEIGHTS, made.weights,
            out.dnnl().Pack(folded.data(), PlainDesc({g.outputs, g.features}), made.weights));
  if (!folded.bias.empty()) {
    const dnnl::memory::desc bias = PlainDesc({g.outputs});
    step->Use(DNNL_ARG_BIAS, bias, out.dnnl().Pack(folded.bias.data(), bias, bias));
  }
  step->Use(DNNL_ARG_DST, made.dst, to);
  out.AddPrimitive(std::move(step), made, {from}, {to});
}

bool EmitFc(Assembler& out, const FusedGroup& group) {
  const LayerId id = group[0];
  const FoldedWeights folded = FoldWeights(out.weights(), group);
  const bool bias = !folded.bias.empty();
  const FcGroup g = DescribeFc(out, group, bias);
  if (EmitRows(out, group, g.rows, g.features, folded, g.how)) return true;
  const MadePrimitive made = out.dnnl().InnerProduct({g.rows, g.features}, {g.outputs, g.features},
                                                     {g.rows, g.outputs}, bias, g.posts);
  const std::shared_ptr<XnnConv> xnn = XnnFcOf(out, g, folded);
  if (!made && !xnn) return false;
  bool by_xnn = !made;
  if (made && xnn) {
    const std::vector<std::string> ways = {"fc, " + made.implementation, "fc, xnnpack"};
    const std::string key = "fc " + std::to_string(g.rows) + " " + std::to_string(g.features) + " " +
                            std::to_string(g.outputs) + " " + std::to_string(out.team().size()) + g.how;
    const ChosenWay choice = ChooseWay(key, ways, out.KernelToTake(id), out.team().size(), [&] {
      return std::vector<Trial>{TrialOf(out.dnnl(), made, bias ? g.outputs : 0),
                                TrialOf(xnn, g.rows * g.features, g.rows * g.outputs)};
    });
    out.NoteKernel(id, ways[choice.way], choice.anew);
    by_xnn = choice.way == 1;
  }
  if (!by_xnn) {
    EmitDnnlFc(out, group, g, made, folded);
    return true;
  }
  const ValueId from = out.Need(out.layer(id).inputs[0], Layout::kPlain);
  const ValueId to = out.Make(group.back(), Layout::kPlain);
  out.AddKernel(
      group, "fc xnnpack" + g.how, {from}, {to}, [=](const Addresses& at) { xnn->Run(at[from], at[to]); },
      xnn->Bytes());
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
  if (!made || made.IsReference()) return false;
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
