// The descriptions of the files of this room, for files that hold one in place.
#pragma once

#include "profiles/base/fields.h"
#include "profiles/costs/platform.h"
#include "profiles/costs/profile.h"

namespace tandem {

// Far beyond any board.
constexpr std::int64_t kMostCores = 65536;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 52;

CodecOf<std::string> Precision();
const Fields<Platform>& PlatformFields();
const Fields<Profile>& ProfileFields();
const Fields<Profile>& ProfileHeadFields();  // all but the lists
const Fields<Profile>& ProfilePartFields();  // the lists alone
const Fields<Origin>& OriginFields();

}  // namespace tandem
