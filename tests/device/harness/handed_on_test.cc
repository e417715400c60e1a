// Does a device run requests that read what another one has made, and say that here they read their own?
#include "tests/support/device/harness_files.h"

namespace tandem {
namespace {

class HandedOn : public HarnessFiles {
 protected:
  HandedOn() {
    units = kOneFake;
    streams = R"([{"name": "x", "model": "./m0.json", "count": 3, "arrival": {"type": "offline"}},
                  {"name": "y", "model": "./m1.json", "depends_on": {"stream": "x", "data": true}}])";
  }
};

TEST_F(HandedOn, RequestsReadInputsOfTheirOwnAndItIsSaid) {
  FakeKernels fake;
  RunOrder request = Request({R"("fcfs")"});
  request.trace = true;
  const RunAnswer result = RunPlans(request, Place(&fake));
  ASSERT_TRUE(result.runs.at(0).complete) << result.runs.at(0).failure;
  ExpectLawful(request, result);
  const std::string sentence =
      "stream \"y\" reads inputs of its own here, from the first memory, and not what the request has made "
      "that it follows; without \"data\" the prediction has it so, too";
  EXPECT_EQ(result.warnings, std::vector<std::string>{request.plans[0].scenario.file + ": " + sentence});
}

TEST_F(HandedOn, WhereNothingMovesThereIsNothingToSay) {
  more = R"(, "transfer": "none")";
  EXPECT_TRUE(WhatIsOtherwise(Plan(R"("fcfs")")).empty());
}

}  // namespace
}  // namespace tandem
