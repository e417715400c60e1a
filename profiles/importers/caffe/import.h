// Room profiles/importers/caffe: Caffe networks and weights to models. The only room that knows Caffe.
//
// Reads networks of Caffe (.prototxt, both syntaxes) with their weights (.caffemodel).
//
// - What is read is the network of phase TEST at batch 1, whatever batch the file says; ImportOptions.input,
//   batch included, goes before the file.
// - Of a file for training what measures or trains is left out (Accuracy, losses, Silence and what reads
// labels
//   alone); SoftmaxWithLoss and SigmoidCrossEntropyLoss leave their softmax or sigmoid behind, unless there
//   is a layer that computes just that.
// - A layer keeps Caffe's name; a name that comes twice gets a number. A layer that takes several operations
//   here keeps its name for the last of them, "name/part" are the others; the tops of a Slice are
//   "name/top".
// - Everything else is converted or an error that names the layer and its type; a field that Caffe does not
//   have is an error with its line.
// - Upsample is that of the forks with a whole scale; Axpy, ReLU6, DepthwiseConvolution and ShuffleChannel
//   are read too.
#pragma once

#include <filesystem>

#include "profiles/model/model_source.h"

namespace tandem {

ImportedModel ImportCaffe(const std::filesystem::path& file, const ImportOptions& options);

}  // namespace tandem
