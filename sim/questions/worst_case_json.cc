// The longest that requests can take as JSON, file kind "worst/1".
#include <nlohmann/json.hpp>

#include "profiles/base/file_kinds.h"
#include "profiles/base/json_output.h"
#include "scenarios/report/unchanged.h"
#include "sim/questions/worst_case.h"

namespace tandem {
namespace {

const Fields<ProvedLatency>& ProvedFields() {
  using P = ProvedLatency;
  const auto time = as::OrNull(as::WholeNanos());
  static const auto fields = Fields<P>("worst_latency")
                                 .Needed("deadline_ns", &P::deadline, time)
                                 .Needed("seen_ns", &P::seen, time, "The largest latency of the simulation.")
                                 .Needed("longest_ns", &P::longest, time,
                                         "No request takes longer, whatever the phases of the streams.");
  return fields;
}

const Fields<ProvedMisses>& MissesFields() {
  using M = ProvedMisses;
  static const auto fields =
      Fields<M>("worst_misses")
          .Needed("at_most", &M::at_most, as::OrNull(as::Number(0)),
                  "No more likely does one request miss its deadline, by the profile's samples.")
          .Says(
              "seen", as::Number(0), [](const M& of) { return of.seen(); },
              "The share of those that were drawn.")
          .Needed("requests", &M::requests, as::Integer(0, INT64_MAX), "Of all draws.")
          .Needed("missed", &M::missed, as::Integer(0, INT64_MAX), "Of these, dropped ones too.")
          .Needed("without_samples", &M::without_samples, as::ListOf(as::Words()),
                  "Tasks that count and have one time, which they always take.")
          .Needed(
              "as_profiled", &M::as_profiled, as::Boolean(),
              "Those are all: `at_most` is 0 or 1, what is proved of the times as profiled, and no chance.")
          .Needed("why", &M::why, as::TextOrNull(), "Why nothing is proved.");
  return fields;
}

const Fields<StreamWorstCase>& StreamWorstCaseFields() {
  using S = StreamWorstCase;
  static const auto fields =
      Fields<S>("worst_stream")
          .Needed("stream", &S::stream, as::Words())
          .Needed("unit", &S::unit, as::TextOrNull(), "That runs it; null: not one alone.")
          .Needed("work_ns", &S::work, as::OrNull(as::WholeNanos()),
                  "Of one request, undisturbed; null: not one unit alone runs it.")
          .Part(&S::own, ProvedFields())
          .Optional(
              "end_to_end", &S::end_to_end, as::ObjectOf(ProvedFields()),
              "Since the release of the request that it follows in the end. Of streams that follow others.")
          .Optional("misses", &S::misses, as::ObjectOf(MissesFields()),
                    "How likely its requests miss their own deadline; with --probability.")
          .Needed("why", &S::why, as::TextOrNull(), "Why nothing is proved.")
          .Optional("assumes", &S::assumes, as::ListOf(as::Words()),
                    "What nobody has measured, a sentence each: all that is said of it is proved if that is "
                    "so.")
          .Says(
              "keeps_deadline", as::OrNull(as::Boolean()), [](const S& of) { return of.KeepsDeadline(); },
              "It is proved, of both where it has two; null: there is no deadline.");
  return fields;
}

const Fields<PolicyWorstCase>& PolicyWorstCaseFields() {
  using P = PolicyWorstCase;
  static const auto fields =
      Fields<P>("worst_policy")
          .Needed("policy", &P::policy, as::Words())
          .Needed("label", &P::label, as::Words())
          .Needed("failed", &P::failed, as::TextOrNull(), "Why it has no run.")
          .Says(
              "keeps_all_deadlines", as::Boolean(), [](const P& of) { return of.KeepsAllDeadlines(); },
              "Of tasks that take no longer than `longer` times what the profiles say.")
          .Optional("longest_sample", &P::longest_sample, as::Number(1),
                    "The greatest sample of its tasks, as so many times the median: with `longer` of so much "
                    "it is proved of all samples. Absent where they have none.")
          .Needed("streams", &P::streams, as::ListOf(as::ObjectOf(StreamWorstCaseFields())));
  return fields;
}

const Fields<WorstCases>& WorstCasesFields() {
  using W = WorstCases;
  static const auto fields =
      Fields<W>("worst", "how long requests take at most; `tandem worst --json` prints it")
          .Kind("worst/1")
          .Needed("scenario", &W::scenario, as::Words())
          .Optional("what_if", &W::what_if, as::ListOf(as::ObjectOf(WhatIfFields())))
          .Needed("engine", &W::engine, as::WordOf({"simgrid", "virtual"}), "That saw the largest latencies.")
          .Needed("longer", &W::longer, as::Number(1),
                  "Proved of tasks that take so many times what the profiles say.")
          .Needed("estimated", &W::estimated, as::ListOf(as::Text()),
                  "What was taken for want of a measurement, a sentence each.")
          .Needed("profiles", &W::profiles, UsedProfiles())
          .Needed("policies", &W::policies, as::ListOf(as::ObjectOf(PolicyWorstCaseFields())));
  return fields;
}

const FileKindRegistration kWorstKind{{"worst/1", AsAnyFields<WorstCases, WorstCasesFields>}};

}  // namespace

std::string WorstCasesJson(const WorstCases& cases) {
  return JsonOutput(nlohmann::ordered_json::parse(WorstCasesFields().Text(cases)));
}

}  // namespace tandem
