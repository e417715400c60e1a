// Pads, slices and repetitions of blocked tensors: whole blocks of channels move.
#include <algorithm>
#include <array>

#include "device/backends/cpu/channel_loops.h"
#include "device/backends/cpu/emit.h"

namespace tandem {
namespace {

using Positions = std::array<std::vector<std::int64_t>, 4>;  // by axis: where each output position comes from

Positions PositionsOf(const PadAttributes& a, const Shape& in, const Shape& to) {
  Positions positions;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    for (std::int64_t at = -a.before[axis]; at < to[axis] - a.before[axis]; ++at) {
      const bool inside = at >= 0 && at < in[axis];
      std::int64_t from = inside ? at : -1;
      if (!inside && a.mode == PadMode::kEdge) from = std::clamp<std::int64_t>(at, 0, in[axis] - 1);
      if (!inside && a.mode == PadMode::kReflect) from = at < 0 ? -at : 2 * (in[axis] - 1) - at;
      positions[axis].push_back(from);
    }
  }
  return positions;
}

Positions PositionsOf(const SliceAttributes& a, const Shape& in, const Shape& to) {
  std::array<std::int64_t, 4> start{}, step{1, 1, 1, 1};
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(a.axes[i] < 0 ? a.axes[i] + 4 : a.axes[i]);
    start[axis] =
        std::clamp<std::int64_t>(a.starts[i] < 0 ? a.starts[i] + in[axis] : a.starts[i], 0, in[axis]);
    step[axis] = a.steps[i];
  }
  Positions positions;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    for (std::int64_t at = 0; at < to[axis]; ++at) positions[axis].push_back(start[axis] + at * step[axis]);
  }
  return positions;
}

Positions PositionsOf(const UpsampleAttributes& a, const Shape& in, const Shape& to) {
  Positions positions;
  const std::array<double, 4> scale = {1, 1, a.scale_h, a.scale_w};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    for (std::int64_t at = 0; at < to[axis]; ++at) {
      const auto from = static_cast<std::int64_t>(static_cast<double>(at) / scale[axis]);
      positions[axis].push_back(std::min(from, in[axis] - 1));
    }
  }
  return positions;
}

// Where whole blocks come from; empty where channels would change their places inside of blocks. Channels
// beyond the last are zeros in the input, and have to be in the output.
std::vector<std::int64_t> BlocksOf(const std::vector<std::int64_t>& channels, std::int64_t in_channels,
                                   std::int64_t block, float value) {
  std::vector<std::int64_t> blocks;
  const auto count = static_cast<std::int64_t>(channels.size());
  for (std::int64_t first = 0; first < count; first += block) {
    const std::int64_t from = channels[static_cast<std::size_t>(first)];
    if (from > 0 && from % block != 0) return {};
    for (std::int64_t lane = 0; lane < block; ++lane) {
      const std::int64_t source =
          first + lane < count ? channels[static_cast<std::size_t>(first + lane)] : -2;
      const bool zero_there = from >= 0 && from + lane >= in_channels;
      const bool same = from < 0 ? source < 0 : source == from + lane;
      if (!same && !(zero_there && source < 0 && value == 0)) return {};
      if (source == -2 && from < 0 && value != 0) return {};
    }
    blocks.push_back(from < 0 ? -1 : from / block);
  }
  return blocks;
}

}  // namespace

bool EmitGather(Assembler& out, const FusedGroup& group) {
  const Layer& layer = out.layer(group[0]);
  const LayerId from = layer.inputs[0];
  if (out.LayoutOf(from) != Layout::kBlocked || layer.output.size() != 4) return false;
  const Shape& in = out.layer(from).output;
  BlockedGather gather;
  Positions positions;
  if (layer.op == Op::kPad) {
    positions = PositionsOf(layer.As<PadAttributes>(), in, layer.output);
    gather.value = static_cast<float>(layer.As<PadAttributes>().value);
  } else if (layer.op == Op::kSlice) {
    positions = PositionsOf(layer.As<SliceAttributes>(), in, layer.output);
  } else if (layer.As<UpsampleAttributes>().mode == UpsampleMode::kNearest) {
    positions = PositionsOf(layer.As<UpsampleAttributes>(), in, layer.output);
  } else {
    return false;
  }
  gather.lanes = out.dnnl().block();
  gather.blocks = BlocksOf(positions[1], in[1], gather.lanes, gather.value);
  const bool tail = in[1] % gather.lanes != 0;
  if (gather.blocks.empty() || (tail && gather.value != 0)) return false;
  gather.images = std::move(positions[0]);
  gather.rows = std::move(positions[2]);
  gather.columns = std::move(positions[3]);
  gather.in_blocks = (in[1] + gather.lanes - 1) / gather.lanes;
  gather.in_height = in[2];
  gather.in_width = in[3];
  const ValueId x = out.ValueOf(from), y = out.Make(group[0], Layout::kBlocked);
  out.AddKernel(group, "blocks moved", {x}, {y},
                [=, gather = std::move(gather)](const Addresses& at) { RunGather(gather, at[x], at[y]); });
  return true;
}

}  // namespace tandem
