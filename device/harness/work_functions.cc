// Tasks that an application's function runs.
#include <utility>

#include "device/harness/work.h"

namespace tandem {
namespace {

template <class Byte>
std::span<Byte> Bytes(Byte* at, std::size_t request, const Model& model, LayerId layer) {
  const auto each = static_cast<std::size_t>(Elements(model.layer(layer).output)) * sizeof(float);
  return {at + request * each, BytesForFunctions(model, layer)};
}

// A tensor in memory that the host reads: its own, or one beside it.
class OnHost {
 public:
  OnHost(std::size_t floats, bool beside) : floats_(floats) {
    if (beside) beside_ = Buffer(floats);
  }

  // The same place of that which the call is to have.
  template <class Byte>
  std::span<Byte> For(std::span<Byte> bytes, const float* whole) {
    if (beside_.size() == 0) return bytes;
    const auto from_begin = bytes.data() - reinterpret_cast<const std::byte*>(whole);
    return {reinterpret_cast<std::byte*>(beside_.data()) + from_begin, bytes.size()};
  }
  void In(const float* from, Copier& copier) {
    if (beside_.size() > 0) copier.Copy(beside_.data(), from, WholeBlock(floats_));
  }
  void Out(float* to, Copier& copier) const {
    if (beside_.size() > 0) copier.Copy(to, beside_.data(), WholeBlock(floats_));
  }

 private:
  std::size_t floats_;
  Buffer beside_;
};

std::string WhyItFails(const StageFunction& function, const FunctionCall& call) {
  try {
    function(call);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "it threw what is no std::exception";
  }
}

}  // namespace

void HarnessWork::BeginFunction(AtPlace& here) {
  here.calls.clear();
  here.why_failed.clear();
  if (here.skips || !units_->FunctionOf(here.task.segment, here.unit)) return;
  const SegmentSpec& spec = units_->spec(here.task.segment);
  here.hash.clear();
  here.why_failed.resize(here.with.size() + 1);
  for (std::size_t k = 0; k <= here.with.size(); ++k) {
    const Task& task = k == 0 ? here.task : here.with[k - 1];
    FunctionCall& call = here.calls.emplace_back();
    call.stream = task.stream;
    call.number = requests_->Number(task);
    for (std::size_t i = 0; i < here.reads.size(); ++i) {
      const auto* const at = reinterpret_cast<const std::byte*>(here.reads[i]);
      call.inputs.push_back(Bytes(at, k, *spec.model, spec.inputs[i]));
    }
    for (std::size_t i = 0; i < here.writes.size(); ++i) {
      auto* const at = reinterpret_cast<std::byte*>(here.writes[i]);
      call.outputs.push_back(Bytes(at, k, *spec.model, spec.outputs[i]));
    }
  }
}

void HarnessWork::CallFunction(AtPlace& here) {
  const SegmentSpec& spec = units_->spec(here.task.segment);
  const bool beside = !units_->memory(here.memory).HostReads();
  std::vector<OnHost> reads, writes;
  const auto add = [&](std::vector<OnHost>& tensors, LayerId layer) -> OnHost& {
    const auto each = static_cast<std::size_t>(Elements(spec.model->layer(layer).output));
    return tensors.emplace_back(each * here.calls.size(), beside);
  };
  for (std::size_t i = 0; i < here.reads.size(); ++i) {
    OnHost& tensor = add(reads, spec.inputs[i]);
    tensor.In(here.reads[i], *here.processor);
    for (FunctionCall& call : here.calls) call.inputs[i] = tensor.For(call.inputs[i], here.reads[i]);
  }
  for (std::size_t i = 0; i < here.writes.size(); ++i) {
    OnHost& tensor = add(writes, spec.outputs[i]);
    for (FunctionCall& call : here.calls) call.outputs[i] = tensor.For(call.outputs[i], here.writes[i]);
  }
  for (std::size_t k = 0; k < here.calls.size(); ++k) {
    here.why_failed[k] = WhyItFails(*here.segment->function, here.calls[k]);
  }
  for (std::size_t i = 0; i < here.writes.size(); ++i) writes[i].Out(here.writes[i], *here.processor);
}

void HarnessWork::EndFunction(const AtPlace& here) {
  const Scenario& scenario = problem_->scenario();
  for (std::size_t k = 0; k < here.why_failed.size(); ++k) {
    if (here.why_failed[k].empty()) continue;
    const Task& task = k == 0 ? here.task : here.with[k - 1];
    const std::string model = scenario.model(problem_->cut(task.stream).model).name;
    requests_->Failed(task, "unit \"" + problem_->platform().unit(here.unit).name + "\", stage \"" +
                                scenario.streams[task.stream.index()].name + "\": the function of model \"" +
                                model + "\" failed: " + here.why_failed[k]);
  }
}

}  // namespace tandem
