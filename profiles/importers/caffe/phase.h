// Which layers of a file for training and testing belong to inference: those of phase TEST.
#pragma once

#include "profiles/importers/caffe/text.h"

namespace tandem {

// Throws InputError for a layer with both include and exclude rules.
void KeepTestPhase(CaffeText& text);

}  // namespace tandem
