// Runs handed out over MPI: rank 0 knows what is to do, every rank asks it for the next. What works is a
// process beside the rank that is forked before MPI begins and knows nothing of it. Nobody else knows MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tandem {

// Is MPI built in?
bool KnowsRanks();

struct RankOutcome {
  bool is_alone = false;  // of another MPI than ours, which sees no other rank: nothing was done
  bool is_first = false;  // rank 0
  bool foreman_failed = false;
};

// `foreman` is called in a process of its own, takes what is to do from its argument until there is nothing
// more, and returns an exit status. `to_do` is asked once, on rank 0; `go_on` there, often, with how many
// were handed out. Comes back on every rank when all ranks have nothing more to do. Throws EnvironmentError.
using NextOfRank = std::function<std::optional<std::size_t>()>;
// `ranks`: as many as mpirun says that there are.
RankOutcome WorkInRanks(std::int64_t ranks, const std::function<int(const NextOfRank&)>& foreman,
                        const std::function<std::vector<std::size_t>()>& to_do,
                        const std::function<bool(std::size_t)>& go_on);

}  // namespace tandem
