#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "scenarios/check/handed.h"
#include "scenarios/check/request_shape.h"
#include "scenarios/check/rules.h"

namespace tandem {
namespace {

// One request at a time: since when is what in which memory?
class InputRule {
 public:
  InputRule(const CheckedRun& run, Findings& findings) : run_(run), findings_(findings), shapes_(run) {
    for (const CheckedTask& task : run.lost) lost_.emplace(task.request, &task);
  }

  void Check(const CheckedRequest& request) {
    request_ = &request;
    shape_ = &shapes_.Of(request);
    for (std::size_t t = 0; t < shape_->reads.size(); ++t) CheckReady(t);
    CollectCopies();
    if (copies_.empty() && !AnyCopied()) return;
    PlaceTensors();
    for (const TracedSpan* copy : copies_) FollowCopy(*copy);
    for (std::size_t t = 0; t < shape_->reads.size(); ++t) CheckPresent(t);
    CheckOutputs();
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
                          "it starts before a task that makes its input ends at " + MicrosText(ready));
    } else if (run_.simulated() ? task.ready != ready : task.ready < ready) {
      findings_.Violation(
          "dates", run_.Name(task), task.start,
          "it is said to be ready at " + MicrosText(task.ready) + " and is at " + MicrosText(ready));
    }
  }

  void CollectCopies() {
    copies_.clear();
    of_lost_.clear();
    for (std::size_t t = request_->first_task; t < request_->last_task; ++t) {
      for (std::size_t i = run_.tasks[t].first_span; i < run_.tasks[t].last_span; ++i) {
        if (run_.span(i).kind == SpanKind::kTransfer) copies_.push_back(&run_.span(i));
      }
    }
    const auto [first, last] = lost_.equal_range(request_ - run_.requests.data());
    for (auto lost = first; lost != last; ++lost) {
      const CheckedTask& task = *lost->second;
      for (std::size_t i = task.first_span; i < task.last_span; ++i) {
        if (run_.span(i).kind == SpanKind::kTransfer) copies_.push_back(&run_.span(i));
        of_lost_.insert(&run_.span(i));
      }
    }
    std::stable_sort(copies_.begin(), copies_.end(),
                     [](const TracedSpan* a, const TracedSpan* b) { return a->end < b->end; });
  }

  bool AnyCopied() const {
    const auto copied = [](const RequestShape::Tensor& t) { return t.mode == TransferMode::kCopy; };
    return std::any_of(shape_->outputs.begin(), shape_->outputs.end(), copied) ||
           std::any_of(shape_->reads.begin(), shape_->reads.end(),
                       [&](const auto& reads) { return std::any_of(reads.begin(), reads.end(), copied); });
  }

  void PlaceTensors() {
    places_.clear();
    tensors_.clear();
    const CheckedTask* const handed = MakerOfInputs(run_, *request_);
    const bool by_first =
        !handed || !StaysWhereMade(run_, run_.requests[static_cast<std::size_t>(handed->request)], *handed);
    const auto place = [&](const RequestShape::Tensor& tensor) {
      const bool input = tensor.maker < 0;
      const MemoryId memory = input ? MemoryId(0) : run_.memory_of(Maker(tensor).unit);
      tensors_.emplace(TensorName(tensor), tensor.key());
      if (input && handed) {
        places_[{tensor.key(), run_.memory_of(handed->unit)}] = {request_->release, true};
        if (!by_first) return;
      }
      places_[{tensor.key(), memory}] = {input ? request_->release : Maker(tensor).work_end, true};
    };
    for (const auto& reads : shape_->reads) std::for_each(reads.begin(), reads.end(), place);
    std::for_each(shape_->outputs.begin(), shape_->outputs.end(), place);
  }

  std::string TensorName(const RequestShape::Tensor& tensor) const {
    if (tensor.maker < 0) return model().layer(tensor.layer).name;
    return run_.TensorName(run_.segment(Maker(tensor)), tensor.layer);
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
    const auto tensor = tensors_.find(name);
    const MemoryId from = Memory(copy.from), to = Memory(copy.to);
    if (!from.valid() || !to.valid() || (tensor == tensors_.end() && !model().Find(name).valid())) {
      return Wrong(copy, "it copies what the model or the platform has not");
    }
    if (!MayCopy(copy, name)) return Wrong(copy, NoCopies());
    const bool lost = of_lost_.contains(&copy);
    if (lost && !Reads(copy, name)) return;  // what it brought back is made again
    if (tensor == tensors_.end()) return Wrong(copy, "it copies \"" + name + "\" from where it is not yet");
    if (BringsBackWhatStays(copy, name)) {
      return Wrong(copy, "it brings back \"" + name +
                             "\", which stays where it was made: all that wait for " + "it read it there");
    }
    if (!Linked(from, to)) Wrong(copy, "no link leads from the one memory to the other");
    const auto source = places_.find({tensor->second, from});
    if (source == places_.end() || source->second.since > copy.start) {
      Wrong(copy, "it copies \"" + name + "\" from where it is not yet");
    }
    const auto task = TaskOf(copy);
    // Of what was lost it may be brought again: requests of one task remember nothing.
    const bool to_stay = !lost && task != LastTask() && run_.memory_of(task->unit) == to;
    const auto [place, is_new] = places_.try_emplace({tensor->second, to}, Arrival{copy.end, to_stay});
    if (!is_new && to_stay && place->second.to_stay)
      Wrong(copy, "it brings \"" + name + "\" where it is already");
    place->second.to_stay = place->second.to_stay || to_stay;
  }

  bool BringsBackWhatStays(const TracedSpan& copy, const std::string& name) const {
    const auto task = TaskOf(copy);
    return task != LastTask() && !Reads(copy, name) && StaysWhereMade(run_, *request_, *task);
  }

  std::vector<CheckedTask>::const_iterator TaskOf(const TracedSpan& copy) const {
    return std::find_if(FirstTask(), LastTask(),
                        [&](const CheckedTask& task) { return task.segment == copy.segment; });
  }

  bool Reads(const TracedSpan& copy, const std::string& name) const {
    const auto task = TaskOf(copy);
    if (task == LastTask()) return false;
    const auto& reads = shape_->reads[static_cast<std::size_t>(task - FirstTask())];
    return std::any_of(reads.begin(), reads.end(),
                       [&](const RequestShape::Tensor& read) { return TensorName(read) == name; });
  }

  // As the scenario, or an edge, says of what the task reads or of what it brings back.
  bool MayCopy(const TracedSpan& copy, const std::string& name) const {
    const auto task = TaskOf(copy);
    if (task != LastTask()) {
      const auto local = static_cast<std::int32_t>(task - FirstTask());
      for (const RequestShape::Tensor& read : shape_->reads[static_cast<std::size_t>(local)]) {
        if (TensorName(read) == name) return read.mode == TransferMode::kCopy;
      }
      for (const RequestShape::Tensor& output : shape_->outputs) {
        if (output.maker == local && TensorName(output) == name) return output.mode == TransferMode::kCopy;
      }
    }
    return run_.scenario().transfer == TransferMode::kCopy;
  }
  std::string NoCopies() const {
    return run_.edges.empty()
               ? "the scenario's \"transfer\" allows no copies"
               : "neither the scenario's \"transfer\" nor an edge of the plan allows this copy";
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
      if (read.mode != TransferMode::kCopy) continue;
      const auto place = places_.find({read.key(), memory});
      if (place != places_.end() && place->second.since <= task.work_start) continue;
      findings_.Violation("inputs", run_.Name(task), task.work_start,
                          "its input \"" + TensorName(read) + "\" is not in memory \"" +
                              run_.platform().memories[memory.index()].name + "\" by then");
    }
  }

  void CheckOutputs() const {
    if (!request_->done || !run_.run().complete) return;
    for (const RequestShape::Tensor& output : shape_->outputs) {
      if (output.mode != TransferMode::kCopy) continue;
      if (output.maker >= 0 && StaysWhereMade(run_, *request_, Maker(output))) continue;
      if (output.maker < 0 || places_.contains({output.key(), MemoryId(0)})) continue;
      findings_.Violation("copies", run_.Name(*request_), request_->end,
                          "its output \"" + TensorName(output) + "\" is never brought to the first memory");
    }
  }

  const CheckedRun& run_;
  Findings& findings_;
  RequestShapes shapes_;
  const CheckedRequest* request_ = nullptr;
  const RequestShape* shape_ = nullptr;
  std::vector<const TracedSpan*> copies_;                   // in order of end
  std::multimap<std::ptrdiff_t, const CheckedTask*> lost_;  // per request
  std::set<const TracedSpan*> of_lost_;  // of them, and what else was done of what was lost
  using Key = std::pair<LayerId, std::int32_t>;
  std::map<std::string, Key> tensors_;  // by their names in the trace
  std::map<std::pair<Key, MemoryId>, Arrival> places_;
};

}  // namespace

void CheckInputs(const CheckedRun& run, Findings& findings) {
  InputRule rule(run, findings);
  for (const CheckedRequest& request : run.requests) {
    if (request.HasTasks()) rule.Check(request);
  }
}

}  // namespace tandem
