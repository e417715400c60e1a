// How values of attributes stand in a model file. Shape inference judges the numbers, for every source alike.
#pragma once

#include <cstdint>
#include <vector>

#include "profiles/base/fields.h"
#include "profiles/model/attributes.h"

namespace tandem::as {

CodecOf<std::int64_t> AnyInteger();
// Without bound is written as the largest number that there is: JSON has no infinity.
CodecOf<double> AnyNumber();
CodecOf<std::vector<std::int64_t>> Integers();
CodecOf<std::vector<double>> Numbers();
CodecOf<Extent> HeightWidth();
CodecOf<Padding> FourPaddings();

}  // namespace tandem::as
