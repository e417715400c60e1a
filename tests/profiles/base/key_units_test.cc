// Does nobody who misspells a key end up in another unit without being told?
#include "profiles/base/key_units.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

std::string Suggested(std::string_view word) {
  const std::vector<std::string_view> known = {"idle_w", "capacity_bytes", "peak_macs_per_s", "latency_us"};
  const std::vector<std::string_view> spellings = {"latency_ms", "latency_s"};
  return KeySuggestion(word, known, spellings);
}

TEST(KeyUnits, AnotherUnitIsToldWithItsFactor) {
  EXPECT_EQ(Suggested("idle_mw"), "; did you mean \"idle_w\"? 1 w is 1000 mw");
  EXPECT_EQ(Suggested("capacity_kbytes"), "; did you mean \"capacity_bytes\" (bytes)?");
  EXPECT_EQ(Suggested("latency_ns"), "; did you mean \"latency_us\"? 1 us is 1000 ns");
}

TEST(KeyUnits, TheSameUnitNeedsNoWord) {
  EXPECT_EQ(Suggested("idel_w"), "; did you mean \"idle_w\"?");
  EXPECT_EQ(Suggested("peak_mac_per_s"), "; did you mean \"peak_macs_per_s\"?");
  EXPECT_EQ(Suggested("latncy_s"), "; did you mean \"latency_s\"?");
}

TEST(KeyUnits, WhereNoneIsWrittenAllAreOffered) {
  EXPECT_EQ(Suggested("latency"), "; did you mean \"latency_us\", \"latency_ms\" or \"latency_s\"?");
}

TEST(KeyUnits, WhatIsFarFromAllIsListedInOneUnit) {
  EXPECT_EQ(Suggested("colour"), "; known: idle_w, capacity_bytes, peak_macs_per_s, latency_us");
}

TEST(TimeKey, UnitsAreWordsOfTheKey) {
  EXPECT_TRUE(TimeKey("age_us_per_level").IsSpelled("age_s_per_level"));
  EXPECT_FALSE(TimeKey("age_us_per_level").IsSpelled("age_ns_per_level"));
  EXPECT_FALSE(TimeKey("age_us_per_level").IsSpelled("age_per_level"));
  EXPECT_EQ(TimeKey("age_us_per_level").WithoutUnit(), "age_per_level");
  EXPECT_FALSE(TimeKey("rate_per_s").has_unit());
  EXPECT_TRUE(TimeKey("count").IsSpelled("count"));
}

}  // namespace
}  // namespace tandem
