// Convolutions with all that is fused into them.
#include <algorithm>

#include "device/backends/cpu/loops/channel_loops.h"
#include "device/backends/cpu/onednn/conv_choice.h"
#include "device/backends/cpu/onednn/emit.h"
#include "device/backends/cpu/onednn/thread_team.h"
#include "device/lowering/folded_weights.h"

namespace tandem {
namespace {

struct ConvGroup {
  ConvProblem problem;
  LayerId residual;  // what is added, invalid where nothing is
  std::string how;   // ", bias, relu"
};

ConvProblem ProblemOf(const Shape& in, const Shape& out, const Layer& layer) {
  const auto& a = layer.As<ConvAttributes>();
  ConvProblem p;
  p.transposed = layer.op == Op::kDeconv;
  p.src = in;
  p.dst = out;
  p.weights = {out[1] / a.groups, in[1] / a.groups, a.kernel.h, a.kernel.w};
  if (a.groups > 1) p.weights.insert(p.weights.begin(), a.groups);
  p.strides = {a.stride.h, a.stride.w};
  p.dilates = {a.dilation.h - 1, a.dilation.w - 1};
  p.pad_before = {a.pad.top, a.pad.left};
  p.pad_after = {a.pad.bottom - a.output_pad.h, a.pad.right - a.output_pad.w};
  return p;
}

ConvGroup Describe(const Assembler& out, const FusedGroup& group, bool bias) {
  const Layer& conv = out.layer(group[0]);
  ConvGroup g;
  g.problem = ProblemOf(out.layer(conv.inputs[0]).output, conv.output, conv);
  g.problem.bias = bias;
  if (bias) g.how += ", bias";
  LayerId last = group[0];
  for (const LayerId id : group) {
    const Layer& layer = out.layer(id);
    if (IsPlainSum(out.model(), id)) {
      g.residual = layer.inputs[layer.inputs[0] == last ? 1 : 0];
      g.problem.posts.push_back({true});
      g.how += ", sum";
    } else if (IsActivation(layer.op)) {
      const std::vector<PostOp> posts = PostOpsOf(layer);
      g.problem.posts.insert(g.problem.posts.end(), posts.begin(), posts.end());
      g.how += ", " + std::string(OpName(layer.op));
    }
    last = id;
  }
  return g;
}

// How the model's weights lie, in the order of axes that oneDNN names them.
dnnl::memory::desc OwnWeights(const ConvProblem& p) {
  if (!p.transposed) return PlainDesc(p.weights);
  const std::size_t first = p.weights.size() - 4;
  const std::int64_t window = p.weights[first + 2] * p.weights[first + 3], outputs = p.weights[first];
  DnnlDims strides = {window, outputs * window, p.weights[first + 3], 1};
  if (first == 1) strides.insert(strides.begin(), p.weights[2] * outputs * window);
  return dnnl::memory::desc(p.weights, dnnl::memory::data_type::f32, strides);
}

// Where the conv writes: over the tensor that it adds, if nobody needs that any more, else over a copy of it.
ValueId Destination(Assembler& out, const FusedGroup& group, const ConvGroup& g, Layout layout, ValueId src) {
  const LayerId last = group.back();
  if (!g.residual.valid()) return out.Make(last, layout);
  const ValueId added = out.Need(g.residual, layout);
  if (out.MayOverwrite(added) && out.memory().RootOf(src) != added) {
    out.Define(last, added, layout);
    return added;
  }
  const ValueId to = out.Make(last, layout);
  out.AddCopy("copy of what is added", added, to);
  return to;
}

// False where it takes more than our loops do.
bool IsSimplePost(const PostOp& post, SimpleActivation& activation) {
  if (post.sum) return false;
  if (post.function == dnnl::algorithm::eltwise_relu) {
    (post.alpha == 0 ? activation.low : activation.slope) = post.alpha;
    return true;
  }
  if (post.function != dnnl::algorithm::eltwise_clip) return false;
  activation.low = post.alpha;
  activation.high = post.beta;
  return true;
}

// In place.
void AddEltwise(Assembler& out, const FusedGroup& group, const PostOp& post, ValueId value) {
  const MadePrimitive made = out.dnnl().Eltwise(out.shape(group.back()), out.LayoutOf(group.back()), post);
  const auto activation = std::find_if(group.begin(), group.end(), [&](LayerId id) {
    return made.IsReference() && IsActivation(out.layer(id).op) &&
           PostOpsOf(out.layer(id)) == std::vector{post};
  });
  if (activation != group.end()) return AddMap(out, group, *activation, value, value);
  auto step = std::make_unique<PrimitiveStep>(group, made.implementation, out.dnnl(), made.primitive);
  step->Use(DNNL_ARG_SRC, made.src, value);
  step->Use(DNNL_ARG_DST, made.dst, value);
  out.AddPrimitive(std::move(step), made, {value}, {value});
}

// What XNNPACK does not take in: the sum and simple activations by our loops, others by oneDNN.
void AddAfter(Assembler& out, const FusedGroup& group, const std::vector<PostOp>& after, ValueId added,
              ValueId dst) {
  const std::int64_t count = out.memory().CountOf(dst);
  for (std::size_t i = 0; i < after.size(); ++i) {
    SimpleActivation activation;
    if (after[i].sum) {
      if (i + 1 < after.size() && IsSimplePost(after[i + 1], activation)) ++i;
      out.AddKernel(group, "sum", {added, dst}, {dst},
                    [=](const Addresses& at) { RunSum(count, activation, at[dst], at[added], at[dst]); });
    } else if (IsSimplePost(after[i], activation)) {
      out.AddKernel(group, "activation", {dst}, {dst},
                    [=](const Addresses& at) { RunActivation(count, activation, at[dst], at[dst]); });
    } else {
      AddEltwise(out, group, after[i], dst);
    }
  }
}

bool EmitXnnConv(Assembler& out, const FusedGroup& group, const ConvGroup& g, const ConvChoice& choice,
                 const FoldedWeights& folded) {
  const std::optional<XnnFit> fit = FitOf(g.problem);
  if (!fit) return false;
  const float* const bias = folded.bias.empty() ? nullptr : folded.bias.data();
  std::unique_ptr<XnnConv> conv = MakeXnnConv(fit->problem, folded.data(), bias, out.team().size());
  if (!conv) return false;
  const Layout layout = choice.problem.dst_layout;
  const ValueId src = out.Need(out.layer(group[0]).inputs[0], choice.problem.src_layout);
  const ValueId added = g.residual.valid() ? out.Need(g.residual, layout) : ValueId();
  const ValueId dst = out.Make(group.back(), layout);
  const std::string name = choice.problem.transposed ? "deconv " : "conv ";
  const std::int64_t bytes = conv->Bytes();
  out.AddKernel(
      group, name + "xnnpack" + g.how, {src}, {dst},
      [=, conv = std::move(conv)](const Addresses& at) { conv->Run(at[src], at[dst]); }, bytes);
  AddAfter(out, group, fit->after, added, dst);
  return true;
}

bool EmitConv(Assembler& out, const FusedGroup& group) {
  const LayerId input = out.layer(group[0]).inputs[0];
  if (out.layer(input).output.size() != 4) return false;
  const FoldedWeights folded = FoldWeights(out.weights(), group);
  const ConvGroup g = Describe(out, group, !folded.bias.empty());
  const ConvChoice choice = ChooseConv(out.dnnl(), g.problem, out.LayoutOf(input), out.team().size(),
                                       out.KernelToTake(group[0]), true);
  const MadePrimitive& made = choice.made;
  if (!made && !choice.xnn) return false;
  if (!choice.text.empty()) out.NoteKernel(group[0], choice.text, choice.anew);
  if (choice.xnn) return EmitXnnConv(out, group, g, choice, folded);
  const ValueId src = out.Need(input, choice.problem.src_layout);
  const ValueId dst = Destination(out, group, g, choice.problem.dst_layout, src);
  const std::string name = choice.problem.transposed ? "deconv " : "conv ";
  auto step =
      std::make_unique<PrimitiveStep>(group, name + made.implementation + g.how, out.dnnl(), made.primitive);
  step->Use(DNNL_ARG_SRC, made.src, src);
  step->Use(DNNL_ARG_WEIGHTS, made.weights,
            out.dnnl().Pack(folded.data(), OwnWeights(g.problem), made.weights));
  if (!folded.bias.empty()) {
    const dnnl::memory::desc bias = PlainDesc({static_cast<std::int64_t>(folded.bias.size())});
    step->Use(DNNL_ARG_BIAS, bias, out.dnnl().Pack(folded.bias.data(), bias, bias));
  }
  step->Use(DNNL_ARG_DST, made.dst, dst);
  out.AddPrimitive(std::move(step), made, {src}, {dst});
  return true;
}

const Emitters kConvs{{Op::kConv, EmitConv}, {Op::kDeconv, EmitConv}};

}  // namespace
}  // namespace tandem
