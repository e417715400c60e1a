// A unit of the GPU backend, on whatever card it is given.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/backends/cuda/gpu/context.h"
#include "device/processor/backend.h"
#include "profiles/costs/profile.h"

namespace tandem::gpu {

// `variant` names a precision of about.cc. Throws InputError
// where the precision is none of these, EnvironmentError where the card cannot be had.
std::unique_ptr<Processor> OpenGpu(Card& card, const std::string& unit, const Variant& variant,
                                   const GpuOptions& options = {});
// As the unit of the request runs in plans: between tensors where they have them, and where it has slots that
// do not share its time, on an equal part of the card for each of them.
std::unique_ptr<Processor> OpenGpuUnit(Card& card, const OpenRequest& request, GpuOptions options = {});
// Copies beside the unit's work.
std::unique_ptr<Copier> OpenGpuCopier(Card& card);

}  // namespace tandem::gpu
