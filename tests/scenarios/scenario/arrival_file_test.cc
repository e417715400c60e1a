// Are perf_analyzer's files of arrivals read as their tools mean them, and written so?
#include "scenarios/scenario/arrival_file.h"

#include <gtest/gtest.h>

#include "profiles/base/files.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Times = std::vector<Nanos>;
using std::chrono::microseconds;
using std::chrono::milliseconds;

class ArrivalFile : public testing::Test {
 protected:
  Times Read(const std::string& text, bool intervals = false) {
    WriteFile(folder_ / "times", text);
    return ReadTraceFile(folder_ / "times", intervals);
  }
  std::string Error(const std::string& text, bool intervals = false) {
    const std::string error = ErrorOf([&] { Read(text, intervals); });
    return error.substr(error.find("times") + 5);
  }

  TempFolder folder_;
};

TEST_F(ArrivalFile, RequestIntervalsAreGapsInMicrosecondsFromTimeZero) {
  EXPECT_EQ(Read("100000\n200000\n500000\n", true),
            (Times{milliseconds{100}, milliseconds{300}, milliseconds{800}}));
}

TEST_F(ArrivalFile, AFixedScheduleIsAnObjectALine) {
  EXPECT_EQ(
      Read("{\"timestamp\": 0, \"input_length\": 100}\n\n{\"timestamp\": 0.5}\n{\"timestamp\": 1000}\n"),
      (Times{Nanos{0}, microseconds{500}, milliseconds{1000}}));
}

TEST_F(ArrivalFile, OrAListOfInputs) {
  EXPECT_EQ(
      Read(
          R"({"data": [{"timestamp": [5], "INPUT": [1, 2]}, {"timestamp": {"content": [7]}}, {"timestamp": 9}]})"),
      (Times{milliseconds{5}, milliseconds{7}, milliseconds{9}}));
}

TEST_F(ArrivalFile, MistakesAreNamedWithTheirPlace) {
  EXPECT_EQ(Error("{\"timestamp\": 5}\n{\"timestamp\": 4}\n"),
            ":2:/timestamp: the times must ascend; this one is before the last");
  EXPECT_EQ(Error("{\"time\": 5}\n"), ":1: the key \"timestamp\" is missing");
  const std::string expected =
      "/timestamp: expected a time in milliseconds, such as 33 or 0.25, below 2^53 ns";
  EXPECT_EQ(Error("{\"timestamp\": -1}\n"), ":1:" + expected);
  EXPECT_EQ(Error("{\"timestamp\": \"a secret\"}\n"), ":1:" + expected);
  EXPECT_EQ(Error(R"({"data": [{"timestamp": "a secret"}]})"), ":/data/0" + expected);
  EXPECT_EQ(Error("{\"timestamp\": 1}\n", true),
            ": is JSON, whose timestamps are times: leave \"intervals\" out");
  EXPECT_EQ(Error(R"({"data": [{"timestamp": [1, 2]}]})"), ":/data/0/timestamp: a request has one timestamp");
  EXPECT_EQ(Error(R"({"data": []})"), ": holds no times");
}

TEST_F(ArrivalFile, OfAnyOtherFileNothingIsRepeated) {
  EXPECT_EQ(Error("root:x:0:0:root\n"), ":1: expected a time in microseconds, such as 1500 or 0.25");
  EXPECT_EQ(Error("5\n90071992547409930\n"), ":2: the time is out of range: dates stay below 2^53 ns");
  EXPECT_EQ(Error("{\"key\" \"a secret\"}\n"),
            ":1: expected {\"timestamp\": ...}, in milliseconds, on a line of its own");
}

TEST_F(ArrivalFile, WhatIsWrittenIsReadAgainToTheFilesResolution) {
  const Times times = {Nanos{0}, Nanos{33'333'333}, Nanos{66'666'667}, Nanos{100'000'000}};
  EXPECT_EQ(IntervalsText(times), "0\n33333\n33334\n33333\n") << "dates are rounded, not gaps";
  EXPECT_EQ(Read(IntervalsText(times), true),
            (Times{Nanos{0}, microseconds{33333}, microseconds{66667}, microseconds{100000}}));
  EXPECT_EQ(FixedScheduleText(times),
            "{\"timestamp\": 0}\n{\"timestamp\": 33}\n{\"timestamp\": 67}\n{\"timestamp\": 100}\n");
  EXPECT_EQ(Read(FixedScheduleText(times)),
            (Times{Nanos{0}, milliseconds{33}, milliseconds{67}, milliseconds{100}}));
}

}  // namespace
}  // namespace tandem
