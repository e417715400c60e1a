// Elementary functions that give the same bits on every compiler, library and processor: sums, products and
// quotients alone, since a library's exp or log may differ in the last bit from another's.
#pragma once

namespace tandem {

// e^x within 2 ulp where the result is a normal number; 0 below, infinity above.
double Exp(double x);

}  // namespace tandem
