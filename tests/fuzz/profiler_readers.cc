// What a profiler kept when it was cut short, and goes on with; and what it orders of those that share a
// unit.
#include "device/profiler/beside/sharer.h"
#include "device/profiler/samples/result.h"
#include "scenarios/exchange/named_programs.h"
#include "tests/fuzz/mutations.h"
#include "tests/fuzz/readers.h"

namespace tandem {
namespace {

std::vector<Nanos> About(std::int64_t micros) {
  return {Nanos{micros * 1000}, Nanos{micros * 1000 + 7}, Nanos{micros * 1000 - 3}, Nanos{micros * 1000 + 1}};
}

void AddSource(ProfilerSamples& samples, ProfileCut cut, ProfileManner manner,
               std::vector<SampledPart> parts) {
  SampleSource source;
  source.model = {"resnet18", 2};
  source.unit = "gpu";
  source.cut = cut;
  source.manner = manner;
  const std::size_t passes = parts.front().samples.size();
  samples.sources[source] = {std::move(parts), true, About(100), false, std::vector<bool>(passes, true)};
}

ProfilerSamples Kept() {
  ProfilerSamples samples;
  samples.request = 17;
  samples.host = "a board";
  samples.libraries = {{"tandem", "1"}};
  samples.reading = "5";
  samples.yardstick_rows = {{"gpu", 16}};
  samples.yardsticks = {{"gpu", About(100)}};
  samples.yardsticks_at_once = {{"gpu", About(110)}};
  samples.held_back = {{"gpu", {false, true, false, false}}};
  AddSource(samples, ProfileCut::kWhole, ProfileManner::kWarm, {{{}, About(100)}});
  AddSource(samples, ProfileCut::kWhole, ProfileManner::kInside,
            {{{"a"}, About(40)}, {{}, About(5)}, {{"b"}, About(50)}});
  AddSource(samples, ProfileCut::kLayers, ProfileManner::kWarm, {{{"a"}, About(50)}, {{"b"}, About(60)}});
  samples.transfers[{"dram", "vram", 1024}] = {About(9), true};
  samples.pairs = {{"gpu", "resnet18", "cpu", "alexnet", 1.25, 1.5}};
  samples.energy["gpu"] = {"rail", "", 1, 5, {{{"resnet18", 2}, 0.25}}};
  samples.loads.push_back({"resnet18", "gpu", {}, Timing::OfSamples({Nanos{5000}})});
  samples.traffic.push_back({"resnet18", {}, "gpu", 1e9});
  samples.finished = {"curve gpu resnet18 cpu"};
  samples.notes = {"unit \"gpu\": was held back"};
  return samples;
}

// As far as a profile of what there is.
FuzzReader Samples() {
  return {"profiler_samples",
          {ProfilerSamplesJson(Kept())},
          [](const std::string& bytes) {
            const ProfilerSamples kept = ReadProfilerSamples(JsonDocument::Parse(bytes, "kept").root());
            Profile profile;
            FillProfile(kept, 0.01, profile);
            KnownSoFar(kept);
            ProfilerSummaryText(kept, 0.01, 100);
            ProfilerSamplesJson(kept);
          },
          WithValuesChanged};
}
const FuzzReaderRegistration kSamples(Samples);

// As SharerProgram writes it.
std::string OrderOfSharer(const std::string& unit) {
  return R"({"order": {"tandem": "profile-request/1", "models": ["squeezenet_1_1"], "groups": false,
      "platform": {"name": "p", "memories": [{"name": "dram"}], "units": [
        {"name": "u", "kind": "cpu", "memory": "dram", )" +
         unit + R"(}]}}, "known": )" + ProfilerSamplesJson(Kept()) + "}";
}

FuzzReader SharerOrders() {
  return {"sharer_order",
          {OrderOfSharer(R"("backend": "reference")"),
           OrderOfSharer(R"("backend": "command", "command": ["python3", "unit.py"])")},
          [](const std::string& bytes) {
            const SharerOrder order = ReadSharerOrder(JsonDocument::Parse(bytes, "order").root());
            ProgramsOf(order.request);
          },
          WithValuesChanged};
}
const FuzzReaderRegistration kSharerOrders(SharerOrders);

}  // namespace
}  // namespace tandem
