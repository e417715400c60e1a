// dmda: each task goes, when it becomes ready, to the unit that would finish it first, by what waits there,
// what remains of what runs (there and on units that it shares cores or a device with), its own time, and
// what it costs to bring in those of its inputs that are not in the unit's memory yet: one that is there, or
// that a task sent there before it brings in, costs nothing more. A unit takes its tasks in task order, or,
// "sorted", the one with the most inputs in its memory first. Tie-break: units in the order of the platform;
// task order. Source: StarPU's dmda and dmdar.
#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "policies/engine/policy.h"
#include "policies/kinds/common_work.h"
#include "policies/problem/task_costs.h"

namespace tandem::dmda {
namespace {

struct DmdaParameters : PolicyParameters {
  bool sorted = false;
};

class DmdaPolicy final : public Policy {
 public:
  DmdaPolicy(const Problem& problem, bool sorted)
      : problem_(&problem),
        sorted_(sorted),
        costs_(problem),
        held_(problem),
        memories_(problem.platform().memories.size()),
        hands_on_(std::ranges::any_of(
            problem.scenario().streams,
            [](const Stream& stream) { return stream.ReadsFrom().valid() || stream.stays; })),
        common_(problem.platform()),
        queues_(problem.units()) {}

  void Ready(const Task& task, const Board& board) override;
  bool Take(UnitId unit, const Board& board, Task& task) override;
  void Drop(const Task& task) override;
  void SetAside(const Task& task) override;

 private:
  enum class Place : char { kAbsent, kComing, kHere };
  // Where the tensors of a request are. It lasts until the last task is taken.
  struct Request {
    std::vector<Place> places;                // per tensor and memory
    std::vector<std::int64_t> element_bytes;  // per tensor
    std::vector<UnitId> sent;                 // per task, while it waits: where
    std::int32_t left = 0;                    // tasks that were not taken
  };
  struct Waiting {
    std::int32_t inputs = 0;  // that are in the unit's memory
    Task task;
    friend bool operator<(const Waiting& a, const Waiting& b) {
      return a.inputs != b.inputs ? a.inputs > b.inputs : InTaskOrder(a.task, b.task);
    }
  };
  struct Queue {
    std::map<Waiting, Nanos> tasks;  // and how long each occupies a slot
    Nanos total{0};
  };

  const Cut& CutOf(const Task& task) const { return problem_->cut(task.stream); }
  static std::uint64_t KeyOf(const Task& task) {
    return (static_cast<std::uint64_t>(task.stream.value) << 32U) | static_cast<std::uint32_t>(task.index);
  }
  void Begin(const Cut& cut, const InputsAt& inputs, Request& request) const;
  // `board`: may know of where its inputs lie, when it is new.
  Request& Find(const Task& task, const Board* board = nullptr);
  Place& PlaceOf(Request& request, std::int32_t tensor, MemoryId memory) {
    return request.places[static_cast<std::size_t>(tensor) * memories_ + memory.index()];
  }
  UnitId& SentTo(Request& request, const Task& task) {
    return request.sent[task.segment.index() - CutOf(task).first.index()];
  }
  Nanos BringIn(const Task& task, Request& request, std::int32_t tensor, MemoryId to);
  // `stays`: what it makes is not brought back.
  Nanos Occupation(const Task& task, Request& request, UnitId unit, bool stays);
  Waiting KeyOn(const Task& task, Request& request, UnitId unit);
  void Arrives(const Task& by, Request& request, std::int32_t tensor, MemoryId memory);

  const Problem* problem_;
  bool sorted_;
  TaskCosts costs_;
  HeldModels held_;
  std::size_t memories_;
  bool hands_on_;  // do requests leave what others read where they made it?
  CommonWork common_;
  std::vector<Queue> queues_;  // per unit
  std::unordered_map<std::uint64_t, Request> requests_;
  Request of_one_task_;
  std::optional<std::pair<std::uint64_t, Request>> last_;  // whose last task was handed out, by its key
};

void DmdaPolicy::Begin(const Cut& cut, const InputsAt& inputs, Request& request) const {
  request.places.assign(cut.tensors.size() * memories_, Place::kAbsent);
  request.element_bytes.assign(cut.tensors.size(), kFp32Bytes);
  request.sent.assign(static_cast<std::size_t>(cut.segments), UnitId());
  request.left = cut.segments;
  for (std::size_t t = 0; t < cut.tensors.size(); ++t) {
    if (cut.tensors[t].producer.valid()) continue;
    if (inputs.in_first) request.places[t * memories_] = Place::kHere;
    if (inputs.maker.valid())
      request.places[t * memories_ + costs_.MemoryOf(inputs.maker).index()] = Place::kHere;
  }
}

// A request of one task leaves nothing behind: what is known of it is known of all of them, unless another
// one hands on what it reads.
DmdaPolicy::Request& DmdaPolicy::Find(const Task& task, const Board* board) {
  const Cut& cut = CutOf(task);
  const bool reads = hands_on_ && problem_->scenario().streams[task.stream.index()].ReadsFrom().valid();
  if (cut.segments == 1 && !reads) {
    Begin(cut, {}, of_one_task_);
    return of_one_task_;
  }
  const auto [found, is_new] = requests_.try_emplace(KeyOf(task));
  if (is_new) Begin(cut, board != nullptr ? board->InputsOf(task) : InputsAt{}, found->second);
  return found->second;
}

// From the nearest memory that has it, or will.
Nanos DmdaPolicy::BringIn(const Task& task, Request& request, std::int32_t tensor, MemoryId to) {
  const std::int64_t bytes =
      costs_.BytesOf(CutOf(task), tensor, request.element_bytes[static_cast<std::size_t>(tensor)]);
  Nanos least = Problem::kCannot;
  for (std::size_t m = 0; m < memories_; ++m) {
    if (PlaceOf(request, tensor, MemoryId(m)) == Place::kAbsent) continue;
    const Nanos time = costs_.Copy(MemoryId(m), to, bytes);
    if (time >= Nanos{0} && (least < Nanos{0} || time < least)) least = time;
  }
  return std::max(least, Nanos{0});
}

Nanos DmdaPolicy::Occupation(const Task& task, Request& request, UnitId unit, bool stays) {
  const MemoryId memory = costs_.MemoryOf(unit);
  Nanos copies{0};
  bool elsewhere = false;
  for (const std::int32_t tensor : problem_->segment(task.segment).reads) {
    if (PlaceOf(request, tensor, memory) != Place::kAbsent) continue;
    elsewhere = true;
    if (costs_.copies()) copies += BringIn(task, request, tensor, memory);
  }
  return held_.LoadTime(problem_->model_of(task.segment), unit) + copies +
         costs_.Work(task.segment, unit, elsewhere) + (stays ? Nanos{0} : costs_.WayBack(task.segment, unit));
}

DmdaPolicy::Waiting DmdaPolicy::KeyOn(const Task& task, Request& request, UnitId unit) {
  Waiting key{0, task};
  const auto& reads = problem_->segment(task.segment).reads;
  if (!sorted_) return key;
  key.inputs = static_cast<std::int32_t>(std::count_if(reads.begin(), reads.end(), [&](std::int32_t tensor) {
    return PlaceOf(request, tensor, costs_.MemoryOf(unit)) == Place::kHere;
  }));
  return key;
}

void DmdaPolicy::Ready(const Task& task, const Board& board) {
  Request& request = Find(task, &board);
  const bool stays = hands_on_ && board.Stays(task);
  UnitId best;
  Nanos earliest{0}, occupation{0};
  for (std::size_t u = 0; u < problem_->units(); ++u) {
    const UnitId unit(u);
    if (!problem_->Runs(task.segment, unit)) continue;
    const auto busy_for = [&](UnitId of, Nanos running) {
      return (queues_[of.index()].total + running) / problem_->platform().unit(of).AtFullSpeed();
    };
    const Nanos before = common_.Before(unit, busy_for(unit, board.Remaining(unit)), [&](UnitId other) {
      return busy_for(other, board.KeepsOffFor(other));
    });
    const Nanos takes = Occupation(task, request, unit, stays);
    if (best.valid() && before + takes >= earliest) continue;
    best = unit;
    earliest = before + takes;
    occupation = takes;
  }
  Queue& queue = queues_[best.index()];
  queue.tasks.emplace(KeyOn(task, request, best), occupation);
  queue.total += occupation;
  SentTo(request, task) = best;
  held_.Use(problem_->model_of(task.segment), best);
  for (const std::int32_t tensor : problem_->segment(task.segment).reads) {
    Place& place = PlaceOf(request, tensor, costs_.MemoryOf(best));
    if (costs_.copies() && place == Place::kAbsent) place = Place::kComing;
  }
}

// From now on the tensor is in the memory, or on the way to it: that moves those forward that wait for it.
void DmdaPolicy::Arrives(const Task& by, Request& request, std::int32_t tensor, MemoryId memory) {
  Place& place = PlaceOf(request, tensor, memory);
  if (place == Place::kHere) return;
  std::vector<std::pair<UnitId, Waiting>> before;
  for (const SegmentId reader : CutOf(by).tensors[static_cast<std::size_t>(tensor)].consumers) {
    Task task = by;
    task.segment = reader;
    const UnitId unit = SentTo(request, task);
    if (unit.valid() && costs_.MemoryOf(unit) == memory)
      before.emplace_back(unit, KeyOn(task, request, unit));
  }
  place = Place::kHere;
  for (const auto& [unit, key] : before) {
    std::map<Waiting, Nanos>& tasks = queues_[unit.index()].tasks;
    auto moved = tasks.extract(key);
    moved.key().inputs = KeyOn(key.task, request, unit).inputs;
    tasks.insert(std::move(moved));
  }
}

bool DmdaPolicy::Take(UnitId unit, const Board&, Task& task) {
  Queue& queue = queues_[unit.index()];
  if (queue.tasks.empty()) return false;
  const auto first = queue.tasks.begin();
  task = first->first.task;
  queue.total -= first->second;
  queue.tasks.erase(first);
  Request& request = Find(task);
  SentTo(request, task) = UnitId();
  const MemoryId memory = costs_.MemoryOf(unit);
  for (const std::int32_t tensor : problem_->segment(task.segment).reads) {
    if (costs_.copies()) Arrives(task, request, tensor, memory);
  }
  for (const std::int32_t tensor : problem_->segment(task.segment).makes) {
    request.element_bytes[static_cast<std::size_t>(tensor)] = problem_->ElementBytes(unit);
    PlaceOf(request, tensor, memory) = Place::kHere;
  }
  if (--request.left > 0) return true;
  if (CutOf(task).segments > 1) last_ = {KeyOf(task), std::move(request)};  // it may be set aside
  requests_.erase(KeyOf(task));
  return true;
}

void DmdaPolicy::Drop(const Task& task) {
  Request& request = Find(task);
  for (std::size_t u = 0; u < queues_.size(); ++u) {
    const auto found = queues_[u].tasks.find(KeyOn(task, request, UnitId(u)));
    if (found == queues_[u].tasks.end()) continue;
    queues_[u].total -= found->second;
    queues_[u].tasks.erase(found);
  }
  SentTo(request, task) = UnitId();
  const auto waits = [](UnitId sent) { return sent.valid(); };
  if (std::none_of(request.sent.begin(), request.sent.end(), waits)) requests_.erase(KeyOf(task));
}

// It has made nothing yet, and is to be taken again.
void DmdaPolicy::SetAside(const Task& task) {
  auto found = requests_.find(KeyOf(task));
  if (found == requests_.end() && last_ && last_->first == KeyOf(task)) {
    found = requests_.insert(std::move(*last_)).first;
    last_.reset();
  }
  if (found == requests_.end()) return;
  ++found->second.left;
  for (const std::int32_t tensor : problem_->segment(task.segment).makes) {
    for (std::size_t m = 0; m < memories_; ++m) PlaceOf(found->second, tensor, MemoryId(m)) = Place::kAbsent;
  }
}

const Fields<DmdaParameters>& Keys() {
  static const auto fields =
      Fields<DmdaParameters>().Optional("sorted", &DmdaParameters::sorted, as::Boolean(),
                                        "a unit takes the task with the most inputs in its memory first");
  return fields;
}

std::vector<std::string> Variants(const Scenario&) {
  return {R"("dmda")", R"({"name": "dmda", "label": "dmda sorted", "sorted": true})"};
}

Prepared Make(const PolicySpec& spec, const Problem& problem) {
  return std::make_unique<DmdaPolicy>(problem, spec.As<DmdaParameters>().sorted);
}

const PolicyRegistration kDmda{
    {.name = "dmda",
     .summary =
         "each task goes, when it is ready, to the unit that would finish it first, its transfers counted",
     .keys = KeysFrom<Keys>(),
     .variants = Variants,
     .make = Make}};

}  // namespace
}  // namespace tandem::dmda
