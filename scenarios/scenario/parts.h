// The parts of a scenario's description that stand in files of their own. Of use to this room and to those
// who read the same parts; all are read in the context of the Scenario as far as it has been read.
#pragma once

#include <optional>

#include "profiles/base/fields.h"
#include "profiles/base/input_error.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

inline constexpr std::int64_t kMostRequests = std::int64_t{1} << 31;
inline constexpr std::size_t kMostStreams = 100000;
inline constexpr std::string_view kDevicePlatform = "device";  // as a scenario names that of the device

// How the requests of a stream arrive. A LoadGen arrival fills both.
struct StreamArrival {
  Arrival arrival;
  std::optional<Loadgen> loadgen;
};
CodecOf<StreamArrival> ArrivalOfStream();  // in the context of the Stream
// Until when the arrival goes on, of what `stream` says so far; "count" and "duration_ms" stand in `value`.
void EndStream(const JsonReader& value, Stream& stream);

// LoadGen's scenarios: which keys each takes, what they mean and what is left out means. Defaults are those
// of the mlperf.conf that LoadGen publishes; some are the model's own.
const Fields<Loadgen>& LoadgenFields(LoadgenScenario scenario);
Loadgen LoadgenDefaults(LoadgenScenario scenario, const std::string& model);
Arrival LoadgenArrival(const Loadgen& rules);
void EndLoadgen(Stream& stream);  // sets until and deadline

// A decimal number, of which the value is 10^decimals times as much, exactly; more decimals are an error.
CodecOf<std::int64_t> Scaled(int decimals, double least, double most);

// All models that streams name: what they are called is known before the first stream is read.
void AddModels(const JsonReader& root, Scenario& scenario, Context context);
CodecOf<std::vector<Stream>> StreamsOfScenario();
// What follows from the streams that others hang on, and how many requests there are.
void JoinStreams(const JsonReader& root, Scenario& scenario, Context context);

// How many requests there are, in all and at once: what memory has room for.
void CheckRequestsFit(const JsonReader& streams, const Scenario& scenario);

// Checks what streams wait for beside the one on which they hang, and makes a stream of each request that may
// follow one: "faces" of which three may follow a frame become "faces_1", "faces_2" and "faces_3", the last
// two behind all of the file.
void JoinAndFanOut(const JsonReader& streams, Scenario& scenario);

// A shipped board, a file or the platform itself; nothing: "device", where ScenarioOptions have none.
CodecOf<std::optional<Platform>> PlatformOfScenario();
// Which models are compiled together for units that have memory on their chips.
CodecOf<CompiledTogether> CompiledOfScenario();
void AddCompiled(Scenario& scenario, CompiledTogether compiled);
CompiledTogether CompiledBy(const Scenario& scenario);
void CheckCompiled(const JsonReader& root, const Scenario& scenario, Context context);
using HeldModels = std::vector<std::optional<std::vector<ModelId>>>;
CodecOf<HeldModels> ResidentsOfScenario();
void AddResidents(Scenario& scenario, HeldModels residents);
void CheckResidents(const JsonReader& root, const Scenario& scenario, Context context);
struct Background {
  UnitId unit;
  std::int64_t load_pct = 0;
  std::vector<std::string> command;  // empty: a load of the unit
};
CodecOf<std::vector<Background>> BackgroundOfScenario();
void AddBackground(Scenario& scenario, std::vector<Background> background);
void CheckLoads(const JsonReader& root, const Scenario& scenario, Context context);

// The list's entries are of units that differ; else the second of one is told: `before`, its name, `behind`.
void CheckUnitsOnce(const JsonReader& root, std::string_view key, const Scenario& scenario,
                    const std::string& before, const std::string& behind);

CodecOf<std::vector<UnitSpeed>> SpeedsOfScenario();
void CheckSpeeds(const JsonReader& root, const Scenario& scenario, Context context);
CodecOf<std::vector<UnitHeat>> HeatOfScenario();
void CheckHeat(const JsonReader& root, const Scenario& scenario, Context context);
CodecOf<std::vector<UnitAbsence>> AwayOfScenario();
void CheckAway(const JsonReader& root, const Scenario& scenario, Context context);
// Does no request come that only units could run that have left for good?
void CheckSomeoneStays(const JsonReader& root, const Scenario& scenario, Context context);

CodecOf<std::vector<Profile>> ProfilesOfScenario();  // as far as ScenarioOptions want them
void AddCosts(const JsonReader& root, Scenario& scenario, Context context);  // of profiles and models
using NamedVariants = std::vector<std::optional<Variant>>;
CodecOf<NamedVariants> VariantsOfScenario();
void AddVariants(Scenario& scenario, NamedVariants variants);
void ChooseVariants(const JsonReader& root, Scenario& scenario, Context context);  // where none is named
// Can everything that is asked run somewhere?
void CheckRunnable(const JsonReader& root, const Scenario& scenario, Context context);
void SetTimesAlone(const JsonReader& root, Scenario& scenario, Context context);

// Runs `read` for something that `place` refers to: an error inside it names both.
template <class Read>
auto Within(const JsonReader& place, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    place.Fail(error.what());
  }
}

}  // namespace tandem
