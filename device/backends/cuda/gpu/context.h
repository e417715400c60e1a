// What the executables of one processor share: the card, the stream, memory that nobody keeps anything in.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "device/backends/cuda/card.h"
#include "device/backends/cuda/gpu/buffer.h"

namespace tandem::gpu {

// What is found out by measuring unless it is said here.
struct GpuOptions {
  std::optional<Format> format;  // of images inside a segment
  std::optional<bool> graph;     // does a segment start as one graph?
  int rounds = 3, runs = 4;      // that a way to compute a layer is tried
  // Where the tensors lie that segments are to work between. A graph is of use between those of the card
  // alone.
  Space tensors = Space::kCard;
};

class GpuContext {
 public:
  GpuContext(Card& card, std::string unit, Element element, Math math, int urgency, GpuOptions options);

  Card& card() const { return card_; }
  CardStream& stream() const { return *stream_; }
  const std::string& unit() const { return unit_; }
  Element element() const { return element_; }  // of what convolutions and products work on
  Math math() const { return math_; }
  const GpuOptions& options() const { return options_; }

  // The most that a way to compute a convolution may use.
  std::size_t MostWorkspace() const;
  // At least so many bytes of the card, for the length of a call; graphs note where it lies, so whoever works
  // with it keeps it.
  std::shared_ptr<const GpuBuffer> Workspace(std::size_t bytes);

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
  std::shared_ptr<const GpuBuffer> workspace_ = std::make_shared<GpuBuffer>();
  GpuBuffer staging_;
};

}  // namespace tandem::gpu
