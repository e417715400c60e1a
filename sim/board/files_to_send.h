// The files of the asker's that an order to a device names: its models with their weights, and arrival times.
#pragma once

#include <string>
#include <vector>

#include "scenarios/exchange/store_order.h"

namespace tandem {

// Of a profile-request/1, a run-request/1 or what stands in one, as JSON text. What is no file here, or is
// named by a profile alone, is passed over. Throws InputError where one is too large to be sent.
std::vector<OfferedFile> FilesNamedIn(const std::string& order);

}  // namespace tandem
