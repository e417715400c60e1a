#include "sim/emit/triton_queues.h"

#include <algorithm>
#include <set>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/model/model_export.h"

namespace tandem::triton_server {
namespace {

std::int64_t WholeMicros(Nanos time) { return std::max<std::int64_t>(time.count() / 1000, 1); }

}  // namespace

Queues::Queues(const Deployment& deployment, const Serving& serving, const std::vector<DeployedCut>& cuts)
    : deployment_(deployment), serving_(serving), cuts_(cuts) {
  for (const Stream& stream : scenario().streams) {
    if (!stream.batching || why_of_one_batch_.contains(stream.model)) continue;
    try {
      CheckAnyBatch(scenario().model(stream.model).model->WithBatch(1));
    } catch (const InputError& error) {
      why_of_one_batch_[stream.model] = error.what();
    }
  }
}

const DeployedCut& Queues::CutOf(StreamId stream) const {
  return cuts_[deployment_.problem().cut_of(stream).index()];
}

std::vector<StreamId> Queues::StreamsOf(const DeployedCut& cut) const {
  std::vector<StreamId> streams;
  for (std::size_t s = 0; s < scenario().streams.size(); ++s) {
    if (&CutOf(StreamId(s)) == &cut) streams.emplace_back(s);
  }
  return streams;
}

const Batching* Queues::BatchingOf(const Served& served) const {
  if (served.engine || why_of_one_batch_.contains(served.cut->cut->model)) return nullptr;
  for (const StreamId id : StreamsOf(*served.cut)) {
    const Stream& stream = scenario().streams[id.index()];
    if (stream.batching) return &*stream.batching;
  }
  return nullptr;
}

// By level, how long a request waits for an instance before it is dropped: where all streams of the level
// say the same drop_late, and that by its own release alone. Of a model that is cut each part has a queue,
// and a request no time of its own.
std::map<std::int64_t, Nanos> Queues::DropsOf(const DeployedCut& cut) const {
  std::map<std::int64_t, Nanos> drops;
  if (!cut.whole()) return drops;
  std::map<std::int64_t, std::set<Nanos>> waits;
  for (const StreamId id : StreamsOf(cut)) {
    const Stream& stream = scenario().streams[id.index()];
    const bool of_own = stream.drop_late && !stream.end_to_end_deadline;
    waits[serving_.levels[id.index()]].insert(of_own ? *stream.deadline : Nanos{0});
  }
  for (const auto& [level, times] : waits) {
    if (times.size() == 1 && *times.begin() > Nanos{0}) drops[level] = *times.begin();
  }
  return drops;
}

void Queues::Write(const Served& served, TextProto& proto) const {
  const std::int64_t levels = serving_.of_levels[served.cut->cut->model.index()];
  const auto drops = DropsOf(*served.cut);
  const Batching* const batching = BatchingOf(served);
  if (levels < 2 && drops.empty() && batching == nullptr) return;
  proto.Open("dynamic_batching");
  if (batching != nullptr && !batching->preferred.empty()) {
    proto.Numbers("preferred_batch_size", batching->preferred);
  }
  if (batching != nullptr && batching->wait > Nanos{0}) {
    proto.Number("max_queue_delay_microseconds", WholeMicros(batching->wait));
  }
  if (levels > 1) {
    proto.Number("priority_levels", levels);
    proto.Number("default_priority_level", levels);
  }
  for (const auto& [level, wait] : drops) {
    proto.Open(levels > 1 ? "priority_queue_policy" : "default_queue_policy");
    if (levels > 1) {
      proto.Number("key", level);
      proto.Open("value");
    }
    proto.Word("timeout_action", "REJECT");
    proto.Number("default_timeout_microseconds", WholeMicros(wait));
    if (levels > 1) proto.Close();
    proto.Close();
  }
  proto.Close();
}

void Queues::SayOfDrops(StreamId id, Emitted& emitted) const {
  if (!DropsOf(CutOf(id)).contains(serving_.levels[id.index()])) return;
  emitted.Expresses("drop_late", id);
  emitted.Lacks("stream " + Quoted(scenario().streams[id.index()].name) +
                ": drop_late: Triton drops what waits for an instance beyond its deadline; what an instance "
                "has taken runs, however late");
}

// One queue, one rule for all that comes into it.
void Queues::SayOfOthers(const DeployedCut& cut, StreamId first, Emitted& emitted) const {
  const Stream& of = scenario().streams[first.index()];
  for (const StreamId id : StreamsOf(cut)) {
    if (id == first) continue;
    const Stream& stream = scenario().streams[id.index()];
    const std::string head = "stream " + Quoted(stream.name) + ": ";
    if (!stream.batching) {
      emitted.Lacks(head +
                    "that its requests run one by one: Triton puts them together with those of stream " +
                    Quoted(of.name) + ", which has the same model");
    } else if (*stream.batching != *of.batching) {
      emitted.Lacks(head + "its own \"batching\": Triton has one for a model, that of stream " +
                    Quoted(of.name));
    } else if (!stream.batching->across) {
      emitted.Lacks(head + "that its batches are of its requests alone: Triton takes those of stream " +
                    Quoted(of.name) + " along");
    }
  }
}

void Queues::SayOfBatches(const DeployedCut& cut, const std::vector<Served>& served_list,
                          Emitted& emitted) const {
  const std::vector<StreamId> streams = StreamsOf(cut);
  const auto first = std::find_if(streams.begin(), streams.end(), [&](StreamId id) {
    return scenario().streams[id.index()].batching.has_value();
  });
  if (first == streams.end()) return;
  const std::string head = "model " + Quoted(cut.name) + ": that requests go together (\"batching\"): ";
  if (const auto why = why_of_one_batch_.find(cut.cut->model); why != why_of_one_batch_.end()) {
    emitted.Lacks(head + "its file is of one request, since it cannot be of more: " + why->second);
    return;
  }
  bool together = false;
  for (const Served& served : served_list) {
    if (served.cut != &cut) continue;
    together = together || !served.engine;
    if (served.engine) {
      emitted.Lacks(head + Quoted(served.name) +
                    " is an engine for a DLA, which is of one batch: it runs them "
                    "one by one");
    }
  }
  if (!together) return;
  SayOfOthers(cut, *first, emitted);
  const Batching& rule = *scenario().streams[first->index()].batching;
  if (!rule.preferred.empty() && rule.wait > Nanos{0}) {
    emitted.Lacks(head + "with preferred sizes Triton waits no longer than until one of them is full");
  }
}

void Queues::Say(const std::vector<Served>& served, Emitted& emitted) const {
  for (std::size_t s = 0; s < scenario().streams.size(); ++s) SayOfDrops(StreamId(s), emitted);
  for (const DeployedCut& cut : cuts_) SayOfBatches(cut, served, emitted);
  for (std::size_t s = 0; s < scenario().streams.size(); ++s) {
    const Stream& stream = scenario().streams[s];
    if (serving_.of_levels[stream.model.index()] < 2) continue;
    emitted.Lacks("stream " + Quoted(stream.name) + ": its priority is level " +
                  std::to_string(serving_.levels[s]) + " of its model, which each request has to say");
  }
}

}  // namespace tandem::triton_server
