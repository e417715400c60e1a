// Does a table fit the terminal that it is made for?
#include "profiles/base/table.h"

#include <gtest/gtest.h>

#include <limits>

namespace tandem {
namespace {

TEST(Table, AlignsColumnsAndLeavesNoBlanksAtTheEnd) {
  Table table({{"name"}, {"count", true}, {"note"}});
  table.Add({"conv1", "9408", "x"});
  table.Add({"fc", "1", ""});
  EXPECT_EQ(table.Text(80),
            "name   count  note\n"
            "conv1   9408  x\n"
            "fc         1\n");
}

TEST(Table, TheWidestColumnThatMayShrinkGivesWay) {
  Table table({{"layer", false, true}, {"macs", true}, {"reads", false, true}});
  table.Add({"inception_4a/pool_proj/relu", "7225344", "inception_4a"});
  EXPECT_EQ(table.Text(40),
            "layer                 macs  reads\n"
            "inceptio..oj/relu  7225344  inception_4a\n");
}

TEST(Table, StandsWholeWhereEveryCellHasRoom) {
  Table table({{"layer", false, true}, {"macs", true}});
  table.Add({"a_rather_long_name", "118013952"});
  EXPECT_TRUE(table.StandsWhole(29));  // 18 + 2 + 9
  EXPECT_FALSE(table.StandsWhole(28));
}

TEST(Table, NumbersAreNeverCutHoweverNarrowItIs) {
  Table table({{"layer", false, true}, {"macs", true}});
  table.Add({"a_rather_long_name", "118013952"});
  EXPECT_EQ(table.Text(1),
            "layer                macs\n"
            "a_rath..g_name  118013952\n");
}

TEST(Table, WhatARowIsAboutGivesWayLast) {
  Table table({{"unit", false, true}, {"model", false, true}, {"why", false, false, true}});
  table.Add({"an_accelerator_of_some_kind", "a_model_with_a_longer_name_still",
             "it is the only one that can run it"});
  const std::string text = table.Text(72);
  EXPECT_NE(text.find("an_accelerator_of_some_kind  "), std::string::npos) << text;
  EXPECT_NE(text.find(".."), std::string::npos) << text;
  EXPECT_NE(text.find("it is the only one"), std::string::npos) << "sentences go on below: " << text;
}

TEST(Table, NamesOfModelsStayWholeHoweverNarrowItIs) {
  Table table({{"unit"}, {"model", false, true}, {"whole, ms", true}});
  table.Add({"cpu0", "squeezenet_1_1", "12.345"});
  EXPECT_NE(table.Text(20).find("squeezenet_1_1"), std::string::npos);
}

TEST(Table, NothingIsCutWhereNoTerminalEndsTheLines) {
  const TablesCut before = LetTablesCut(TablesCut::kGoOnBelow);
  Table table({{"layer", false, true}, {"what it does", false, false, true}});
  table.Add({"inception_4a/pool_proj/relu", "it is the only one that can run it"});
  const std::string text = table.Text(40);
  LetTablesCut(before);
  EXPECT_NE(text.find("inception_4a/pool_proj/relu"), std::string::npos) << text;
  EXPECT_EQ(text.find("that can run it"), std::string::npos) << "sentences still go on below: " << text;
}

TEST(Table, SentencesGoOnBelow) {
  Table table({{"model"}, {"what it is", false, false, true}, {"n", true}});
  table.Add({"vgg", "a plain stack of convolutions", "41"});
  EXPECT_EQ(table.Text(30),
            "model  what it is            n\n"
            "vgg    a plain stack of     41\n"
            "       convolutions\n");
}

TEST(Table, SentencesThatNeedMoreRoomStandBelow) {
  Table table({{"policy"}, {"keys"}, {"rule", false, false, true, 16}});
  table.Add({"fcfs", "granularity", "the earliest task that the unit can run"});
  EXPECT_EQ(table.Text(30),
            "policy  keys\n"
            "fcfs    granularity\n"
            "\n"
            "policy  rule\n"
            "fcfs    the earliest task that\n"
            "        the unit can run\n");
  EXPECT_EQ(table.Text(40),
            "policy  keys         rule\n"
            "fcfs    granularity  the earliest task\n"
            "                     that the unit can\n"
            "                     run\n");
}

TEST(Table, ShortensByCharactersNotBytes) {
  EXPECT_EQ(Shortened("äöüäöüäöü", 6), "äö..öü");
  EXPECT_EQ(Shortened("same", 4), "same");
}

TEST(Table, WrapsAtSpacesAndIndentsWhatFollows) {
  EXPECT_EQ(Wrapped("one two three four", 9), "one two\n  three\n  four\n");
  EXPECT_EQ(Wrapped("a_word_longer_than_a_line b", 5), "a_word_longer_than_a_line\n  b\n");
}

TEST(Table, GroupsDigitsByThousands) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(25557032), "25,557,032");
  EXPECT_EQ(Grouped(-1000), "-1,000");
}

TEST(Table, RoundsCountsToThreeDigits) {
  EXPECT_EQ(Rounded(0), "0");
  EXPECT_EQ(Rounded(999), "999");
  EXPECT_EQ(Rounded(1000), "1.00k");
  EXPECT_EQ(Rounded(61100840), "61.1M");
  EXPECT_EQ(Rounded(999999), "1.00M");
  EXPECT_EQ(Rounded(15470264320), "15.5G");
  EXPECT_EQ(Rounded(std::numeric_limits<std::int64_t>::max()), "9.22E");
}

}  // namespace
}  // namespace tandem
