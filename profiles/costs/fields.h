// The descriptions of the files of this room, for files that hold one in place.
#pragma once

#include "profiles/base/fields.h"
#include "profiles/costs/platform.h"
#include "profiles/costs/profile.h"

namespace tandem {

const Fields<Platform>& PlatformFields();
const Fields<Profile>& ProfileFields();
const Fields<Origin>& OriginFields();

}  // namespace tandem
