// What a profile that is there already leaves to be measured.
#pragma once

#include <string>

#include "profiles/costs/profile.h"
#include "scenarios/exchange/profile_order.h"

namespace tandem {

// The request without the models of which the profile has all that is asked: on each unit that is measured,
// whole, in groups, layers, parts and through mappings as far as these are. Throws InputError where the
// profile was not measured here, on these cores, with these libraries and networks.
ProfileOrder WhatIsMissing(ProfileOrder request, const Profile& known);

}  // namespace tandem
