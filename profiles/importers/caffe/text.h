// A network as Caffe's text format states it: parsed, with the place of every layer, the syntax of 2013 to
// 2014 (`layers { type: CONVOLUTION }`) brought into that of today. Nothing is left out or judged yet.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiles/importers/caffe/tandem_caffe.pb.h"

namespace tandem {

struct CaffeLayer {
  caffe::LayerParameter param;
  std::string place;  // "file:line:column", where it opens
};

struct CaffeText {
  std::string file;
  caffe::NetParameter net;  // without its layers
  std::vector<CaffeLayer> layers;
  // The error of the first field that Caffe does not have, or empty. It is not thrown here because the layer
  // that it stands in may be of a type that is not known either, which is then the better thing to say.
  std::string unknown_field;
};

// Throws InputError for what is no text of a network: broken syntax, a value of the wrong type, absurd
// nesting.
CaffeText ReadCaffeText(const std::filesystem::path& file);

}  // namespace tandem
