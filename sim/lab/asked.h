// What of a request a board has answered before.
#pragma once

#include <string>
#include <vector>

#include "scenarios/exchange/profile_order.h"

namespace tandem {

// A hash for each of the request's models: of what is measured of it where, and of its files; not of how well
// and how long. `arguments`: what the board's program is given beside the request.
std::vector<std::string> HashesOfAsked(const ProfileOrder& order, const std::vector<std::string>& arguments);

// The request with those of its models alone whose hash is none of the answered ones.
ProfileOrder WithoutAnswered(ProfileOrder order, const std::vector<std::string>& hashes,
                             const std::vector<std::string>& answered);

}  // namespace tandem
