// Of what happens at one instant to requests that go together no trace tells the order: which units took
// theirs first, and, where something takes no time, what of it came before that. Some order has to explain
// it.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/check/batch_queue.h"

namespace tandem {

class OrdersOfInstant {
 public:
  // `in_rounds`: something takes no time at this date, so that units may be asked before all has come.
  OrdersOfInstant(Nanos date, bool in_rounds) : date_(date), in_rounds_(in_rounds) {}

  // A request comes; `follows`: of what ends, at this instant perhaps. One is dropped. A batch is begun.
  void Comes(const CheckedRequest& request, bool follows);
  void IsDropped(const CheckedRequest& request);
  void IsBegun(const TracedBatch& batch) { events_.push_back({nullptr, &batch}); }

  // Adds the queues to which orders lead that explain all of it.
  void Try(BatchQueue queue, std::set<BatchQueue>& after);
  // There are more orders than are tried.
  bool Exhausted() const;
  // Where no order explains it: what is wrong in the one in which units are asked.
  const std::pair<const CheckedRequest*, std::string>& wrong() const { return wrong_; }

 private:
  struct Event {
    const CheckedRequest* request;  // comes, or is dropped where it had come; null: the batch is begun
    const TracedBatch* batch;
    bool drop = false;
  };
  struct State {
    std::vector<char> happened;  // per event
    BatchQueue queue;
    friend auto operator<=>(const State&, const State&) = default;
  };

  bool Follow(State state, std::set<BatchQueue>& after);
  bool Happens(const Event& event, BatchQueue& queue, bool& hopeless);
  bool Begins(const TracedBatch& batch, BatchQueue& queue, bool& hopeless);
  bool Leaves(const CheckedRequest& request, BatchQueue& queue);

  Nanos date_;
  bool in_rounds_;
  std::vector<const CheckedRequest*> come_ = {}, dropped_ = {};  // before any unit is asked
  std::vector<Event> events_ = {};                               // in whatever order
  std::set<State> seen_ = {};
  std::size_t tried_ = 0;
  std::pair<const CheckedRequest*, std::string> wrong_ = {};
};

}  // namespace tandem
