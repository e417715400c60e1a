// Do paths of another machine lead to the copies here, and only those that were sent?
#include "profiles/base/sent_files.h"

#include <gtest/gtest.h>

#include "profiles/base/files.h"
#include "profiles/costs/profile.h"

namespace tandem {
namespace {

class SentFiles : public testing::Test {
 protected:
  SentFiles() {
    UseSentFiles({{{"/there/link/m.json"}, "/there/nets/m.json", "/cache/tree/there/nets/m.json"}});
  }
  ~SentFiles() override { UseSentFiles({}); }
};

TEST_F(SentFiles, AreReadWhereTheyWerePut) {
  for (const char* name : {"/there/nets/m.json", "/there/link/m.json"}) {
    EXPECT_EQ(ResolvePath(name, "/anywhere/order.json"), "/cache/tree/there/nets/m.json") << name;
  }
  EXPECT_EQ(ResolvePath("../w/m.bin", "/cache/tree/there/nets/m.json").lexically_normal(),
            "/cache/tree/there/w/m.bin");
  EXPECT_EQ(ResolvePath("/there/nets/other.json", ""), "/there/nets/other.json");
}

TEST_F(SentFiles, AreCalledByTheOneNameThatTheyHaveElsewhere) {
  EXPECT_EQ(ModelKey("/there/link/m.json", ""), "/there/nets/m.json");
  EXPECT_EQ(ModelKey("/there/nets/m.json", ""), "/there/nets/m.json");
}

}  // namespace
}  // namespace tandem
