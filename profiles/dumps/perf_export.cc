// perf_analyzer's requests (--profile-export-file FILE.json): per experiment every request with when it was
// sent and when its answers came, in nanoseconds. The time from the one to the last of the others is a sample
// of what the client saw, so that the experiment has to be one with one request in flight.
#include "profiles/base/input_error.h"
#include "profiles/base/json_reader.h"
#include "profiles/dumps/dump.h"

namespace tandem::perf_export {
namespace {

constexpr std::int64_t kMostInFlight = 1'000'000;
constexpr std::int64_t kLongest = 10'000'000'000'000'000;  // ns

Nanos SampleOf(const JsonReader& request) {
  const JsonReader sent = request.Get("timestamp"), answers = request.Get("response_timestamps");
  if (answers.size() == 0) answers.Fail("the request has no answer");
  std::uint64_t last = 0;
  for (const JsonReader answer : answers.Elements()) last = answer.Unsigned();
  if (last < sent.Unsigned()) answers.Fail("the answer came before the request was sent");
  if (last - sent.Unsigned() > static_cast<std::uint64_t>(kLongest)) answers.Fail("beyond all reason");
  return Nanos{static_cast<std::int64_t>(last - sent.Unsigned())};
}

WholeModelRow RowOf(const JsonReader& experiment) {
  WholeModelRow row;
  row.place = experiment.Where();
  row.with_waiting = true;
  const JsonReader load = experiment.Get("experiment");
  const bool closed = load.Get("mode").String() == "concurrency";
  row.in_flight = closed ? load.Get("value").Integer(1, kMostInFlight) : 0;
  if (!closed) {
    load.Get("mode").Fail("requests may have waited for each other; measure with a concurrency of 1");
  }
  std::vector<Nanos> samples;
  for (const JsonReader request : experiment.Get("requests").Elements()) samples.push_back(SampleOf(request));
  if (samples.empty()) experiment.Get("requests").Fail("is empty");
  row.statistic = std::to_string(samples.size()) + " latencies as the client saw them";
  row.time = Timing::OfSamples(std::move(samples));
  return row;
}

ProfileDump Read(std::string text, const std::string& file) {
  const JsonDocument document = JsonDocument::Parse(text, file);
  ProfileDump dump;
  dump.tool = "perf_analyzer's requests";
  for (const JsonReader experiment : document.root().Get("experiments").Elements()) {
    dump.whole.push_back(RowOf(experiment));
  }
  if (dump.whole.empty()) document.root().Get("experiments").Fail("is empty");
  return dump;
}

bool Recognises(std::string_view text) {
  const std::string_view head = Trimmed(text.substr(0, 4096));
  return head.starts_with('{') && head.find("\"experiments\"") != std::string_view::npos;
}

const DumpFormatRegistration kRegistration{{"perf_export", Recognises, Read}};

}  // namespace
}  // namespace tandem::perf_export
