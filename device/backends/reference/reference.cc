#include "device/backends/reference/reference.h"

#include "device/backends/reference/kernels.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace reference {

std::vector<std::int64_t> Strides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

void Advance(std::vector<std::int64_t>& position, const Shape& shape) {
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (++position[i] < shape[i]) return;
    position[i] = 0;
  }
}

std::size_t AxisOf(std::int64_t axis, const Shape& shape) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(shape.size()) : axis);
}

}  // namespace reference

namespace {

constexpr const char* kWho = "the backend reference";

}  // namespace

void ExpectReferenceKernel(const Layer& layer) { reference::Kernels::For(layer, kWho); }

Tensor RunReferenceLayer(const Layer& layer, const Weights& weights,
                         const std::vector<const Tensor*>& inputs) {
  Tensor output{layer.output, std::vector<float>(static_cast<std::size_t>(Elements(layer.output)))};
  reference::Kernels::For(layer, kWho)({layer, weights, inputs, output});
  return output;
}

void VisitReference(const Model& model, const Weights& weights, const std::vector<Tensor>& inputs,
                    const LayerVisitor& visit) {
  CheckWeights(model, weights, "the weights of " + model.name());
  const std::vector<LayerId> input_layers = model.Inputs();
  TANDEM_CHECK(inputs.size() == input_layers.size(), "a model runs with a tensor for each of its inputs");
  std::vector<Tensor> outputs(model.size());
  std::vector<std::size_t> waiting(model.size());  // uses still to come
  std::size_t next_input = 0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    const Layer& layer = model.layer(LayerId(i));
    std::vector<const Tensor*> read;
    for (const LayerId input : layer.inputs) read.push_back(&outputs[input.index()]);
    if (layer.op == Op::kInput) {
      read.push_back(&inputs[next_input++]);
      TANDEM_CHECK(read[0]->shape == layer.output, "an input tensor has the shape of its layer");
    }
    outputs[i] = RunReferenceLayer(layer, weights, read);
    visit(LayerId(i), outputs[i]);
    waiting[i] = model.users(LayerId(i)).size();
    for (const LayerId input : layer.inputs) {
      if (--waiting[input.index()] == 0) outputs[input.index()] = {};
    }
  }
}

std::vector<Tensor> RunReference(const Model& model, const Weights& weights,
                                 const std::vector<Tensor>& inputs) {
  std::vector<Tensor> outputs;
  VisitReference(model, weights, inputs, [&](LayerId, const Tensor& output) { outputs.push_back(output); });
  return outputs;
}

}  // namespace tandem
