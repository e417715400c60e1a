// A model whose tasks run one after the other on the units that suit them, made into pieces.
#pragma once

#include <optional>
#include <vector>

#include "policies/cutting/chain_placement.h"
#include "policies/cutting/range_times.h"
#include "policies/cutting/self_cutting.h"
#include "policies/problem/cut_model.h"

namespace tandem {

// How a model may be cut to begin with: whole, by the groups that its profiles know, by layers; the same
// once.
std::vector<CutSegments> CutsToTry(const PieceTimes& times, std::size_t index);

// Tasks that follow each other on one unit, whole ones, become one piece; but not where that takes longer,
// nor over a task of `apart` (per task; empty: none).
AssignedPieces PiecesOf(const PieceTimes& times, std::size_t index, const CutSegments& cut,
                        const ChainPlacement& placement, const std::vector<char>& apart = {});

}  // namespace tandem
