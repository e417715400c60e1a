// Do shards take every run once, and are they found in what batch systems say?
#include "sim/workers/shard.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <set>
#include <string>

#include "tests/support/error_of.h"

namespace tandem {
namespace {

// The environment of a batch system, gone with it.
class Surroundings {
 public:
  explicit Surroundings(std::map<std::string, std::string> variables) : variables_(std::move(variables)) {
    for (const auto& [name, value] : variables_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  ~Surroundings() {
    for (const auto& [name, value] : variables_) ::unsetenv(name.c_str());
  }

 private:
  std::map<std::string, std::string> variables_;
};

std::string TextOf(const std::optional<Shard>& shard) {
  return shard ? std::to_string(shard->index) + "/" + std::to_string(shard->count) : "none";
}

TEST(Shards, TakeEveryRunOnce) {
  std::vector<SweepRun> runs;
  for (int r = 0; r < 17; ++r) runs.push_back({std::to_string(r), r, "p"});
  std::map<std::string, int> taken;
  for (std::int64_t index = 1; index <= 5; ++index) {
    const auto own = RunsOfShard(runs, {index, 5});
    EXPECT_GE(own.size(), 3U);
    EXPECT_LE(own.size(), 4U);
    for (const SweepRun& run : own) ++taken[run.key];
  }
  EXPECT_EQ(taken.size(), 17U);
  for (const auto& [key, times] : taken) EXPECT_EQ(times, 1) << key;
}

TEST(Shards, ByNameCountFromOne) {
  EXPECT_EQ(TextOf(ShardNamed("2/8")), "2/8");
  EXPECT_EQ(ErrorOf([] { (void)ShardNamed("0/8"); }), "--shard: there is no shard 0 of 8; they count from 1");
  EXPECT_EQ(ErrorOf([] { (void)ShardNamed("9/8"); }), "--shard: there is no shard 9 of 8; they count from 1");
  for (const char* wrong : {"", "3", "3/", "/3", "a/b", "1/2/3", "1.5/2"}) {
    EXPECT_EQ(ErrorOf([&] { (void)ShardNamed(wrong); }),
              "--shard: \"" + std::string(wrong) + "\" is not as 2/8");
  }
}

TEST(Shards, AreThoseOfSlurmsArray) {
  EXPECT_EQ(TextOf(ShardOfArrayTask()), "none");
  const Surroundings slurm({{"SLURM_ARRAY_TASK_ID", "14"},
                            {"SLURM_ARRAY_TASK_MIN", "10"},
                            {"SLURM_ARRAY_TASK_STEP", "2"},
                            {"SLURM_ARRAY_TASK_COUNT", "6"}});
  EXPECT_EQ(TextOf(ShardOfArrayTask()), "3/6");
}

TEST(Shards, AreTakenOnceWhetherTasksCountFromZeroOrFromOne) {
  for (const int first : {0, 1}) {
    std::set<std::string> taken;
    for (int task = first; task < first + 3; ++task) {
      const Surroundings slurm(
          {{"SLURM_ARRAY_TASK_ID", std::to_string(task)}, {"SLURM_ARRAY_TASK_COUNT", "3"}});
      taken.insert(TextOf(ShardOfArrayTask()));
    }
    EXPECT_EQ(taken, (std::set<std::string>{"1/3", "2/3", "3/3"})) << first;
  }
}

TEST(Shards, OfAnArrayWithGapsAreRefused) {
  const Surroundings slurm(
      {{"SLURM_ARRAY_TASK_ID", "9"}, {"SLURM_ARRAY_TASK_MIN", "1"}, {"SLURM_ARRAY_TASK_COUNT", "3"}});
  EXPECT_EQ(ErrorOf([] { (void)ShardOfArrayTask(); }),
            "SLURM_ARRAY_TASK_ID: there is no shard 9 of 3; they count from 1");
}

TEST(Shards, AreTheRanksUnderMpirunAndSrun) {
  EXPECT_EQ(TextOf(ShardOfRank()), "none");
  {
    const Surroundings one({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}});
    EXPECT_EQ(TextOf(ShardOfRank()), "none");
  }
  {
    const Surroundings open_mpi({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}});
    EXPECT_EQ(TextOf(ShardOfRank()), "2/4");
  }
  {
    const Surroundings srun({{"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "4"}});
    EXPECT_EQ(TextOf(ShardOfRank()), "3/4");
  }
  {
    const Surroundings batch_script({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}});
    EXPECT_EQ(TextOf(ShardOfRank()), "none");  // one process for all of them
  }
  const Surroundings mpich({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}});
  EXPECT_EQ(TextOf(ShardOfRank()), "1/2");
}

TEST(Shards, SayWhichVariableIsWrong) {
  const Surroundings slurm({{"SLURM_ARRAY_TASK_ID", "x"}, {"SLURM_ARRAY_TASK_COUNT", "6"}});
  EXPECT_EQ(ErrorOf([] { (void)ShardOfArrayTask(); }), "SLURM_ARRAY_TASK_ID: \"x\" is no number");
}

}  // namespace
}  // namespace tandem
