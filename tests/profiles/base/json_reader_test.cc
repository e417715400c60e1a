// Does strict reading say exactly what is wrong, and where?
#include "profiles/base/json_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "profiles/base/decimal.h"
#include "profiles/base/files.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

std::string ErrorIn(const std::string& text) {
  return ErrorOf([&] { JsonDocument::Parse(text, "f.json"); });
}

TEST(JsonText, BrokenTextNamesLineAndColumn) {
  EXPECT_EQ(ErrorIn("{\"a\": 1,\n  \"b\": }").substr(0, 12), "f.json:2:8: ");
  EXPECT_EQ(ErrorIn("").substr(0, 12), "f.json:1:1: ");
}

TEST(JsonText, WhatOtherNotationsHaveIsCalledByItsName) {
  const std::string comments = "JSON has no comments: remove what begins with ";
  EXPECT_EQ(ErrorIn("{\"a\": 1, // one\n \"b\": 2}"), "f.json:1:10: " + comments + "//");
  EXPECT_EQ(ErrorIn("/* all */ {}"), "f.json:1:1: " + comments + "/*");
  EXPECT_EQ(ErrorIn("[1]\n# done"), "f.json:2:1: " + comments + "#");
  EXPECT_EQ(ErrorIn("[1,\n 2 ,\n]"), "f.json:2:4: a comma after the last element of the array: remove it");
  EXPECT_EQ(ErrorIn("{\"a\": \"//\",}"), "f.json:1:11: a comma after the last key of the object: remove it");
  EXPECT_EQ(ErrorIn("[NaN]"), "f.json:1:2: JSON has no NaN");
  EXPECT_EQ(ErrorIn("[-Infinity]"), "f.json:1:3: JSON has no Infinity");
  EXPECT_EQ(ErrorIn("{'a': 1}"), "f.json:1:2: JSON has its strings in \"...\", not in '...'");
  EXPECT_EQ(ErrorIn("[\"\\#\"]").find("comments"), std::string::npos);
  EXPECT_EQ(ErrorIn("[\"// a\", \"# b\"]"), "no error");
}

TEST(JsonText, ANumberBeyondADoubleIsAnError) {
  EXPECT_EQ(ErrorIn("[1, 1e400]"), "f.json:1:9: the number 1e400 is too large");
}

TEST(JsonText, MessagesRepeatOnlyTheHeadOfALongToken) {
  EXPECT_EQ(ErrorIn(std::string(100'000, '1')),
            "f.json:1:100000: the number " + std::string(60, '1') + "... is too large");
  const std::string error = ErrorIn("[\"" + std::string(100'000, 'x'));
  EXPECT_LT(error.size(), 200U);
  EXPECT_NE(error.find("missing closing quote; last read: '\"" + std::string(59, 'x') + "...'"),
            std::string::npos)
      << error;
  EXPECT_LT(ErrorIn("{\"a\" \"" + std::string(100'000, 'x') + "\"}").size(), 200U);
}

TEST(JsonText, OfAFileThatAnotherNamesNothingIsRepeatedUnlessItIsOneOfOurs) {
  const std::string name = FileToRead("keys.txt", "s.json").string();
  const auto error = [&](const std::string& text) {
    return ErrorOf([&] { JsonDocument::Parse(text, name); });
  };
  const std::string open = error("[\"a secret word");
  EXPECT_EQ(open.substr(0, 12), "keys.txt:1:1");
  EXPECT_NE(open.find("missing closing quote"), std::string::npos) << open;
  EXPECT_EQ(open.find("secret"), std::string::npos) << open;
  EXPECT_EQ(error("[1, 1e400]"), "keys.txt:1:9: a number is too large");
  EXPECT_EQ(error(R"({"secret": {"word": 1, "word": 2}})"), "keys.txt: a key is given twice");
  EXPECT_EQ(error(R"({"tandem": "profile/1", "word": 1, "word": 2})"),
            "keys.txt: the key \"word\" is given twice");
}

TEST(JsonText, NothingHidesBehindANulByte) {
  using namespace std::string_literals;
  EXPECT_EQ(ErrorIn("{}\n\0{}"s), "f.json:2:1: a NUL byte; JSON is text in UTF-8");
}

TEST(JsonText, AnObjectOfManyKeysIsRefusedBeforeTheyAreCompared) {
  std::string many = "{\"a\": 0";
  for (int i = 1; i < 100'000; ++i) many += ",\"k" + std::to_string(i) + "\":0";
  EXPECT_EQ(ErrorIn(many + "}"), "no error");
  EXPECT_EQ(ErrorIn(many + ",\"b\":0}"),
            "f.json: an object holds more than 100000 keys, the most that is read");
}

TEST(JsonText, AKeyGivenTwiceIsAnErrorInSmallAndLargeObjects) {
  EXPECT_EQ(ErrorIn(R"({"a": [{"x": 1, "x": 2}]})"), "f.json:/a/0: the key \"x\" is given twice");
  std::string many = "{";
  for (int i = 0; i < 40; ++i) many += "\"k" + std::to_string(i) + "\": 0, ";
  EXPECT_EQ(ErrorIn(many + "\"k39\": 1}"), "f.json: the key \"k39\" is given twice");
}

TEST(JsonText, DeepNestingIsAnErrorNotACrash) {
  EXPECT_EQ(ErrorIn(std::string(1'000'000, '[')), "f.json: is nested deeper than 64 levels");
}

TEST(JsonText, PointersEscapeSlashAndTilde) {
  const auto document = JsonDocument::Parse(R"({"a/b": {"~": [0, {"c": 1.5}]}})", "f.json");
  const auto value = document.root().Get("a/b").Get("~");
  EXPECT_EQ(ErrorOf([&] { (*++value.Elements().begin()).Get("c").Integer(0); }),
            "f.json:/a~1b/~0/1/c: expected an integer, found 1.5");
}

TEST(JsonReader, UnknownKeysGetASuggestion) {
  const auto document = JsonDocument::Parse(R"({"pahse_us": 1})", "f.json");
  EXPECT_EQ(ErrorOf([&] {
              document.root().OnlyKeys({"name", "phase_us"});
            }),
            "f.json: unknown key \"pahse_us\"; did you mean \"phase_us\"?");
}

TEST(JsonReader, IntegersAreWholeAndInRange) {
  const auto document = JsonDocument::Parse("[7.9, -1, 18446744073709551616, 3.0, \"3\"]", "f.json");
  std::vector<JsonReader> values;
  for (const JsonReader value : document.root().Elements()) values.push_back(value);
  EXPECT_EQ(ErrorOf([&] { values[0].Integer(0); }), "f.json:/0: expected an integer, found 7.9");
  EXPECT_EQ(ErrorOf([&] { values[1].Integer(0); }), "f.json:/1: -1 is out of range: at least 0");
  EXPECT_EQ(ErrorOf([&] { values[2].Integer(0, 9); }), "f.json:/2: 18446744073709551616 is out of range");
  EXPECT_EQ(values[3].Integer(0), 3);
  EXPECT_EQ(ErrorOf([&] { values[4].Integer(0); }), "f.json:/4: expected an integer, found the string \"3\"");
}

TEST(JsonReader, SeedsHaveAll64Bits) {
  const auto document =
      JsonDocument::Parse("[18446744073709551615, 7, 1e3, 18446744073709551616, -1, 0.5]", "f.json");
  std::vector<JsonReader> values;
  for (const JsonReader value : document.root().Elements()) values.push_back(value);
  EXPECT_EQ(values[0].Unsigned(), 18446744073709551615U);
  EXPECT_EQ(values[1].Unsigned(), 7U);
  EXPECT_EQ(values[2].Unsigned(), 1000U);
  EXPECT_EQ(ErrorOf([&] { values[3].Unsigned(); }), "f.json:/3: 18446744073709551616 is out of range");
  EXPECT_EQ(ErrorOf([&] { values[4].Unsigned(); }), "f.json:/4: -1 is out of range: at least 0");
  EXPECT_EQ(ErrorOf([&] { values[5].Unsigned(); }), "f.json:/5: expected an integer, found 0.5");
}

TEST(JsonReader, TimesAreExactNanoseconds) {
  const auto document = JsonDocument::Parse("[33333.333, 0.1, 1e3, -0.0001, -1, 1e300]", "f.json");
  std::vector<JsonReader> values;
  for (const JsonReader value : document.root().Elements()) values.push_back(value);
  EXPECT_EQ(values[0].Micros(), Nanos{33333333});
  EXPECT_EQ(values[1].Duration(kMilliseconds), Nanos{100000});
  EXPECT_EQ(values[2].Duration(kSeconds), Nanos{1000000000000});
  for (const int below : {3, 4}) {
    const std::string written = below == 3 ? "-0.0001" : "-1";
    EXPECT_EQ(ErrorOf([&] { values[static_cast<std::size_t>(below)].Micros(); }),
              "f.json:/" + std::to_string(below) + ": " + written +
                  " us is out of range: from 0 us to 9007199254740.992 us");
  }
  EXPECT_EQ(ErrorOf([&] { values[5].Micros(); }),
            "f.json:/5: 1e300 us is out of range: from 0 us to 9007199254740.992 us");
}

TEST(JsonReader, MoreDecimalsThanNanosecondsAreRoundedOnceAHalfAwayFromZero) {
  const auto document = JsonDocument::Parse(
      "[33333.333333333336, 0.0001, 0.0005, 0.00049999999999999999999, 1.0005, 1e-300, 16.666666666666668]",
      "f");
  std::vector<JsonReader> values;
  for (const JsonReader value : document.root().Elements()) values.push_back(value);
  EXPECT_EQ(values[0].Micros(), Nanos{33333333});
  EXPECT_EQ(values[1].Micros(), Nanos{0});
  EXPECT_EQ(values[2].Micros(), Nanos{1});
  EXPECT_EQ(values[3].Micros(), Nanos{0});  // a double takes it for a half
  EXPECT_EQ(values[4].Micros(), Nanos{1001});
  EXPECT_EQ(values[5].Micros(), Nanos{0});
  EXPECT_EQ(values[6].Duration(kMilliseconds), Nanos{16666667});
}

TEST(Decimal, ScalesExactlyOrNotAtAll) {
  EXPECT_EQ(ScaledDecimal("0.29", 2), 29);
  EXPECT_EQ(ScaledDecimal("1.230e-1", 3), 123);
  EXPECT_EQ(ScaledDecimal("-5", 0), -5);
  EXPECT_EQ(ScaledDecimal("0e99999999999", 0), 0);
  EXPECT_EQ(ScaledDecimal("1e99999999999", 0), std::nullopt);
  EXPECT_EQ(ScaledDecimal("0.5", 0), std::nullopt);
  EXPECT_EQ(ScaledDecimal("9223372036854775808", 0), std::nullopt);
  EXPECT_EQ(RoundedDecimal("0.5", 0), 1);
  EXPECT_EQ(RoundedDecimal("-2.5", 0), -3);
  EXPECT_EQ(RoundedDecimal("0.05", 0), 0);
  EXPECT_EQ(RoundedDecimal("99.9996", 3), 100000);
  EXPECT_EQ(RoundedDecimal("1e-99999999999", 3), 0);
  EXPECT_EQ(RoundedDecimal("9223372036854775807.5", 0), std::nullopt);
  EXPECT_EQ(DecimalText(1500, 3), "1.5");
  EXPECT_EQ(DecimalText(-20, 3), "-0.02");
}

}  // namespace
}  // namespace tandem
