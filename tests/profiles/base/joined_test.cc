// Are lists joined with something between their items alone, whatever the items are?
#include "profiles/base/joined.h"

#include <gtest/gtest.h>

#include <vector>

namespace tandem {
namespace {

struct Item {
  std::string name;
};

TEST(Joined, PutsCommasBetweenItems) {
  EXPECT_EQ(Joined(std::vector<std::string>{}), "");
  EXPECT_EQ(Joined(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(Joined(std::vector<std::string>{"", "b", ""}), ", b, ");
  EXPECT_EQ(Joined(std::vector<int>{3, 1, 2}, "x"), "3x1x2");
}

TEST(Joined, ShowsItemsByAMemberOrAFunction) {
  const std::vector<Item> items = {{"a"}, {"b"}};
  EXPECT_EQ(Joined(items, "+", &Item::name), "a+b");
  EXPECT_EQ(Joined(items, ", ", [](const Item& item) { return "<" + item.name + ">"; }), "<a>, <b>");
}

}  // namespace
}  // namespace tandem
