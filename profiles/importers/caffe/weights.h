// Trained weights of Caffe networks (.caffemodel), old and new.
#pragma once

#include <filesystem>

#include "profiles/importers/caffe/graph.h"

namespace tandem {

// The tensors that `graph` wants, by the names of its Caffe layers; layers of the file that the graph lacks
// (those of training) are passed over. Throws InputError where a layer is missing, or has another number of
// blobs, another shape or other data than its shape says.
Weights ReadCaffeWeights(const std::filesystem::path& file, const CaffeGraph& graph);

}  // namespace tandem
