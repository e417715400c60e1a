// Runs models on a card that computes on the host, between tensors in whichever memory a test wants.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/backends/cuda/gpu/executable.h"
#include "device/backends/cuda/gpu/memory.h"
#include "device/backends/cuda/gpu/processor.h"
#include "device/processor/buffer.h"
#include "profiles/base/input_error.h"
#include "profiles/model/model_builder.h"
#include "tests/support/device/host_card.h"
#include "tests/support/device/reference_run.h"

namespace tandem::gpu {

// Copies whole tensors into and out of any memory.
inline void CopyAll(Processor& processor, float* to, const float* from, std::size_t count) {
  processor.Copy(to, from, {1, count, count, 0});
}

struct GpuRun {
  GpuRun(Model source, std::uint64_t seed = 3)
      : model(std::make_shared<const Model>(std::move(source))),
        weights(std::make_shared<const Weights>(RandomWeights(*model, seed))),
        spec(WholeSegment(model, weights, model->name())) {}

  std::size_t Count(LayerId id) const { return static_cast<std::size_t>(Elements(model->layer(id).output)); }
  std::vector<float> Values(LayerId id, std::uint32_t seed) const {
    return Scattered(model->layer(id).output, seed + static_cast<std::uint32_t>(id.value)).values;
  }
  // What the reference makes of the inputs of that seed.
  std::vector<float> Expected(std::uint32_t seed) const {
    std::vector<Tensor> inputs;
    for (const LayerId id : model->Inputs()) inputs.push_back({model->layer(id).output, Values(id, seed)});
    return RunReference(*model, *weights, inputs)[spec.outputs[0].index()].values;
  }

  std::shared_ptr<const Model> model;
  std::shared_ptr<const Weights> weights;
  SegmentSpec spec;
};

// The tensors of one run, each in a memory of its own.
struct GpuTensors {
  GpuTensors(const GpuRun& run, Processor& processor, TensorMemory& in, TensorMemory& out)
      : run_(run), processor_(processor) {
    for (const LayerId id : run.spec.inputs) inputs.emplace_back(run.Count(id), in);
    for (const LayerId id : run.spec.outputs) outputs.emplace_back(run.Count(id), out);
    for (const Buffer& buffer : inputs) from.push_back(buffer.data());
    for (Buffer& buffer : outputs) to.push_back(buffer.data());
  }
  void Set(std::uint32_t seed) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<float> values = run_.Values(run_.spec.inputs[i], seed);
      CopyAll(processor_, inputs[i].data(), values.data(), values.size());
    }
  }
  std::vector<float> Result() {
    std::vector<float> values(outputs[0].size());
    CopyAll(processor_, values.data(), outputs[0].data(), values.size());
    return values;
  }

  std::vector<Buffer> inputs, outputs;
  std::vector<const float*> from;
  std::vector<float*> to;

 private:
  const GpuRun& run_;
  Processor& processor_;
};

template <class Body>
std::string FailureOf(Body body) {
  try {
    body();
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "no failure";
}

// A bit of everything that matters to how a segment is run: a residual, a concat, a layer that vanishes.
inline Model SmallGpuModel() {
  ModelBuilder net("small gpu");
  net.Input("in", {1, 8, 9, 7});
  const std::string a = net.Conv("a", SquareConv(8, 3, 1, 1));
  net.Relu("a_relu");
  net.Conv("b", SquareConv(8, 1));
  net.Sum("b_sum", "b", "a_relu");
  const std::string b = net.Relu("b_relu");
  const std::string c = net.Conv("c", SquareConv(16, 3, 1, 1));
  net.Concat("both", {b, c});
  net.MaxPool("pool", SquarePool(2, 2));
  net.Add("flat", Op::kFlatten);
  net.Fc("fc", 10);
  net.Add("softmax", Op::kSoftmax);
  return net.Build();
}

}  // namespace tandem::gpu
