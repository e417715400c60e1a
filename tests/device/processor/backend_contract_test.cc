// Does every backend that computes give what the reference kernels give: for every operation alone, for small
// networks however they are cut, and with two units side by side?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

#include "device/processor/backend.h"
#include "profiles/base/input_error.h"
#include "profiles/model/model_builder.h"
#include "tests/support/device/computing_backends.h"
#include "tests/support/device/executable_run.h"
#include "tests/support/device/operation_cases.h"

namespace tandem {
namespace {

// Half has 11 bits: a rounding of 5e-4 for each of the few layers in a row, whose sums are in float.
double ToleranceOf(const DeviceBackend& backend) { return ComputesInFloat(backend) ? 1e-4 : 5e-3; }

TensorsByLayer InputsOf(const Model& model, std::uint32_t seed, bool positive = false) {
  TensorsByLayer tensors;
  for (const LayerId id : model.Inputs()) {
    tensors[id] = Scattered(model.layer(id).output, seed + static_cast<std::uint32_t>(id.value)).values;
    for (float& value : tensors[id]) value = positive ? std::abs(value) + 0.5F : value;
  }
  return tensors;
}

TensorsByLayer Expected(const Model& model, const Weights& weights, const TensorsByLayer& from) {
  std::vector<Tensor> inputs;
  for (const LayerId id : model.Inputs()) inputs.push_back({model.layer(id).output, from.at(id)});
  TensorsByLayer tensors;
  VisitReference(model, weights, inputs, [&](LayerId id, const Tensor& t) { tensors[id] = t.values; });
  return tensors;
}

struct PreparedModel {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Weights> weights;
  bool positive = false;  // its inputs must be above 0
};
PreparedModel Prepare(Model model, std::uint64_t seed = 3) {
  auto shared = std::make_shared<const Model>(std::move(model));
  return {shared, std::make_shared<const Weights>(RandomWeights(*shared, seed))};
}

using Cut = std::vector<std::vector<LayerId>>;

Cut OneSegment(const Model& model) {
  Cut cut(1);
  for (std::size_t i = 0; i < model.size(); ++i) cut[0].push_back(LayerId(i));
  return cut;
}
Cut LayerByLayer(const Model& model) {
  Cut cut;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (model.layer(LayerId(i)).op != Op::kInput) cut.push_back({LayerId(i)});
  }
  return cut;
}
// Runs of layers that follow each other in the order of ids.
Cut InRunsOf(const Model& model, std::size_t length) {
  Cut cut;
  for (const std::vector<LayerId>& layer : LayerByLayer(model)) {
    if (cut.empty() || cut.back().size() == length) cut.emplace_back();
    cut.back().push_back(layer[0]);
  }
  return cut;
}

bool LacksKernels(const BackendDeclaration& about, const Model& model) {
  return std::any_of(about.lacks.begin(), about.lacks.end(), [&](std::string_view op) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      if (OpName(model.layer(LayerId(i)).op) == op) return true;
    }
    return false;
  });
}

std::vector<Model> NetworksFor(const DeviceBackend& backend) {
  std::vector<Model> networks = SmallNetworks();
  std::erase_if(networks, [&](const Model& model) { return LacksKernels(backend.about(), model); });
  return networks;
}

struct Subject {
  const BackendDeclaration& about;
  Processor& processor;
  double tolerance;
};

// The layer that it has no kernel for is named.
void ExpectRefused(const Subject& subject, const PreparedModel& p) {
  try {
    (void)subject.processor.Compile(WholeSegment(p.model, p.weights, p.model->name()));
    ADD_FAILURE() << p.model->name() << " is not refused";
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("the backend \"" + std::string(subject.about.name) + "\" has no kernel for"),
              std::string::npos)
        << error.what();
  }
}

// Compiles all segments of a cut, then runs them twice on different inputs: nothing may stay from one run to
// the next.
void ExpectAsReference(const Subject& subject, const PreparedModel& p, const Cut& cut,
                       const std::string& what) {
  if (LacksKernels(subject.about, *p.model)) return ExpectRefused(subject, p);
  std::vector<SegmentSpec> specs;
  std::vector<std::unique_ptr<Executable>> executables;
  for (const std::vector<LayerId>& layers : cut) {
    specs.push_back(SegmentOf(p.model, p.weights, p.model->name(), layers));
    executables.push_back(subject.processor.Compile(specs.back()));
  }
  for (const std::uint32_t seed : {1u, 77u}) {
    TensorsByLayer tensors = InputsOf(*p.model, seed, p.positive);
    const TensorsByLayer expected = Expected(*p.model, *p.weights, tensors);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      RunExecutable(*executables[i], specs[i], tensors);
      for (const LayerId id : specs[i].outputs) {
        EXPECT_LT(RelativeError(tensors.at(id), expected.at(id)), subject.tolerance)
            << what << ", layer " << p.model->layer(id).name << ", input " << seed;
      }
    }
  }
}

void ExpectAllCutsAgree(const Subject& subject, const PreparedModel& p) {
  ExpectAsReference(subject, p, OneSegment(*p.model), "whole");
  ExpectAsReference(subject, p, subject.processor.Groups(*p.model), "by group");
  ExpectAsReference(subject, p, LayerByLayer(*p.model), "by layer");
  ExpectAsReference(subject, p, InRunsOf(*p.model, 3), "by three layers");
}

class BackendContract : public testing::TestWithParam<const DeviceBackend*> {
 protected:
  void SetUp() override { unit_ = std::make_unique<OpenUnit>(*GetParam()); }
  Processor& processor() { return **unit_; }
  Subject subject() { return {GetParam()->about(), processor(), ToleranceOf(*GetParam())}; }
  std::unique_ptr<OpenUnit> unit_;
};
INSTANTIATE_TEST_SUITE_P(, BackendContract, testing::ValuesIn(ComputingBackends()),
                         [](const auto& backend) { return std::string(backend.param->name()); });

// Says in one line why the contract was not held against a real card.
TEST(BackendContractOnACard, TakesInTheCudaBackendWhereThereIsACard) {
  for (const MissingBackend& missing : MissingBackends()) {
    if (missing.name == "cuda") GTEST_SKIP() << "cuda: skipped, " << missing.reason;
  }
  for (const DeviceBackend* backend : Backends()) {
    if (backend->name() != "cuda") continue;
    Platform seen;
    const BackendState state = backend->Look(ReadHost(UsableCores()), seen);
    if (seen.units.empty()) GTEST_SKIP() << "cuda: skipped, " << state.trouble;
    const auto computing = ComputingBackends();
    EXPECT_NE(std::find(computing.begin(), computing.end(), backend), computing.end());
  }
}

TEST_P(BackendContract, EveryOperationHasCases) {
  std::set<Op> seen;
  for (const OperationCase& one : OperationCases()) seen.insert(one.layer.op);
  for (const OperationCase& one : PositiveCases()) seen.insert(one.layer.op);
  for (Op op = Op::kInput; op != Op::kOutside; op = static_cast<Op>(static_cast<int>(op) + 1)) {
    EXPECT_TRUE(op == Op::kInput || seen.contains(op)) << OpName(op);
  }
}

TEST_P(BackendContract, EveryOperationComputesWhatTheReferenceComputes) {
  for (const OperationCase& one : OperationCases()) {
    const PreparedModel p = Prepare(ModelOf(one));
    ExpectAsReference(subject(), p, OneSegment(*p.model), one.name);
  }
  for (const OperationCase& one : PositiveCases()) {
    PreparedModel p = Prepare(ModelOf(one));
    p.positive = true;
    ExpectAsReference(subject(), p, OneSegment(*p.model), one.name);
  }
}

// The layout inside a segment is the backend's own: between two convolutions every operation meets it.
TEST_P(BackendContract, EveryOperationComputesTheSameInsideANetwork) {
  for (const OperationCase& one : OperationCases()) {
    if (!FitsBetweenConvs(one)) continue;
    const PreparedModel p = Prepare(BetweenConvs(one));
    ExpectAsReference(subject(), p, OneSegment(*p.model), one.name + " between convs");
  }
}

TEST_P(BackendContract, HoweverANetworkIsCutTheOutputsAreTheSame) {
  for (const std::int64_t batch : {1, 3}) {
    for (const Model& model : SmallNetworks()) ExpectAllCutsAgree(subject(), Prepare(model.WithBatch(batch)));
  }
}

TEST_P(BackendContract, GroupsHoldEveryLayerOnceInOrder) {
  for (const Model& model : SmallNetworks()) {
    std::vector<int> seen(model.size(), 0);
    LayerId last;
    for (const std::vector<LayerId>& group : processor().Groups(model)) {
      ASSERT_FALSE(group.empty());
      for (const LayerId id : group) ++seen[id.index()];
      EXPECT_LT(last, group.back()) << model.name();
      last = group.back();
    }
    for (std::size_t i = 0; i < model.size(); ++i) {
      EXPECT_EQ(seen[i], model.layer(LayerId(i)).op == Op::kInput ? 0 : 1) << model.layer(LayerId(i)).name;
    }
  }
}

TEST_P(BackendContract, ATimedRunNotesEveryStepAndGivesTheSame) {
  const PreparedModel p = Prepare(NetworksFor(*GetParam()).at(0));
  const SegmentSpec spec = WholeSegment(p.model, p.weights, "small");
  const auto executable = processor().Compile(spec);
  TensorsByLayer tensors = InputsOf(*p.model, 5);
  const std::vector<float> values = tensors.begin()->second;
  AlignedTensor input(values.size());
  std::copy(values.begin(), values.end(), input.data());
  AlignedTensor output(static_cast<std::size_t>(Elements(p.model->layer(spec.outputs[0]).output)));
  std::vector<Nanos> ends(executable->Steps().size(), Nanos(-1));
  const float* from = input.data();
  float* to = output.data();
  executable->RunTimed({&from, 1}, {&to, 1}, ends);
  EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end()));
  EXPECT_GT(ends.front().count(), 0);
  const TensorsByLayer expected = Expected(*p.model, *p.weights, tensors);
  EXPECT_LT(RelativeError(output.values(), expected.at(spec.outputs[0])), ToleranceOf(*GetParam()));
}

TEST_P(BackendContract, InputsAreLeftAsTheyWere) {
  for (const Model& model : NetworksFor(*GetParam())) {
    const PreparedModel p = Prepare(model);
    for (const std::vector<LayerId>& layers : LayerByLayer(*p.model)) {
      const SegmentSpec spec = SegmentOf(p.model, p.weights, "small", layers);
      const auto executable = processor().Compile(spec);
      std::vector<AlignedTensor> inputs, outputs;
      std::vector<const float*> from;
      std::vector<float*> to;
      std::vector<std::vector<float>> before;
      for (const LayerId id : spec.inputs) {
        before.push_back(Scattered(model.layer(id).output).values);
        inputs.emplace_back(before.back().size());
        std::copy(before.back().begin(), before.back().end(), inputs.back().data());
      }
      for (const LayerId id : spec.outputs)
        outputs.emplace_back(static_cast<std::size_t>(Elements(model.layer(id).output)));
      for (AlignedTensor& tensor : inputs) from.push_back(tensor.data());
      for (AlignedTensor& tensor : outputs) to.push_back(tensor.data());
      executable->Run(from, to);
      for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(inputs[i].values(), before[i]);
    }
  }
}

// Each unit belongs to a thread of its own; what they run at the same time must not mix.
// What is done in each step, without what is said of the times of the segment.
std::vector<std::string> HowOf(const Executable& executable) {
  std::vector<std::string> how;
  for (const ExecutionStep& step : executable.Steps())
    how.push_back(step.how.substr(0, step.how.find(" [segment: ")));
  return how;
}

TEST_P(BackendContract, TheKernelsThatItTellsAreTakenAsTheyAre) {
  for (Model& network : NetworksFor(*GetParam())) {
    const PreparedModel p = Prepare(std::move(network));
    SegmentSpec spec = WholeSegment(p.model, p.weights, p.model->name());
    const auto first = processor().Compile(spec);
    const ChosenKernels chosen = first->Kernels();
    EXPECT_EQ(chosen.anew, !chosen.choices.empty()) << p.model->name();
    EXPECT_EQ(processor().KernelLibrary().empty(),
              processor().KernelLibrary().find(' ') == std::string::npos);
    if (processor().KernelLibrary().empty()) {
      EXPECT_TRUE(chosen.choices.empty()) << p.model->name();
    }
    spec.kernels = chosen.choices;
    const auto second = processor().Compile(spec);
    EXPECT_EQ(second->Kernels().choices, chosen.choices) << p.model->name();
    EXPECT_FALSE(second->Kernels().anew) << p.model->name();
    EXPECT_EQ(HowOf(*second), HowOf(*first)) << p.model->name();
  }
}

TEST_P(BackendContract, KernelsThatItHasNotAreChosenAnew) {
  for (Model& network : NetworksFor(*GetParam())) {
    const PreparedModel p = Prepare(std::move(network));
    SegmentSpec spec = WholeSegment(p.model, p.weights, p.model->name());
    const KernelChoices right = processor().Compile(spec)->Kernels().choices;
    for (const auto& [step, choice] : right) spec.kernels[step] = "none, " + choice;
    const auto executable = processor().Compile(spec);
    EXPECT_EQ(executable->Kernels().anew, !right.empty()) << p.model->name();
    TensorsByLayer tensors = InputsOf(*p.model, 5, p.positive);
    const TensorsByLayer expected = Expected(*p.model, *p.weights, tensors);
    RunExecutable(*executable, spec, tensors);
    for (const LayerId id : spec.outputs) {
      EXPECT_LT(RelativeError(tensors.at(id), expected.at(id)), ToleranceOf(*GetParam())) << p.model->name();
    }
  }
}

TEST_P(BackendContract, TwoUnitsSideBySideDoNotDisturbEachOther) {
  const std::vector<Model> networks = SmallNetworks();
  const auto work = [&](std::size_t core) {
    const OpenUnit unit(*GetParam(), core);
    for (std::size_t i = 0; i < networks.size(); ++i) {
      const PreparedModel p = Prepare(networks[(i + core) % networks.size()], core + 1);
      ExpectAsReference({GetParam()->about(), *unit, ToleranceOf(*GetParam())}, p, OneSegment(*p.model),
                        "unit " + std::to_string(core));
    }
  };
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
}

}  // namespace
}  // namespace tandem
