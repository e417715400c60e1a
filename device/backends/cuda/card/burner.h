// Bursts of additions on every multiprocessor of a card, in a stream less urgent than all others.
#pragma once

#include <cstdint>
#include <memory>

#include "device/backends/cuda/card.h"
#include "device/loads/burst_duty.h"

namespace tandem::gpu {

// Used by one thread at a time.
class Burner {
 public:
  // So many blocks on each multiprocessor. Throws EnvironmentError, std::bad_alloc.
  explicit Burner(Card& card, int blocks_on_each = 1);
  ~Burner();
  Burner(const Burner&) = delete;
  Burner& operator=(const Burner&) = delete;

  // Back when it is over; how long it took on the card. The thread sleeps meanwhile, for `expected` at least:
  // a load on the card is none on the cores.
  Nanos Burst(std::int64_t rounds, Nanos expected);

 private:
  Card& card_;
  std::unique_ptr<CardStream> stream_;
  std::unique_ptr<Event> begin_, end_;
  BurnCall call_;
};

// Found out by some bursts, within a tenth of a second; best while nothing else works there.
BurstRate RateOf(Burner& burner);

}  // namespace tandem::gpu
