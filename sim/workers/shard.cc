#include "sim/workers/shard.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

std::optional<std::int64_t> WholeNumber(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Of an environment variable; nothing where it is not set.
std::optional<std::int64_t> NumberIn(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const auto number = WholeNumber(text);
  if (!number) throw InputError(std::string(variable) + ": " + Quoted(text) + " is no number");
  return number;
}

Shard Checked(const Shard& shard, const std::string& place) {
  if (shard.index >= 1 && shard.index <= shard.count) return shard;
  throw InputError(place + ": there is no shard " + std::to_string(shard.index) + " of " +
                   std::to_string(shard.count) + "; they count from 1");
}

}  // namespace

Shard ShardNamed(const std::string& text) {
  const std::string_view all = text;
  const std::size_t slash = all.find('/');
  const auto index = WholeNumber(all.substr(0, slash));
  const auto count = slash == std::string_view::npos ? std::nullopt : WholeNumber(all.substr(slash + 1));
  if (!index || !count) throw InputError("--shard: " + Quoted(text) + " is not as 2/8");
  return Checked({*index, *count}, "--shard");
}

std::optional<Shard> ShardOfArrayTask() {
  const auto task = NumberIn("SLURM_ARRAY_TASK_ID"), count = NumberIn("SLURM_ARRAY_TASK_COUNT");
  if (!task || !count) return std::nullopt;
  const auto least = NumberIn("SLURM_ARRAY_TASK_MIN");
  const std::int64_t step = std::max<std::int64_t>(NumberIn("SLURM_ARRAY_TASK_STEP").value_or(1), 1);
  std::int64_t before = (*task - least.value_or(0)) / step;
  // Tasks that count from 0 or from 1, whoever does not say which: each has a shard of its own.
  if (!least && *count > 0) before %= *count;
  return Checked({before + 1, *count}, "SLURM_ARRAY_TASK_ID");
}

std::optional<Shard> ShardOfRank() {
  for (const auto& [rank, size] :
       {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), std::pair("PMI_RANK", "PMI_SIZE"),
        std::pair("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")}) {
    const auto index = NumberIn(rank), count = NumberIn(size);
    if (index && count && *count > 1) return Checked({*index + 1, *count}, rank);
  }
  return std::nullopt;
}

bool IsRankOfMpi() {
  return std::getenv("PMIX_NAMESPACE") != nullptr || std::getenv("PMI_FD") != nullptr ||
         std::getenv("PMI_PORT") != nullptr;
}

std::vector<SweepRun> RunsOfShard(const std::vector<SweepRun>& runs, const Shard& shard) {
  std::vector<SweepRun> own;
  for (std::size_t r = static_cast<std::size_t>(shard.index) - 1; r < runs.size();
       r += static_cast<std::size_t>(shard.count)) {
    own.push_back(runs[r]);
  }
  return own;
}

}  // namespace tandem
