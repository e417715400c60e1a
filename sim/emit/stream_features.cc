// What streams ask for.
#include <algorithm>
#include <variant>

#include "profiles/base/decimal.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "sim/emit/features.h"

namespace tandem {
namespace {

std::string MicrosText(Nanos time) { return DecimalText(time.count(), 3) + " us"; }

// Of each stream what `says` of it; empty: nothing.
template <class Says>
std::vector<FeatureUse> OfStreams(const Deployment& deployment, Says says) {
  std::vector<FeatureUse> uses;
  const std::vector<Stream>& streams = deployment.scenario().streams;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    const std::string what = says(streams[s]);
    if (!what.empty()) uses.push_back({"stream " + Quoted(streams[s].name) + ": " + what, StreamId(s)});
  }
  return uses;
}

template <class Says>
std::vector<FeatureUse> OfFollowers(const Deployment& deployment, Says says) {
  return OfStreams(deployment, [&](const Stream& stream) {
    const auto* link = std::get_if<DependentArrival>(&stream.arrival);
    return link != nullptr ? says(*link) : std::string();
  });
}

template <class Says>
std::vector<FeatureUse> OfBatching(const Deployment& deployment, Says says) {
  return OfStreams(deployment, [&](const Stream& stream) {
    return stream.batching ? says(*stream.batching) : std::string();
  });
}

std::vector<FeatureUse> UsesArrivals(const Deployment&) { return {{"when requests come"}}; }

std::vector<FeatureUse> UsesInFlight(const Deployment& deployment) {
  return OfStreams(deployment, [](const Stream& stream) {
    const auto* closed = std::get_if<ClosedArrival>(&stream.arrival);
    if (closed == nullptr) return std::string();
    return "that it has " + std::to_string(closed->in_flight) + " in flight" +
           (closed->per_query > 1 ? ", queries of " + std::to_string(closed->per_query) : "");
  });
}

std::vector<FeatureUse> UsesFollowing(const Deployment& deployment) {
  return OfFollowers(deployment, [](const DependentArrival&) {
    return std::string("that each request follows one of another stream");
  });
}

std::vector<FeatureUse> UsesChance(const Deployment& deployment) {
  return OfFollowers(deployment, [](const DependentArrival& link) {
    return link.probability < 1 ? std::string("that one follows with a probability alone") : std::string();
  });
}

std::vector<FeatureUse> UsesEvery(const Deployment& deployment) {
  return OfFollowers(deployment, [](const DependentArrival& link) {
    return link.every > 1 ? "that one in " + std::to_string(link.every) + " is followed" : std::string();
  });
}

std::vector<FeatureUse> UsesJoins(const Deployment& deployment) {
  return OfFollowers(deployment, [](const DependentArrival& link) {
    return link.joins.empty() ? std::string()
                              : std::string("that its requests come when all that they join have ended");
  });
}

std::vector<FeatureUse> UsesFanOut(const Deployment& deployment) {
  return OfFollowers(deployment, [](const DependentArrival& link) {
    return link.drawn_as.empty() ? std::string()
                                 : "that several requests may follow one (" + Quoted(link.drawn_as) + ")";
  });
}

std::vector<FeatureUse> UsesData(const Deployment& deployment) {
  return OfFollowers(deployment, [](const DependentArrival& link) {
    return link.data ? std::string("that its requests read what those before them have made") : std::string();
  });
}

std::vector<FeatureUse> UsesUrgency(const Deployment& deployment) {
  return OfStreams(deployment, [](const Stream& stream) {
    return stream.priority != 0 ? "priority " + std::to_string(stream.priority) : std::string();
  });
}

std::vector<FeatureUse> UsesCritical(const Deployment& deployment) {
  return OfStreams(deployment,
                   [](const Stream& stream) { return std::string(stream.critical ? "critical" : ""); });
}

std::vector<FeatureUse> UsesDeadlines(const Deployment& deployment) {
  return OfStreams(deployment, [](const Stream& stream) {
    return stream.deadline ? "deadline of " + MicrosText(*stream.deadline) : std::string();
  });
}

std::vector<FeatureUse> UsesDeadlinesOfChains(const Deployment& deployment) {
  return OfStreams(deployment, [](const Stream& stream) {
    return stream.end_to_end_deadline
               ? "deadline from end to end of " + MicrosText(*stream.end_to_end_deadline)
               : std::string();
  });
}

std::vector<FeatureUse> UsesDropLate(const Deployment& deployment) {
  return OfStreams(deployment,
                   [](const Stream& stream) { return std::string(stream.drop_late ? "drop_late" : ""); });
}

std::vector<FeatureUse> UsesKeepLatest(const Deployment& deployment) {
  return OfStreams(deployment,
                   [](const Stream& stream) { return std::string(stream.keep_latest ? "keep_latest" : ""); });
}

std::vector<FeatureUse> UsesBatch(const Deployment& deployment) {
  return OfStreams(deployment, [](const Stream& stream) {
    return stream.batch > 1 ? "that a request is " + std::to_string(stream.batch) + " inferences"
                            : std::string();
  });
}

std::vector<FeatureUse> UsesBatching(const Deployment& deployment) {
  return OfBatching(deployment, [](const Batching& batching) {
    return "that up to " + std::to_string(batching.most) + " requests which wait are begun together";
  });
}

std::vector<FeatureUse> UsesBatchWait(const Deployment& deployment) {
  return OfBatching(deployment, [](const Batching& batching) {
    return batching.wait > Nanos{0} ? "that one waits " + MicrosText(batching.wait) + " for company"
                                    : std::string();
  });
}

std::vector<FeatureUse> UsesBatchPreferred(const Deployment& deployment) {
  return OfBatching(deployment, [](const Batching& batching) {
    return batching.preferred.empty() ? std::string()
                                      : "that batches of " + Joined(batching.preferred) + " are preferred";
  });
}

std::vector<FeatureUse> UsesBatchAcross(const Deployment& deployment) {
  return OfBatching(deployment, [](const Batching& batching) {
    return std::string(batching.across ? "that batches form across streams" : "");
  });
}

}  // namespace

std::vector<Feature> StreamFeatures() {
  constexpr std::string_view kSender = "who sends requests has to do it";
  constexpr std::string_view kOneByOne = "* runs each by itself";
  return {
      {"arrivals",
       "when requests come",
       {"scenario.seed", "stream.arrival", "stream.count", "stream.duration_ms", "arrival.type",
        "arrival.fps", "arrival.period_us", "arrival.phase_us", "arrival.jitter_us", "arrival.rate_per_s",
        "arrival.qps", "arrival.target_qps", "arrival.file", "arrival.intervals", "arrival.min_query_count",
        "arrival.min_duration_ms"},
       kSender,
       UsesArrivals},
      {"in_flight",
       "so many requests in flight",
       {"arrival.in_flight", "arrival.samples_per_query"},
       kSender,
       UsesInFlight},
      {"depends_on",
       "requests that follow others",
       {"stream.depends_on", "dependency.stream"},
       kSender,
       UsesFollowing},
      {"probability", "by chance", {"dependency.probability"}, kSender, UsesChance},
      {"every", "each n-th alone", {"dependency.every"}, kSender, UsesEvery},
      {"joins", "when several have ended", {"dependency.joins"}, kSender, UsesJoins},
      {"times", "several that follow one", {"dependency.times"}, kSender, UsesFanOut},
      {"data", "results that are read by the next", {"dependency.data"}, kSender, UsesData},
      {"priorities", "priorities", {"stream.priority"}, "* knows none", UsesUrgency},
      {"critical",
       "units kept for critical streams",
       {"stream.critical"},
       "* keeps no unit from other streams while it waits",
       UsesCritical},
      {"deadline",
       "deadlines",
       {"stream.deadline_us", "arrival.target_latency_us", "scenario.rules"},
       "* does not count it",
       UsesDeadlines},
      {"end_to_end_deadline",
       "deadlines of chains",
       {"stream.end_to_end_deadline_us"},
       "* does not count it",
       UsesDeadlinesOfChains},
      {"drop_late", "what is late is dropped", {"stream.drop_late"}, "* drops nothing late", UsesDropLate},
      {"keep_latest",
       "only the newest are kept",
       {"stream.keep_latest"},
       "* drops no request for a newer one",
       UsesKeepLatest},
      {"batch", "several inferences of one request", {"stream.batch"}, kOneByOne, UsesBatch},
      {"batching", "requests begun together", {"stream.batching", "batching.most"}, kOneByOne, UsesBatching},
      {"batching_wait", "waiting for company", {"batching.wait_us"}, "* waits for nobody", UsesBatchWait},
      {"batching_preferred", "sizes of batches", {"batching.preferred"}, kOneByOne, UsesBatchPreferred},
      {"batching_across", "batches of several streams", {"batching.across"}, kOneByOne, UsesBatchAcross},
  };
}

}  // namespace tandem
