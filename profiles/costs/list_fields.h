// The descriptions of lists of a profile, and what several of them share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/fields.h"
#include "profiles/costs/profile.h"

namespace tandem {

const Fields<Timing>& TimingFields();
CodecOf<std::vector<std::string>> Layers();  // "*" is an empty list
inline constexpr std::string_view kUnstable = "The samples did not come together.";

// surrounding_fields.cc
const Fields<CoRunningEntry>& CoRunningFields();
const Fields<TrafficEntry>& TrafficFields();
const Fields<BackgroundEntry>& BackgroundFields();
const Fields<TogetherEntry>& TogetherFields();
const Fields<HandOverEntry>& HandOverFields();
const Fields<AfterIdleEntry>& AfterIdleFields();
const Fields<AfterOtherEntry>& AfterOtherFields();
const Fields<RepeatedEntry>& RepeatedFields();
const Fields<SharingEntry>& SharingFields();

}  // namespace tandem
