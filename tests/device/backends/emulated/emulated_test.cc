// Does an emulated unit wait as long as its profile says, without computing and without taking a core?
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>

#include "device/processor/backend.h"
#include "profiles/base/json_text.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using std::chrono::steady_clock;

constexpr const char* kProfile = R"({"tandem": "profile/1", "platform": "board",
  "origin": {"kind": "estimated", "method": "test"},
  "entries": [{"model": "chain", "unit": "npu", "layers": "*", "variant": "fast", "median_us": 4000},
              {"model": "chain", "unit": "npu", "layers": "*", "variant": "slow", "median_us": 90000},
              {"model": "chain", "unit": "npu", "layers": ["a"], "variant": "fast", "median_us": 1500},
              {"model": "chain", "unit": "npu", "layers": "*", "variant": "fast", "batch": 2, "median_us": 7000}]})";

class Emulated : public ::testing::Test {
 protected:
  Emulated() {
    platform_.name = "board";
    platform_.memories.emplace_back().name = "dram";
    Unit& unit = platform_.units.emplace_back();
    unit.name = "npu";
    unit.memory = MemoryId(0);
    unit.backend = &DeclaredBackend("emulated");
    const JsonDocument document = JsonDocument::Parse(kProfile, "profile.json");
    profile_ = ReadProfile(document.root());
    costs_.emplace(platform_, std::vector<const Profile*>{&profile_},
                   std::vector<CostTable::ModelRef>{{"other", chain_.get()}, {"chain", chain_.get()}});
    request_.platform = &platform_;
    request_.unit = UnitId(0);
    request_.costs = &*costs_;
    request_.models = {"other", "chain"};
    request_.variant = {"fast", "fp32"};
  }

  static Model Chain() {
    return Model::Build("chain",
                        {{"in", Op::kInput, InputAttributes{{1, 4}}, {}},
                         {"a", Op::kFc, FcAttributes{4}, {"in"}},
                         {"b", Op::kFc, FcAttributes{4}, {"a"}}},
                        "test");
  }
  std::unique_ptr<Processor> Open() { return backend().Open(request_); }
  const DeviceBackend& backend() { return BackendOf(platform_.units[0], "test"); }
  SegmentSpec Whole(const std::string& name = "chain") { return WholeSegment(chain_, nullptr, name); }
  SegmentSpec Layer(std::size_t id) {
    const LayerId layers[] = {LayerId(id)};
    return SegmentOf(chain_, nullptr, "chain", layers);
  }
  // The clock is monotonic: a wait may be longer on a busy machine, never shorter.
  template <class Body>
  static bool TakesAtLeast(std::chrono::microseconds time, Body body) {
    const auto begin = steady_clock::now();
    body();
    return steady_clock::now() - begin >= time;
  }

  Platform platform_;
  std::shared_ptr<const Model> chain_ = std::make_shared<const Model>(Chain());
  Profile profile_;
  std::optional<CostTable> costs_;
  OpenRequest request_;
};

TEST_F(Emulated, WaitsAsLongAsTheProfileSaysOfModelAndSegment) {
  const auto processor = Open();
  const auto whole = processor->Compile(Whole()), first = processor->Compile(Layer(1));
  const auto run = [](Executable& executable) { return [&executable] { executable.Run({}, {}); }; };
  EXPECT_TRUE(TakesAtLeast(std::chrono::microseconds(4000), run(*whole)));
  EXPECT_TRUE(TakesAtLeast(std::chrono::microseconds(1500), run(*first)));
}

TEST_F(Emulated, BatchAndDispatchCount) {
  request_.dispatch = std::chrono::milliseconds(5);
  SegmentSpec spec = Whole();
  spec.batch = 2;
  const auto processor = Open();
  const auto executable = processor->Compile(spec);
  Nanos end{0};
  EXPECT_TRUE(TakesAtLeast(std::chrono::microseconds(12000),
                           [&] { executable->RunTimed({}, {}, std::span(&end, 1)); }));
  EXPECT_GT(end, Nanos{0});
  EXPECT_EQ(executable->Steps().size(), 1u);
}

TEST_F(Emulated, ComputesNothingAndLeavesOutputsAlone) {
  const auto processor = Open();
  const auto executable = processor->Compile(Whole());
  float values[] = {1, 2, 3, 4};
  float* outputs[] = {values};
  executable->Run({}, outputs);
  EXPECT_EQ(values[3], 4);
  EXPECT_FALSE(executable->Computes());
  EXPECT_EQ(executable->OutputHash(), "");
  EXPECT_FALSE(backend().about().Measurable());
}

TEST_F(Emulated, SleepsThroughItsWait) {
  request_.variant = {"slow", "fp32"};
  const auto processor = Open();
  const auto executable = processor->Compile(Whole());
  const auto used = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double before = used();
  executable->Run({}, {});
  EXPECT_LT(used() - before, 0.045);  // half of the wait
}

TEST_F(Emulated, WhatHasNoTimeIsRefusedWithTheReason) {
  const auto processor = Open();
  EXPECT_THROW(
      {
        try {
          processor->Compile(Layer(2));
        } catch (const EnvironmentError& error) {
          EXPECT_STREQ(error.what(), "unit \"npu\" has no time for layer \"b\" of model \"chain\"");
          throw;
        }
      },
      EnvironmentError);
  EXPECT_EQ(ErrorOf([&] { processor->Compile(Whole("chian")); }),
            "unit \"npu\": no profile here speaks of model \"chian\"");
}

TEST_F(Emulated, WithoutAProfileThereIsNoUnit) {
  request_.costs = nullptr;
  EXPECT_EQ(ErrorOf([&] { Open(); }),
            "unit \"npu\": an emulated unit waits as long as a profile says, and there is no profile here");
}

}  // namespace
}  // namespace tandem
