// The layers of Caffe's first years in the words of today's.
#pragma once

#include <string>

#include "profiles/importers/caffe/tandem_caffe.pb.h"

namespace tandem {

// Throws InputError, `place` first, for a layer of 2013 (`layers { layer { ... } }`), which nobody's Caffe of
// today writes.
caffe::LayerParameter UpgradeCaffeLayer(const caffe::V1LayerParameter& old, const std::string& place);

}  // namespace tandem
