// A model as `tandem models show` presents it.
#pragma once

#include <cstddef>
#include <string>

#include "profiles/model/model.h"

namespace tandem {

std::string ModelSummaryJson(const Model& model);
std::string ModelSummaryText(const Model& model, std::size_t width);

}  // namespace tandem
