// What a Caffe file says of its network's inputs. There are four ways: `input` with `input_dim`, `input` with
// `input_shape`, a layer of type Input, and the data layers of files for training.
//
// The batch of a file (10 in most of the model zoo) is that of somebody's experiment: models are read at
// batch
// 1. A data layer says how large its images are where it crops them; how many channels they have it mostly
// does not, 3 are assumed then and a note says so.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/importers/caffe/text.h"
#include "profiles/model/layer.h"

namespace tandem {

struct CaffeInput {
  std::string blob;
  int layer = -1;  // the index of the layer that makes it, -1 for the network itself
  std::string place;
  Shape shape;                  // empty: the file does not say
  std::int64_t file_batch = 1;  // the first extent in the file, whatever `shape` is read at
};

// A layer that reads data from somewhere: its first top is the network's input, the others are labels.
bool IsCaffeDataLayer(const caffe::LayerParameter& layer);

// In the order of the file. `asked` goes to the first input whose shape the file does not say, else to the
// first. Throws InputError, with the place, where an input is left without a shape or the file's numbers of
// shapes and inputs differ.
std::vector<CaffeInput> ReadCaffeInputs(const CaffeText& text, const std::optional<Shape>& asked,
                                        std::vector<std::string>& notes);

}  // namespace tandem
