#include <algorithm>
#include <map>
#include <optional>

#include "scenarios/request_shape.h"
#include "scenarios/trace_rules.h"

namespace tandem {
namespace {

// One request at a time: since when is what in which memory?
class InputRule {
 public:
  InputRule(const CheckedRun& run, Findings& findings) : run_(run), findings_(findings), shapes_(run) {}

  void Check(const CheckedRequest& request) {
    request_ = &request;
    shape_ = &shapes_.Of(request);
    for (std::size_t t = 0; t < shape_->reads.size(); ++t) CheckReady(t);
    CollectCopies();
    if (run_.scenario().transfer == TransferMode::kCopy) {
      PlaceTensors();
      for (const TracedSpan* copy : copies_) FollowCopy(*copy);
      for (std::size_t t = 0; t < shape_->reads.size(); ++t) CheckPresent(t);
      CheckOutputs();
    } else {
      for (const TracedSpan* copy : copies_) Wrong(*copy, "the scenario's \"transfer\" allows no copies");
    }
  }

 private:
  struct Arrival {
    Nanos since{0};
    bool to_stay = false;  // made there or brought for a task there, else passing through
  };

  const CheckedTask& Task(std::size_t local) const { return run_.tasks[request_->first_task + local]; }
  const CheckedTask& Maker(const RequestShape::Tensor& tensor) const {
    return Task(static_cast<std::size_t>(tensor.maker));
  }
  const Model& model() const { return run_.model(run_.stream(request_->stream).model); }
  void Wrong(const TracedSpan& copy, std::string what) const {
    findings_.Violation("copies", run_.Name(copy), copy.start, std::move(what));
  }

  void CheckReady(std::size_t local) const {
    const CheckedTask& task = Task(local);
    Nanos ready = task.release;
    for (const RequestShape::Tensor& read : shape_->reads[local]) {
      if (read.maker >= 0) ready = std::max(ready, Maker(read).end);
    }
    if (task.start < ready) {
      findings_.Violation("inputs", run_.Name(task), task.start,
                          "it starts before a task that makes its input ends at " + InMicros(ready));
    } else if (run_.simulated() ? task.ready != ready : task.ready < ready) {
      findings_.Violation(
          "dates", run_.Name(task), task.start,
          "it is said to be ready at " + InMicros(task.ready) + " and is at " + InMicros(ready));
    }
  }

  void CollectCopies() {
    copies_.clear();
    for (std::size_t t = request_->first_task; t < request_->last_task; ++t) {
      for (std::size_t i = run_.tasks[t].first_span; i < run_.tasks[t].last_span; ++i) {
        if (run_.span(i).kind == SpanKind::kTransfer) copies_.push_back(&run_.span(i));
      }
    }
    std::stable_sort(copies_.begin(), copies_.end(),
                     [](const TracedSpan* a, const TracedSpan* b) { return a->end < b->end; });
  }

  void PlaceTensors() {
    places_.clear();
    const auto place = [&](const RequestShape::Tensor& tensor) {
      const bool input = tensor.maker < 0;
      const MemoryId memory = input ? MemoryId(0) : run_.memory_of(Maker(tensor).unit);
      places_[{tensor.layer, memory}] = {input ? request_->release : Maker(tensor).work_end, true};
    };
    for (const auto& reads : shape_->reads) std::for_each(reads.begin(), reads.end(), place);
    std::for_each(shape_->outputs.begin(), shape_->outputs.end(), place);
  }

  MemoryId Memory(std::int32_t name) const {
    return run_.platform().FindMemory(run_.run().names[static_cast<std::size_t>(name)]);
  }

  bool Linked(MemoryId from, MemoryId to) const {
    const auto& links = run_.platform().links;
    return std::any_of(links.begin(), links.end(), [&](const Link& link) {
      return (link.from == from && link.to == to) || (link.from == to && link.to == from);
    });
  }

  void FollowCopy(const TracedSpan& copy) {
    const std::string& name = run_.run().names[static_cast<std::size_t>(copy.tensor)];
    const LayerId tensor = model().Find(name);
    const MemoryId from = Memory(copy.from), to = Memory(copy.to);
    if (!tensor.valid() || !from.valid() || !to.valid()) {
      return Wrong(copy, "it copies what the model or the platform has not");
    }
    if (!Linked(from, to)) Wrong(copy, "no link leads from the one memory to the other");
    const auto source = places_.find({tensor, from});
    if (source == places_.end() || source->second.since > copy.start) {
      Wrong(copy, "it copies \"" + name + "\" from where it is not yet");
    }
    const auto task = std::find_if(FirstTask(), LastTask(),
                                   [&](const CheckedTask& t) { return t.segment == copy.segment; });
    const bool to_stay = task != LastTask() && run_.memory_of(task->unit) == to;
    const auto [place, is_new] = places_.try_emplace({tensor, to}, Arrival{copy.end, to_stay});
    if (!is_new && to_stay && place->second.to_stay)
      Wrong(copy, "it brings \"" + name + "\" where it is already");
    place->second.to_stay = place->second.to_stay || to_stay;
  }

  std::vector<CheckedTask>::const_iterator FirstTask() const {
    return run_.tasks.begin() + static_cast<std::ptrdiff_t>(request_->first_task);
  }
  std::vector<CheckedTask>::const_iterator LastTask() const {
    return run_.tasks.begin() + static_cast<std::ptrdiff_t>(request_->last_task);
  }

  void CheckPresent(std::size_t local) const {
    const CheckedTask& task = Task(local);
    const MemoryId memory = run_.memory_of(task.unit);
    for (const RequestShape::Tensor& read : shape_->reads[local]) {
      const auto place = places_.find({read.layer, memory});
      if (place != places_.end() && place->second.since <= task.work_start) continue;
      findings_.Violation("inputs", run_.Name(task), task.work_start,
                          "its input \"" + model().layer(read.layer).name + "\" is not in memory \"" +
                              run_.platform().memories[memory.index()].name + "\" by then");
    }
  }

  void CheckOutputs() const {
    if (!request_->done || !run_.run().complete) return;
    for (const RequestShape::Tensor& output : shape_->outputs) {
      if (output.maker < 0 || places_.contains({output.layer, MemoryId(0)})) continue;
      findings_.Violation(
          "copies", run_.Name(*request_), request_->end,
          "its output \"" + model().layer(output.layer).name + "\" is never brought to the first memory");
    }
  }

  const CheckedRun& run_;
  Findings& findings_;
  RequestShapes shapes_;
  const CheckedRequest* request_ = nullptr;
  const RequestShape* shape_ = nullptr;
  std::vector<const TracedSpan*> copies_;  // in order of end
  std::map<std::pair<LayerId, MemoryId>, Arrival> places_;
};

}  // namespace

void CheckInputs(const CheckedRun& run, Findings& findings) {
  InputRule rule(run, findings);
  for (const CheckedRequest& request : run.requests) {
    if (!request.dropped) rule.Check(request);
  }
}

}  // namespace tandem
