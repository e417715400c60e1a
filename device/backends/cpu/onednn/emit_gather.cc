// Pads, slices and repetitions of blocked tensors: whole blocks of channels move.
#include "device/backends/cpu/loops/channel_loops.h"
#include "device/backends/cpu/onednn/emit.h"
#include "device/lowering/positions.h"

namespace tandem {
namespace {

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
  const Layout layout = out.LayoutOf(from);
  if (layout == Layout::kPlain || layer.output.size() != 4) return false;
  const Shape& in = out.layer(from).output;
  BlockedGather gather;
  if (layer.op == Op::kUpsample && layer.As<UpsampleAttributes>().mode != UpsampleMode::kNearest)
    return false;
  AxisPositions positions = PositionsOf(layer, in);
  if (layer.op == Op::kPad) gather.value = static_cast<float>(layer.As<PadAttributes>().value);
  gather.lanes = out.LanesOf(in, layout);
  gather.blocks = BlocksOf(positions[1], in[1], gather.lanes, gather.value);
  const bool tail = in[1] % gather.lanes != 0;
  if (gather.blocks.empty() || (tail && gather.value != 0)) return false;
  gather.images = std::move(positions[0]);
  gather.rows = std::move(positions[2]);
  gather.columns = std::move(positions[3]);
  gather.in_blocks = (in[1] + gather.lanes - 1) / gather.lanes;
  gather.in_height = in[2];
  gather.in_width = in[3];
  if (layout == Layout::kLast && in[1] != layer.output[1]) return false;
  const ValueId x = out.ValueOf(from), y = out.Make(group[0], layout);
  out.AddKernel(group, "blocks moved", {x}, {y},
                [=, gather = std::move(gather)](const Addresses& at) { RunGather(gather, at[x], at[y]); });
  return true;
}

namespace {

const Emitters kGathers{{Op::kPad, EmitGather}, {Op::kUpsample, EmitGather}};

}  // namespace
}  // namespace tandem
