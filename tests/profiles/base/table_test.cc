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

TEST(Table, NumbersAreNeverCutHoweverNarrowItIs) {
  Table table({{"layer", false, true}, {"macs", true}});
  table.Add({"a_rather_long_name", "118013952"});
  EXPECT_EQ(table.Text(1),
            "layer          macs\n"
            "a_r..ame  118013952\n");
}

TEST(Table, SentencesGoOnBelow) {
  Table table({{"model"}, {"what it is", false, false, true}, {"n", true}});
  table.Add({"vgg", "a plain stack of convolutions", "41"});
  EXPECT_EQ(table.Text(30),
            "model  what it is            n\n"
            "vgg    a plain stack of     41\n"
            "       convolutions\n");
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
