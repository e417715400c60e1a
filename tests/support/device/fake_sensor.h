// A sensor whose draw a test sets, and a clock that goes on only when somebody sleeps.
#pragma once

#include <atomic>
#include <memory>

#include "device/energy/meter.h"
#include "profiles/base/input_error.h"

namespace tandem {

struct FakeBoard {
  std::atomic<std::int64_t> now{0};  // ns; a thread that polls looks at it too
  std::atomic<double> watts = 10;
  bool broken = false;
  Nanos update = std::chrono::milliseconds{100};
  bool whole_board = false;
  std::string_view covers = "cpu";  // the backend whose units it does
};

class FakeSensor final : public EnergySensor {
 public:
  explicit FakeSensor(FakeBoard& board) : board_(&board) {}
  std::string name() const override { return "fake"; }
  double Joules() override {
    if (board_->broken) throw EnvironmentError("fake: it broke");
    return sum_.Joules(Nanos{board_->now}, board_->watts);
  }
  Nanos update() const override { return board_->update; }
  Nanos call_within() const override { return std::chrono::seconds{10}; }
  bool Covers(const Unit& unit) const override {
    return unit.backend != nullptr && unit.backend->name == board_->covers;
  }
  bool OfWholeBoard() const override { return board_->whole_board; }

 private:
  FakeBoard* board_;
  SummedPower sum_;
};

// With a kind that is not there beside it. Every look at the clock takes `tick`.
inline std::unique_ptr<EnergyMeter> FakeMeter(FakeBoard& board, Nanos tick = Nanos{0}) {
  std::vector<EnergySensors> found;
  found.push_back({"none", {}, "out of stock"});
  found.push_back({"fake", {}, ""});
  found.back().sensors.push_back(std::make_unique<FakeSensor>(board));
  return std::make_unique<EnergyMeter>(
      std::move(found), [&board, tick] { return Nanos{board.now += tick.count()}; },
      [&board](Nanos time) { board.now += time.count(); });
}

}  // namespace tandem
