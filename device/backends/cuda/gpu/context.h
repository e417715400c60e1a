// What the executables of one processor share: the card, the stream, memory that nobody keeps anything in.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "device/backends/cuda/card.h"
#include "device/backends/cuda/gpu/buffer.h"
#include "device/processor/processor.h"
#include "profiles/base/time.h"

namespace tandem::gpu {

// What is found out by measuring unless it is said here.
struct GpuOptions {
  std::optional<Format> format;  // of images inside a segment
  std::optional<bool> graph;     // does a segment start as one graph?
  int rounds = 3, runs = 4;      // that a way to compute a layer is tried
  // Where the tensors lie that segments are to work between. A graph is of use between those of the card
  // alone.
  Space tensors = Space::kCard;
  // So long trials of the layers of one model take at most, all in all; then what the library thinks best is
  // taken as it is.
  Nanos trials{60'000'000'000};
  bool go_on = false;       // with what was left untried when there was less time
  int parts = 1, part = 0;  // of so many equal ones of the card it has that one
};

class GpuContext {
 public:
  GpuContext(Card& card, std::string unit, Element element, Math math, GpuOptions options);

  Card& card() const { return card_; }
  // Whose choices of kernels these are: "NVIDIA X", "NVIDIA X, one of 2 parts".
  std::string CardName() const;
  CardStream& stream() const { return *stream_; }
  const std::string& unit() const { return unit_; }
  Element element() const { return element_; }  // of what convolutions and products work on
  Math math() const { return math_; }
  const GpuOptions& options() const { return options_; }

  // The most that a way to compute a convolution may use.
  std::size_t MostWorkspace() const;
  // From here on it is this model's layers that are tried.
  void BeginModel(const std::string& name);
  Nanos TrialsLeft() const { return options_.trials - tried_; }
  void Tried(Nanos time) { tried_ += time; }
  // Is there time now to try what was not when this was chosen?
  bool GoesOnWith(std::string_view choice) const {
    return options_.go_on && TrialsLeft() > Nanos(0) && IsUnfinished(choice);
  }
  // Clocks rise with work alone: does it until they have, unless there was some just now.
  void WarmUp(const std::function<void()>& work);

  // At least so many bytes of the card for the length of a run, of which there is one at a time: executables
  // share them. Graphs note where they lie, so whoever runs there keeps them.
  std::shared_ptr<const GpuBuffer> Scratch(std::size_t bytes);

  // Pinned memory by way of which other memory of the host is copied, for the length of a run.
  void ReserveStaging(std::size_t bytes);
  std::byte* staging() const { return staging_.data(); }

 private:
  Card& card_;
  std::unique_ptr<CardStream> stream_;
  std::string unit_;
  Element element_;
  Math math_;
  GpuOptions options_;
  std::shared_ptr<const GpuBuffer> scratch_ = std::make_shared<GpuBuffer>();
  GpuBuffer staging_;
  std::string model_;
  Nanos tried_{0};
  std::optional<Nanos> warm_;  // when it last was
};

}  // namespace tandem::gpu
