// Is a profile read as it is written, and does writing it lose nothing?
#include "profiles/costs/profile.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr const char* kProfile = R"({"tandem": "profile/1", "platform": "b", "note": "n",
  "origin": {"kind": "measured", "host": "h", "clocks": {"cpu0": "2 GHz"}, "libraries": {"onednn": "2.6.3"},
             "threads": {"cpu": [0, 1]}, "date": "2026-11-20T09:15:00Z", "cache_mode": "in_network"},
  "entries": [{"model": "resnet50", "unit": "cpu", "layers": "*", "median_us": 86355},
              {"model": "squeezenet_1_1", "unit": "cpu", "layers": ["conv1", "relu_conv1"], "batch": 2,
               "precision": "fp16", "variant": "armcl", "mapped": true, "samples_us": [512.1, 509.875, 511, 520],
               "energy_j": 0.004, "input_shape": [3, 227, 227], "cold_us": 700.5, "inside_us": 480,
               "core_us": 31.5, "unstable": true}],
  "transfers": [{"from": "dram", "to": "usb", "bytes": 1000, "median_us": 3}],
  "loads": [{"model": "resnet50", "unit": "cpu", "variant": "armcl", "median_us": 1000}],
  "dispatch": [{"unit": "cpu", "samples_us": [1, 2]}],
  "co_running": [{"unit": "cpu", "beside": "gpu", "beside_traffic_bytes_per_s": 1.5e9, "slowdown": 1.25},
                 {"unit": "cpu", "model": "resnet50", "layers": ["conv1"], "beside": "gpu",
                  "beside_model": "vgg16", "beside_layers": "*", "slowdown": 1}],
  "traffic": [{"model": "vgg16", "unit": "gpu", "bytes_per_s": 2500000000},
              {"model": "vgg16", "layers": ["conv1_1"], "unit": "gpu", "bytes_per_s": 1}],
  "background": [{"unit": "gpu", "load_pct": 40, "model": "vgg16", "slowdown": 1.7}]})";

Profile Read(const std::string& text, const std::string& name = "p.json") {
  return ReadProfile(JsonDocument::Parse(text, name).root());
}

TEST(Profile, TimesComeInEveryUnitAndFromScripts) {
  const Profile profile = Read(R"({"tandem": "profile/1", "platform": "b",
      "origin": {"kind": "published", "source": "s"},
      "entries": [{"model": "a", "unit": "cpu", "layers": "*", "median_ms": 33.333333333333336},
                  {"model": "b", "unit": "cpu", "layers": "*", "samples_s": [0.5, 1e-3], "cold_ms": 0.5}]})");
  EXPECT_EQ(profile.entries[0].time.median, Nanos{33333333});
  EXPECT_EQ(profile.entries[1].time.median, Nanos{1000000});
  EXPECT_EQ(profile.entries[1].cold, Nanos{500000});
}

TEST(Profile, IsReadAsItIsWritten) {
  const Profile profile = Read(kProfile);
  EXPECT_EQ(profile.file, "p.json");
  EXPECT_EQ(profile.origin.kind, OriginKind::kMeasured);
  EXPECT_EQ(profile.origin.threads.at("cpu"), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(profile.origin.cache_mode, CacheMode::kInNetwork);
  EXPECT_TRUE(profile.entries[0].layers.empty());
  EXPECT_EQ(profile.entries[0].time.median, Nanos{86355000});
  EXPECT_EQ(profile.entries[0].variant, (Variant{"", "fp32"}));
  const CostEntry& group = profile.entries[1];
  EXPECT_EQ(group.layers, (std::vector<std::string>{"conv1", "relu_conv1"}));
  EXPECT_EQ(group.batch, 2);
  EXPECT_EQ(group.variant.Text(), "armcl/fp16");
  EXPECT_TRUE(group.mapped);
  EXPECT_EQ(group.energy_j, 0.004);
  EXPECT_EQ(group.input_shape, (Shape{3, 227, 227}));
  EXPECT_EQ(group.cold, Nanos{700500});
  EXPECT_EQ(group.inside, Nanos{480000});
  EXPECT_EQ(group.core, Nanos{31500});
  EXPECT_TRUE(group.unstable);
  EXPECT_FALSE(profile.entries[0].unstable || profile.entries[0].cold || profile.entries[0].inside);
  EXPECT_EQ(profile.transfers[0].bytes, 1000);
  EXPECT_EQ(profile.loads[0].time.median, Nanos{1000000});
  EXPECT_EQ(profile.co_running[0].beside_traffic_bytes_per_s, 1.5e9);
  EXPECT_EQ(profile.co_running[1].beside_model, "vgg16");
  EXPECT_EQ(profile.traffic[0].bytes_per_s, 2.5e9);
  EXPECT_EQ(profile.traffic[1].layers, std::vector<std::string>{"conv1_1"});
  EXPECT_EQ(profile.background[0].load_pct, 40);
  EXPECT_EQ(profile.background[0].slowdown, 1.7);
}

TEST(Profile, TheMedianOfSamplesIsTheLowerOne) {
  const Profile profile = Read(kProfile);
  EXPECT_EQ(profile.entries[1].time.median, Nanos{511000});
  EXPECT_EQ(profile.entries[1].time.samples.size(), 4u);
  EXPECT_EQ(profile.dispatch[0].time.median, Nanos{1000});
  EXPECT_EQ(Timing::OfSamples({Nanos{3}, Nanos{1}, Nanos{2}}).median, Nanos{2});
}

TEST(Profile, WritingAndReadingAgainGivesTheSameBytes) {
  const std::string once = ProfileJson(Read(kProfile));
  EXPECT_EQ(ProfileJson(Read(once)), once);
  EXPECT_NE(once.find("\"samples_us\": [512.1, 509.875, 511, 520]"), std::string::npos);
  EXPECT_NE(once.find("\"beside_traffic_bytes_per_s\": 1500000000"), std::string::npos);
}

TEST(Profile, TheHashTellsContentsNotLayout) {
  std::string other = kProfile;
  const std::uint64_t hash = ProfileHash(Read(kProfile));
  EXPECT_EQ(ProfileHash(Read(ProfileJson(Read(kProfile)), "elsewhere.json")), hash);
  other.replace(other.find("86355"), 5, "86356");
  EXPECT_NE(ProfileHash(Read(other)), hash);
}

TEST(Profile, OneEntryInTwoFilesNamesBoth) {
  const Profile a = Read(kProfile, "a.json");
  Profile b = Read(kProfile, "b.json");
  b.entries.erase(b.entries.begin());
  try {
    CheckTogether({&a, &b});
    FAIL() << "the same entry twice was accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "b.json:/entries/0: is the same entry as a.json:/entries/1");
  }
}

TEST(Profile, MistakesOfSeveralEntriesAreToldTogetherAndNoneTwice) {
  const Profile profile = Read(R"({"tandem": "profile/1", "platform": "tinker-edge-r",
      "origin": {"kind": "published", "source": "s"},
      "entries": [{"model": "alexnet", "unit": "cpuu", "layers": "*", "median_us": 1},
                  {"model": "vgg16", "unit": "cpuu", "layers": "*", "median_us": 1},
                  {"model": "alexnt", "unit": "cpu", "layers": "*", "median_us": 1},
                  {"model": "alexnt", "unit": "ncs2", "layers": "*", "median_us": 1},
                  {"model": "alexnet", "unit": "cpu", "layers": ["conv0"], "median_us": 1}]})");
  try {
    CheckProfile(profile);
    FAIL() << "was accepted";
  } catch (const InputError& error) {
    const std::string told = error.what();
    EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 2) << told;
    for (const char* place : {"/entries/0/unit: ", "/entries/2/model: ", "/entries/4/layers/0: "}) {
      EXPECT_NE(told.find(place), std::string::npos) << told;
    }
  }
}

TEST(Profile, ATimeThatIsStillToBeFilledInIsKeptAndNeverUsed) {
  const std::string text = R"({
  "tandem": "profile/1",
  "platform": "b",
  "origin": {"kind": "estimated", "method": "none yet"},
  "entries": [
    {"model": "alexnet", "unit": "cpu", "layers": "*", "median_us": 0},
    {"model": "alexnet", "unit": "gpu", "layers": "*", "median_us": null}
  ]
}
)";
  const JsonDocument document = JsonDocument::Parse(text, "p.json");
  const Profile begun = ReadBegunProfile(document.root());
  EXPECT_FALSE(begun.entries.at(0).time.to_fill_in);
  EXPECT_TRUE(begun.entries.at(1).time.to_fill_in);
  EXPECT_EQ(ProfileJson(begun), text);
  try {
    ReadProfile(document.root());
    FAIL() << "was accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "p.json:/entries/1/median_us: the time of model \"alexnet\" on unit \"gpu\" is still to be filled "
        "in; where a unit does not run the model, take the entry out");
  }
}

TEST(Profile, AModelFileIsWhatItsPathMeansToTheProfile) {
  const auto of_file = [](const std::string& model, const std::string& name) {
    return Read(R"({"tandem": "profile/1", "platform": "b", "origin": {"kind": "published", "source": "s"},
      "entries": [{"model": ")" +
                    model + R"(", "unit": "cpu", "layers": "*", "median_us": 1}]})",
                name);
  };
  const Profile a = of_file("net.onnx", "x/a.json"), same = of_file("../x/net.onnx", "y/b.json");
  const Profile other = of_file("net.onnx", "y/c.json");
  EXPECT_THROW(CheckTogether({&a, &same}), InputError);
  EXPECT_NO_THROW(CheckTogether({&a, &other}));
}

TEST(Profile, EntriesThatDifferInOneThingStandSideBySide) {
  const Profile a = Read(kProfile, "a.json");
  Profile b = Read(kProfile, "b.json");
  b.transfers.clear(), b.loads.clear(), b.dispatch.clear(), b.co_running.clear(), b.background.clear();
  b.traffic.pop_back(), b.traffic[0].unit = "cpu";
  b.entries[0].variant.name = "other";
  b.entries[1].mapped = false;
  EXPECT_NO_THROW(CheckTogether({&a, &b}));
}

}  // namespace
}  // namespace tandem
