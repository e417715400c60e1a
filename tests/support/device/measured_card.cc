#include "tests/support/device/measured_card.h"

#include <utility>

namespace tandem {
namespace {

class ClockedExecutable final : public Executable {
 public:
  explicit ClockedExecutable(std::unique_ptr<Executable> inner) : inner_(std::move(inner)) {}
  void Run(std::span<const float* const> inputs, std::span<float* const> outputs) override {
    inner_->Run(inputs, outputs);
  }
  std::optional<Nanos> RunOnDeviceClock(std::span<const float* const> inputs,
                                        std::span<float* const> outputs) override {
    inner_->Run(inputs, outputs);
    return Nanos{100};
  }
  std::vector<ExecutionStep> Steps() const override { return inner_->Steps(); }
  void RunTimed(std::span<const float* const> inputs, std::span<float* const> outputs,
                std::span<Nanos> ends) override {
    inner_->RunTimed(inputs, outputs, ends);
  }
  std::int64_t Bytes() const override { return 10'000'000; }

 private:
  std::unique_ptr<Executable> inner_;
};

class CardProcessor final : public Processor {
 public:
  CardProcessor(std::unique_ptr<Processor> inner, TensorMemory* managed)
      : inner_(std::move(inner)), managed_(managed) {}
  TensorMemory& memory() override { return inner_->memory(); }
  TensorMemory& host_memory() override { return inner_->host_memory(); }
  TensorMemory* managed_memory() override { return managed_; }
  // Each time it is asked a megabyte less is free, and one less than that was.
  std::optional<MemoryRoom> Room() override {
    free_ -= 1'000'000;
    return MemoryRoom{free_, free_ - 1'000'000};
  }
  void Copy(float* to, const float* from, const TensorBlock& block) override {
    inner_->Copy(to, from, block);
  }
  std::vector<std::vector<LayerId>> Groups(const Model& model) const override {
    return inner_->Groups(model);
  }
  std::unique_ptr<Executable> Compile(const SegmentSpec& spec) override {
    return std::make_unique<ClockedExecutable>(inner_->Compile(spec));
  }

 private:
  std::unique_ptr<Processor> inner_;
  TensorMemory* managed_;
  std::int64_t free_ = 1'000'000'000;
};

}  // namespace

std::unique_ptr<Processor> MeasuredCard::Open(const OpenRequest& request) const {
  if (request.variant.precision == "fp16") ++opened_in_fp16;
  return std::make_unique<CardProcessor>(distant_.Open(request), has_managed ? &managed_ : nullptr);
}

FindBackend MeasuredCard::Found() const {
  return [this](const Unit& unit, const std::string& place) -> const DeviceBackend& {
    return unit.name == "gpu" ? *this : BackendOf(unit, place);
  };
}

std::string BoardWithCardJson(bool linked) {
  return std::string(R"({"name": "board", "memories": [{"name": "dram"}, {"name": "vram"}], )") +
         (linked ? R"("links": [{"from": "dram", "to": "vram", "latency_us": 10,
                   "bandwidth_bytes_per_s": 1000000000, "engine": true}], )"
                 : "") +
         R"("units": [{"name": "gpu", "kind": "gpu", "memory": "vram", "backend": "reference"},
                      {"name": "cpu", "kind": "cpu", "memory": "dram", "backend": "reference"}]})";
}

}  // namespace tandem
