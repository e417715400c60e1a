// Pools over blocks of channels, or channels that are last. The loops on plain tensors have what is faster
// there: windows of many elements, and tensors of few channels.
#include <algorithm>

#include "device/backends/cpu/loops/channel_loops.h"
#include "device/backends/cpu/onednn/emit.h"
#include "device/backends/cpu/onednn/thread_team.h"
#include "device/backends/cpu/onednn/trial.h"
#include "device/backends/cpu/onednn/xnn_conv.h"
#include "device/backends/cpu/xnnpack/layer.h"

namespace tandem {
namespace {

constexpr std::int64_t kLeastOfRow = 4;  // windows

struct AxisWindow {
  std::int64_t in, out, kernel, stride, dilation, pad_before, pad_after, adaptive;
};

// A window that was rounded up reaches beyond the padding; that part never counts.
WindowAxis WindowsOf(const AxisWindow& w, bool count_padding) {
  WindowAxis axis;
  axis.step = w.adaptive > 0 ? 1 : w.dilation;
  for (std::int64_t at = 0; at < w.out; ++at) {
    std::int64_t first = at * w.stride - w.pad_before, last = first + (w.kernel - 1) * w.dilation + 1;
    if (w.adaptive > 0) {
      first = at * w.in / w.out;
      last = ((at + 1) * w.in + w.out - 1) / w.out;
    }
    const auto positions = [&](std::int64_t from, std::int64_t to) {
      return from >= to ? 0 : (to - from + axis.step - 1) / axis.step;
    };
    const std::int64_t padded = positions(first, std::min(last, w.in + w.pad_after));
    while (first < 0) first += axis.step;
    last = std::min(last, w.in);
    axis.first.push_back(first);
    axis.last.push_back(last);
    axis.counted.push_back(count_padding ? padded : positions(first, last));
  }
  return axis;
}

// All that its time depends on.
std::string KeyOf(const Layer& layer, const Shape& in, std::size_t threads) {
  const auto& a = layer.As<PoolAttributes>();
  std::string key(OpName(layer.op));
  const auto add = [&](std::int64_t number) { key += " " + std::to_string(number); };
  for (const std::int64_t extent : in) add(extent);
  for (const std::int64_t extent : layer.output) add(extent);
  for (const std::int64_t number : {a.kernel.h, a.kernel.w, a.stride.h, a.stride.w, a.dilation.h,
                                    a.dilation.w, a.pad.top, a.pad.left, a.adaptive.h, a.adaptive.w}) {
    add(number);
  }
  add(static_cast<std::int64_t>(threads));
  return key;
}

// A tensor that is brought into blocks for it: the loops on plain ones, which go along a row of windows, take
// several times as long as that (tests/bench/bench_pools.cc).
bool WorthBlocking(const Assembler& out, const Shape& in, const Shape& to, const PoolAttributes& a) {
  return out.CanBlock(in) && in[1] >= out.dnnl().block() && !a.global && a.adaptive == Extent{0, 0} &&
         a.kernel.w > 1 && to[3] >= kLeastOfRow;
}

// Null where XNNPACK has no such pool, or counts otherwise.
std::unique_ptr<XnnFloats> XnnPoolOf(const Assembler& out, const Layer& layer, const Shape& in) {
  const auto& a = layer.As<PoolAttributes>();
  const std::size_t threads = out.team().size();
  if (layer.op != Op::kAvgPool) return nullptr;
  if (a.global) return MakeXnnMean(in[0], in[2] * in[3], in[1], threads);
  if (!(a.adaptive == Extent{0, 0}) || a.kernel.h * a.kernel.w < 2) return nullptr;
  const bool padded = a.pad.top + a.pad.left + a.pad.bottom + a.pad.right > 0;
  if (padded && a.count_include_pad) return nullptr;
  return MakeXnnMeanPool(XnnProblemOf(in, layer.output, a), threads);
}

// XNNPACK's or our own, where the channels are last: whichever is faster here.
bool IsXnnFaster(Assembler& out, LayerId id, const std::shared_ptr<XnnFloats>& xnn, const BlockedPool& pool) {
  const Layer& layer = out.layer(id);
  const Shape& in = out.layer(layer.inputs[0]).output;
  const auto trials = [&] {
    const auto from = std::make_shared<AlignedFloats>(Zeros(Elements(in))),
               to = std::make_shared<AlignedFloats>(Zeros(Elements(layer.output)));
    return std::vector<Trial>{{[=] { RunPool(pool, from->data(), to->data()); }, {}, 0},
                              {[=] { xnn->Run(from->data(), nullptr, to->data()); }, {}, 0}};
  };
  const std::vector<std::string> ways = {"channels last, loops", "channels last, xnnpack"};
  const ChosenWay choice =
      ChooseWay(KeyOf(layer, in, out.team().size()), ways, out.KernelToTake(id), out.team().size(), trials);
  out.NoteKernel(id, ways[choice.way], choice.anew);
  return choice.way == 1;
}

bool EmitPool(Assembler& out, const FusedGroup& group) {
  const Layer& layer = out.layer(group[0]);
  const LayerId from = layer.inputs[0];
  PoolAttributes a = layer.As<PoolAttributes>();
  const Shape &in = out.layer(from).output, &to = layer.output;
  Layout layout = out.LayoutOf(from);
  if (layout == Layout::kPlain) {
    if (!WorthBlocking(out, in, to, a)) return false;
    layout = Layout::kBlocked;
  }
  if (a.global) {
    const bool count_padding = a.count_include_pad;
    a = PoolAttributes{};
    a.kernel = {in[2], in[3]};
    a.count_include_pad = count_padding;
  }
  BlockedPool pool;
  pool.max = layer.op == Op::kMaxPool;
  pool.lanes = out.LanesOf(in, layout);
  const ValueId x = out.Need(from, layout);
  pool.planes = out.memory().CountOf(x) / (in[2] * in[3] * pool.lanes);
  pool.in_height = in[2];
  pool.in_width = in[3];
  pool.rows =
      WindowsOf({in[2], to[2], a.kernel.h, a.stride.h, a.dilation.h, a.pad.top, a.pad.bottom, a.adaptive.h},
                a.count_include_pad);
  pool.columns =
      WindowsOf({in[3], to[3], a.kernel.w, a.stride.w, a.dilation.w, a.pad.left, a.pad.right, a.adaptive.w},
                a.count_include_pad);
  const ValueId y = out.Make(group[0], layout);
  if (layout == Layout::kLast) {
    const std::shared_ptr<XnnFloats> xnn = XnnPoolOf(out, layer, in);
    if (xnn && IsXnnFaster(out, group[0], xnn, pool)) {
      out.AddKernel(group, "pool xnnpack", {x}, {y},
                    [=](const Addresses& at) { xnn->Run(at[x], nullptr, at[y]); });
      return true;
    }
  }
  out.AddKernel(group, layout == Layout::kBlocked ? "pool, blocked" : "pool, channels last", {x}, {y},
                [=, pool = std::move(pool)](const Addresses& at) { RunPool(pool, at[x], at[y]); });
  return true;
}

const Emitters kPools{{Op::kMaxPool, EmitPool}, {Op::kAvgPool, EmitPool}};

}  // namespace
}  // namespace tandem
