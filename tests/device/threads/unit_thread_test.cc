// Does all work of a unit happen on its own thread, and do its failures reach whoever asked?
#include "device/threads/unit_thread.h"

#include <gtest/gtest.h>

#include "device/processor/model_store.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

class UnitThreads : public ::testing::Test {
 protected:
  UnitThreads() {
    platform_.name = "test";
    platform_.memories.emplace_back().name = "dram";
    Unit& unit = platform_.units.emplace_back();
    unit.name = "cpu";
    unit.memory = MemoryId(0);
    unit.backend = &DeclaredBackend("reference");
  }
  OpenRequest Request() const {
    OpenRequest request;
    request.platform = &platform_;
    request.unit = UnitId(0);
    return request;
  }

  Platform platform_;
};

TEST_F(UnitThreads, JobsRunOnOneOtherThread) {
  UnitThread unit(BackendOf(platform_.units[0], "test"), Request());
  std::thread::id first, second;
  unit.Do([&](Processor&) { first = std::this_thread::get_id(); });
  unit.Do([&](Processor&) { second = std::this_thread::get_id(); });
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::this_thread::get_id());
}

TEST_F(UnitThreads, FailureOfAJobReachesItsCallerAndTheThreadGoesOn) {
  UnitThread unit(BackendOf(platform_.units[0], "test"), Request());
  EXPECT_THROW(unit.Do([](Processor&) { throw EnvironmentError("lost"); }), EnvironmentError);
  bool ran = false;
  unit.Do([&](Processor&) { ran = true; });
  EXPECT_TRUE(ran);
}

TEST_F(UnitThreads, ReferenceSegmentsInSequenceGiveWhatTheWholeModelGives) {
  const std::vector<LayerSpec> specs = {{"in", Op::kInput, InputAttributes{{2, 3, 4, 4}}, {}},
                                        {"a", Op::kRelu, NoAttributes{}, {"in"}},
                                        {"b", Op::kTanh, NoAttributes{}, {"a"}},
                                        {"c", Op::kAdd, ElementwiseAttributes{}, {"a", "b"}}};
  const auto model = std::make_shared<const Model>(Model::Build("small", specs, "test"));
  const auto weights = std::make_shared<const Weights>();
  const std::vector<Buffer> inputs = RandomInputs(*model, 1);
  const LayerId a = model->Find("a");
  Buffer whole = BufferFor(*model, LayerId(3)), parts = BufferFor(*model, LayerId(3)),
         between = BufferFor(*model, a);
  UnitThread unit(BackendOf(platform_.units[0], "test"), Request());
  unit.Do([&](Processor& processor) {
    const float* in[] = {inputs[0].data()};
    float* out[] = {whole.data()};
    processor.Compile(WholeSegment(model, weights, "small"))->Run(in, out);
    const LayerId first[] = {a}, rest[] = {LayerId(2), LayerId(3)};
    const SegmentSpec second = SegmentOf(model, weights, "small", rest);
    EXPECT_EQ(second.inputs, std::vector<LayerId>{a});
    EXPECT_FALSE(second.WholeModel());
    float* middle[] = {between.data()};
    processor.Compile(SegmentOf(model, weights, "small", first))->Run(in, middle);
    const float* read[] = {between.data()};
    float* last[] = {parts.data()};
    processor.Compile(second)->Run(read, last);
  });
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(whole.values()[i], parts.values()[i]);
}

TEST_F(UnitThreads, UnitWithoutBackendIsRefusedWithTheFix) {
  platform_.units[0].backend = nullptr;
  try {
    BackendOf(platform_.units[0], "board.json:/units/0");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("board.json:/units/0: unit \"cpu\" names no backend"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace tandem
