// Convolutions, fully connected layers and products of matrices.
#include <algorithm>
#include <array>

#include "device/backends/cuda/gpu/emit.h"
#include "device/backends/cuda/gpu/function.h"
#include "device/backends/cuda/gpu/product.h"
#include "device/lowering/folded_weights.h"
#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

// One axis of a sliding window.
struct Slide {
  std::int64_t in, out, kernel, stride, dilation, before;

  std::int64_t Reach() const { return (kernel - 1) * dilation + 1; }
  // Is the output as long as with the same padding on both sides? Then what lies behind reads zeros anyway.
  bool Even() const {
    const std::int64_t room = in + 2 * before - Reach();
    return room >= 0 && room / stride + 1 == out;
  }
};

struct ConvShape {
  Slide rows, columns;
  bool Even() const { return rows.Even() && columns.Even(); }
};

// Of a deconv, the conv that it is the reverse of.
ConvShape ShapeOf(const Layer& layer, Shape in, Shape out) {
  const auto& a = layer.As<ConvAttributes>();
  if (layer.op == Op::kDeconv) std::swap(in, out);
  return {{in[2], out[2], a.kernel.h, a.stride.h, a.dilation.h, a.pad.top},
          {in[3], out[3], a.kernel.w, a.stride.w, a.dilation.w, a.pad.left}};
}

GpuProduct ConvProduct(const Layer& layer, const Shape& in, const GpuTail& tail, bool bias) {
  const auto& a = layer.As<ConvAttributes>();
  const Shape& to = layer.output;
  GpuProduct product;
  CardConv& p = product.problem;
  p.transposed = layer.op == Op::kDeconv;
  p.n = in[0];
  p.in_c = in[1];
  p.in_h = in[2];
  p.in_w = in[3];
  p.out_c = to[1];
  p.out_h = to[2];
  p.out_w = to[3];
  p.kernel = a.kernel;
  p.stride = a.stride;
  p.dilation = a.dilation;
  p.pad_h = a.pad.top;
  p.pad_w = a.pad.left;
  p.groups = a.groups;
  product.bias = bias;
  product.added = tail.added.valid();
  product.before = tail.before;
  product.after = tail.after;
  return product;
}

struct ChosenProduct {
  GpuProduct product;
  ProductChoice choice;
  ProductStarter start;
  GpuForm form;
};

GpuProduct InForm(GpuProduct product, GpuForm form, Math math) {
  product.problem.element = form.element;
  product.problem.format = form.format;
  const bool half = form.element == Element::kHalf;
  product.problem.math = half == (math == Math::kHalf) ? math : Math::kExact;
  return product;
}

// For the step that begins with `first`: as is to be taken, else in the form that is wanted or, where the
// card cannot, in one that it can.
ChosenProduct Choose(GpuAssembler& out, LayerId first, const GpuProduct& product) {
  const GpuForm wanted = out.product_form();
  const std::array<GpuForm, 3> forms = {wanted, {wanted.element, Format::kNchw}, kPlainForm};
  const auto take = [&](GpuForm form, const GpuProduct& formed,
                        const std::string& kept) -> std::optional<ChosenProduct> {
    if (kept.empty() || out.context().GoesOnWith(kept)) return std::nullopt;
    auto taken = TakeProduct(out.context(), formed, kept);
    if (!taken) return std::nullopt;
    out.NoteKernel(first, kept, false);
    out.NoteProblem(ProblemText(formed), kept);
    return ChosenProduct{formed, std::move(taken->choice), std::move(taken->start), form};
  };
  const std::string kept = out.KernelToTake(first);
  for (const GpuForm form : forms) {
    if (auto taken = take(form, InForm(product, form, out.context().math()), kept)) return std::move(*taken);
  }
  std::string trouble;
  for (const GpuForm form : forms) {
    const GpuProduct formed = InForm(product, form, out.context().math());
    if (auto taken = take(form, formed, out.ChoiceOfProblem(ProblemText(formed)))) return std::move(*taken);
    const ProductChoice choice = ChooseProduct(out.context(), formed);
    trouble = choice.trouble;
    if (choice.kind == ProductKind::kNone) continue;
    out.NoteKernel(first, ChoiceText(formed, choice), true);
    out.NoteProblem(ProblemText(formed), ChoiceText(formed, choice));
    return {formed, choice, StarterOf(out.context().card(), formed, choice), form};
  }
  throw EnvironmentError(trouble);
}

// From x to y, both in the chosen form, with the weights and all that is behind them.
void AddProduct(GpuAssembler& out, const FusedGroup& group, const ChosenProduct& chosen,
                const FoldedWeights& folded, const GpuTail& tail, const std::string& name, ValueId x,
                ValueId y) {
  GpuWeights& constants = out.constants();
  const Element element = chosen.form.element;
  ProductOperands to;
  to.weight = constants.Add(PackedWeights(chosen.product, chosen.choice, folded.data()), element);
  if (chosen.choice.kind == ProductKind::kFused) {
    std::vector<float> bias = folded.bias;
    bias.resize(static_cast<std::size_t>(chosen.product.problem.out_c));
    to.typed_bias = constants.Add(bias, element);
  } else if (!folded.bias.empty()) {
    to.bias = constants.Floats(folded.bias);
  }
  const ValueId workspace = out.Workspace(chosen.choice.way.workspace);
  std::vector<ValueId> uses = {x, y};
  const ValueId added = tail.added.valid() ? out.Need(tail.added, chosen.form) : ValueId();
  if (added.valid()) uses.push_back(added);
  out.AddStep(group, name + HowOf(chosen.product, chosen.choice, tail.how), std::move(uses),
              [=, start = chosen.start](CardStream& stream, const GpuAddresses& at) mutable {
                to.x = at[x];
                to.y = at[y];
                to.added = added.valid() ? at[added] : nullptr;
                to.workspace = at[workspace];
                start(stream, to);
              });
}

// Images of `in` with rows and columns moved, as a table says; -1: zeros.
void AddMoved(GpuAssembler& out, std::string how, const Shape& in, const Shape& to, std::int64_t rows_before,
              std::int64_t columns_before, GpuForm form, ValueId x, ValueId y) {
  const auto positions = [&](std::size_t axis, std::int64_t before) {
    std::vector<std::int64_t> from;
    for (std::int64_t at = -before; at < to[axis] - before; ++at)
      from.push_back(at < in[axis] && at >= 0 ? at : -1);
    return out.constants().Positions(from);
  };
  const auto from = StridesOf(in, form.format), step = StridesOf(to, form.format);
  std::vector<GpuAxis> axes;
  for (const std::size_t axis : MemoryOrder(4, form.format)) {
    const std::int32_t* table = nullptr;
    if (axis == 2) table = positions(2, rows_before);
    if (axis == 3) table = positions(3, columns_before);
    axes.push_back({to[axis], from[axis], step[axis], table});
  }
  out.AddCall({}, std::move(how), GatherOf(axes, form.element, form.element), x, y);
}

// What is read as if it were padded on both sides alike is padded first.
void EmitPadded(GpuAssembler& out, const FusedGroup& group, GpuProduct product, const ConvShape& shape,
                const FoldedWeights& folded, const GpuTail& tail) {
  const LayerId input = out.layer(group[0]).inputs[0];
  const Shape& in = out.shape(input);
  CardConv& p = product.problem;
  p.in_h = (shape.rows.out - 1) * shape.rows.stride + shape.rows.Reach();
  p.in_w = (shape.columns.out - 1) * shape.columns.stride + shape.columns.Reach();
  p.pad_h = p.pad_w = 0;
  const ChosenProduct chosen = Choose(out, group[0], product);
  const Shape padded = {in[0], in[1], p.in_h, p.in_w};
  const ValueId x = out.Need(input, chosen.form), wide = out.NewValue(padded, chosen.form.element);
  AddMoved(out, "padding", in, padded, shape.rows.before, shape.columns.before, chosen.form, x, wide);
  AddProduct(out, group, chosen, folded, tail, "conv ", wide, out.Make(group.back(), chosen.form));
}

// A deconv whose output cannot be said with the same padding on both sides: all of it is made and then cut.
void EmitCut(GpuAssembler& out, const FusedGroup& group, GpuProduct product, const ConvShape& shape,
             const FoldedWeights& folded, const GpuTail& tail) {
  const Layer& layer = out.layer(group[0]);
  const GpuProduct finished = product;
  CardConv& p = product.problem;
  p.out_h = (shape.rows.out - 1) * shape.rows.stride + shape.rows.Reach();
  p.out_w = (shape.columns.out - 1) * shape.columns.stride + shape.columns.Reach();
  p.pad_h = p.pad_w = 0;
  product.bias = product.added = false;
  product.before = product.after = {};
  const ChosenProduct chosen = Choose(out, group[0], product);
  const Shape whole = {p.n, p.out_c, p.out_h, p.out_w};
  const ValueId x = out.Need(layer.inputs[0], chosen.form);
  const ValueId wide = out.NewValue(whole, chosen.form.element), y = out.Make(group.back(), chosen.form);
  AddProduct(out, {group[0]}, chosen, {folded.weight, folded.scaled, {}}, {}, "deconv ", x, wide);
  AddMoved(out, "cut", whole, layer.output, -shape.rows.before, -shape.columns.before, chosen.form, wide, y);
  GpuProduct rest = finished;
  rest.problem.element = chosen.form.element;
  rest.problem.format = chosen.form.format;
  ChannelCall call = TailCall(rest);
  if (!folded.bias.empty()) call.offset = out.constants().Floats(folded.bias);
  const ValueId added = tail.added.valid() ? out.Need(tail.added, chosen.form) : y;
  out.AddStep(group, "bias" + tail.how, {y, added}, [=](CardStream& stream, const GpuAddresses& at) mutable {
    call.x = call.y = at[y];
    call.added = added == y ? nullptr : at[added];
    stream.Run(call);
  });
}

// The axes that two stacks of matrices are broadcast over, and where each of the result's is read from.
std::vector<GpuAxis> Stacks(const Shape& a, const Shape& b, const Shape& to) {
  const std::size_t leading = to.size() - 2;
  const auto x = BroadcastStrides(a, Format::kNchw, to.size()),
             y = BroadcastStrides(b, Format::kNchw, to.size());
  std::vector<GpuAxis> axes;
  for (std::size_t i = 0; i < leading; ++i) axes.push_back({to[i], x[i], y[i], nullptr});
  return Merged(axes);
}

void EmitConv(GpuAssembler& out, const FusedGroup& group) {
  const Layer& layer = out.layer(group[0]);
  const LayerId input = layer.inputs[0];
  const FoldedWeights folded = FoldWeights(out.weights(), group);
  const GpuTail tail = TailOf(out, group);
  const ConvShape shape = ShapeOf(layer, out.shape(input), layer.output);
  GpuProduct product = ConvProduct(layer, out.shape(input), tail, !folded.bias.empty());
  const bool deconv = layer.op == Op::kDeconv;
  if (!shape.Even()) {
    product.own_kernel_only = !deconv && product.problem.groups == product.problem.in_c;
    if (deconv) return EmitCut(out, group, product, shape, folded, tail);
    if (!product.own_kernel_only) return EmitPadded(out, group, product, shape, folded, tail);
  }
  const ChosenProduct chosen = Choose(out, group[0], product);
  const ValueId x = out.Need(input, chosen.form), y = out.Make(group.back(), chosen.form);
  AddProduct(out, group, chosen, folded, tail, deconv ? "deconv " : "conv ", x, y);
}

void EmitFc(GpuAssembler& out, const FusedGroup& group) {
  const Layer& layer = out.layer(group[0]);
  const FoldedWeights folded = FoldWeights(out.weights(), group);
  const GpuTail tail = TailOf(out, group);
  GpuProduct product;
  product.problem.out_c = layer.As<FcAttributes>().out_features;
  product.problem.n = Elements(layer.output) / product.problem.out_c;
  product.problem.in_c = Elements(out.shape(layer.inputs[0])) / product.problem.n;
  product.fully_connected = true;
  product.bias = !folded.bias.empty();
  product.before = tail.before;
  ChosenProduct chosen = Choose(out, group[0], product);
  chosen.form.format = Format::kNchw;  // its rows are those of the plain tensor
  const ValueId x = out.Need(layer.inputs[0], chosen.form), y = out.Make(group.back(), chosen.form);
  AddProduct(out, group, chosen, folded, tail, "fc ", x, y);
}

// One call for each run of matrices that lie evenly; the result's lie behind each other.
void EmitMatmul(GpuAssembler& out, LayerId id) {
  const Layer& layer = out.layer(id);
  const Shape &a = out.shape(layer.inputs[0]), &b = out.shape(layer.inputs[1]), &to = layer.output;
  const GpuForm form{out.product_form().element, Format::kNchw};
  const ValueId x = out.Need(layer.inputs[0], form), z = out.Need(layer.inputs[1], form);
  const ValueId y = out.Make(id, form);
  GemmCall call;
  call.element = form.element;
  call.math = out.context().math();
  call.m = a[a.size() - 2];
  call.k = a.back();
  call.n = b.back();
  std::vector<GpuAxis> around = Stacks(a, b, to);
  const GpuAxis inner = around.back();
  around.pop_back();
  call.batch = inner.count;
  call.a_stride = inner.x;
  call.b_stride = inner.y;
  call.c_stride = call.m * call.n;
  std::int64_t runs = 1;
  for (const GpuAxis& axis : around) runs *= axis.count;
  const std::int64_t bytes = BytesOf(form.element), each = call.batch * call.c_stride;
  out.AddStep({id}, "gemm", {x, z, y}, [=](CardStream& stream, const GpuAddresses& at) mutable {
    for (std::int64_t run = 0; run < runs; ++run) {
      std::int64_t rest = run, first_a = 0, first_b = 0;
      for (std::size_t i = around.size(); i-- > 0; rest /= around[i].count) {
        first_a += rest % around[i].count * around[i].x;
        first_b += rest % around[i].count * around[i].y;
      }
      call.a = at[x] + first_a * bytes;
      call.b = at[z] + first_b * bytes;
      call.c = at[y] + run * each * bytes;
      stream.Run(call);
    }
  });
}

const Emitters kProducts{
    {Op::kConv, EmitConv}, {Op::kDeconv, EmitConv}, {Op::kFc, EmitFc}, {Op::kMatmul, Alone<EmitMatmul>}};

}  // namespace
}  // namespace tandem::gpu
