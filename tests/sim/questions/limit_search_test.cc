// Is the limit found that there is, whatever lies around it, and is what is not known said?
#include "sim/questions/limit_search.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tandem {
namespace {

Limit Find(const LimitQuestion& question, const std::function<bool(double)>& holds) {
  return FindLimit(question, [&](double value) { return holds(value) ? Holds::kYes : Holds::kNo; });
}

TEST(LimitSearch, FindsTheMostToTheLastDigitFromBothSides) {
  for (const double start : {1.0, 37.0, 100.0, 4000.0}) {
    LimitQuestion question;
    question.start = start;
    const Limit limit = Find(question, [](double value) { return value <= 123.456; });
    EXPECT_EQ(limit.value, 123.456) << start;
    EXPECT_EQ(limit.fails_at, 123.457);
    EXPECT_FALSE(limit.ended);
    EXPECT_TRUE(limit.fails_below.empty());
  }
}

TEST(LimitSearch, FindsTheLeast) {
  LimitQuestion question;
  question.start = 20;
  question.least = true;
  const Limit limit = Find(question, [](double value) { return value >= 0.125; });
  EXPECT_EQ(limit.value, 0.125);
  EXPECT_EQ(limit.fails_at, 0.124999);
}

TEST(LimitSearch, FindsWholeNumbers) {
  LimitQuestion question;
  question.integer = true;
  for (int most = 1; most < 40; ++most) {
    const Limit limit = Find(question, [&](double value) { return value <= most; });
    EXPECT_EQ(limit.value, most);
    EXPECT_EQ(limit.fails_at, most + 1);
  }
  question.least = true;
  question.start = 64;
  EXPECT_EQ(Find(question, [](double value) { return value >= 3; }).value, 3);
}

TEST(LimitSearch, SaysWhereTheSearchEnded) {
  LimitQuestion question;
  question.start = 10;
  question.to = 35;
  const Limit limit = Find(question, [](double) { return true; });
  EXPECT_EQ(limit.value, 35);
  EXPECT_TRUE(limit.ended);
  question.to.reset();
  EXPECT_TRUE(Find(question, [](double) { return true; }).ended);
  const Limit none = Find(question, [](double) { return false; });
  EXPECT_FALSE(none.value);
  EXPECT_LT(none.easiest, 0.001);
}

TEST(LimitSearch, StaysBetweenItsEnds) {
  LimitQuestion question;
  question.start = 1;
  question.from = 5;
  question.to = 80;
  const Limit limit = Find(question, [](double value) {
    EXPECT_GE(value, 5);
    EXPECT_LE(value, 80);
    return value < 50;
  });
  EXPECT_EQ(limit.value, 49.9999);
}

TEST(LimitSearch, TellsOfEasierValuesWhereItDoesNotHold) {
  LimitQuestion question;
  question.start = 90;
  const Limit limit =
      Find(question, [](double value) { return value <= 100 && !(value > 40 && value < 60); });
  EXPECT_EQ(limit.value, 100);
  ASSERT_FALSE(limit.fails_below.empty());
  for (const double value : limit.fails_below) {
    EXPECT_GT(value, 40);
    EXPECT_LT(value, 60);
  }
}

TEST(LimitSearch, FindsWhereItHoldsAgain) {
  LimitQuestion question;
  question.start = 8;
  const Limit limit =
      Find(question, [](double value) { return value <= 10 || (value >= 15 && value <= 18.5); });
  EXPECT_EQ(limit.value, 18.5);
  EXPECT_FALSE(limit.fails_below.empty());
}

TEST(LimitSearch, WhatCannotBeTriedDoesNotFail) {
  LimitQuestion question;
  question.start = 1;
  question.integer = true;
  const Limit limit = FindLimit(question, [](double value) {
    EXPECT_GE(value, 1) << "nothing is there 0 times";
    return value <= 3 ? Holds::kYes : Holds::kNo;
  });
  EXPECT_EQ(limit.value, 3);
  EXPECT_TRUE(limit.fails_below.empty());
  question.integer = false;
  EXPECT_TRUE(FindLimit(question, [](double value) {
                return value < 0.9 ? Holds::kBeyond : value <= 3 ? Holds::kYes : Holds::kNo;
              }).fails_below.empty());
}

TEST(LimitSearch, WhatCannotBeTriedIsTheEnd) {
  LimitQuestion question;
  question.start = 10;
  question.integer = true;
  const Limit limit =
      FindLimit(question, [](double value) { return value > 99 ? Holds::kBeyond : Holds::kYes; });
  EXPECT_EQ(limit.value, 99);
  EXPECT_TRUE(limit.beyond);
  EXPECT_TRUE(limit.ended) << "nobody knows that it fails there";
  EXPECT_FALSE(limit.fails_at);
}

}  // namespace
}  // namespace tandem
