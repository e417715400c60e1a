// Boards as SimGrid's platform files, and the other way round.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiles/costs/platform.h"

namespace tandem {

// The board that the file describes, read by SimGrid itself in a child process: a host is a unit of as many
// slots as it has cores and of a memory of its own, a route between two hosts a link between their memories
// (the narrowest of its links, all of their latencies), a link on several routes a hub, but for
// FATPIPEs, which are shared by nobody. What SimGridPlatformText has written comes back as it was. `notes`:
// what of the file has no room in a board. Throws InputError.
Platform ReadSimGridPlatform(const std::filesystem::path& file, std::vector<std::string>* notes = nullptr);

// The text of a platform file: units and memories are hosts, memories, hubs and links are links, and routes
// lead from memory to memory and from a unit to its own.
std::string SimGridPlatformText(const Platform& platform);

}  // namespace tandem
