// Does the library release what follows a request as the simulation does, and hand on what was made?
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <thread>

#include "tests/support/device/pipeline_plan.h"

namespace tandem {
namespace {

using device::BadRequest;
using device::PlanService;
using device::RequestStatus;
using device::ServiceOptions;
using device::StageCall;
using Numbers = std::set<std::uint64_t>;

constexpr const char* kCamera =
    R"({"name": "camera", "model": "./decode.json", "count": 40, "arrival": {"type": "offline"}})";

// A network, and what waits for it, on decoded frames.
std::string Chain(const std::string& of_look = "") {
  return std::string("[") + kCamera +
         R"(, {"name": "look", "model": "./net.json", "depends_on": {"stream": "camera", "data": true})" +
         of_look +
         R"(}, {"name": "keep", "model": "./track.json", "depends_on": {"stream": "look", "data": true}}])";
}

// As many objects as the seed says, something every third frame, and a result of all.
std::string Objects() {
  return std::string("[") + kCamera + R"(,
      {"name": "object", "model": "./net.json", "depends_on": {"stream": "camera", "data": true, "times": [2, 3, 4, 1]}},
      {"name": "third", "model": "./net.json", "depends_on": {"stream": "camera", "data": true, "every": 3}},
      {"name": "maybe", "model": "./net.json", "depends_on": {"stream": "third", "data": true, "probability": 0.5}},
      {"name": "result", "model": "./track.json", "depends_on": {"stream": "camera", "joins": ["object", "third"]}}])";
}

// Four numbers, each as a byte, then 7, 8, 9.
void Track(const StageCall& call) {
  float numbers[4];
  std::memcpy(numbers, call.inputs[0].data, sizeof(numbers));
  for (std::size_t i = 0; i < 7; ++i) {
    call.outputs[0].data[i] =
        static_cast<std::byte>(i < 4 ? static_cast<int>(numbers[i]) : 3 + static_cast<int>(i));
  }
}

// Holds whoever passes until it is opened.
class Gate {
 public:
  void Open() { opened_.set_value(); }
  void Pass() { open_.wait(); }

 private:
  std::promise<void> opened_;
  std::shared_future<void> open_ = opened_.get_future().share();
};

template <class Condition>
void Await(const Condition& condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

class FollowingRequests : public testing::Test {
 protected:
  FollowingRequests() {
    options.force = true;  // the profile is made up
    options.drift = 1e9;
    options.follow = true;
    options.functions = {{"decode", DecodeBytes}, {"track", Track}};
  }

  std::string WhyNot(const std::function<void()>& function) {
    try {
      function();
    } catch (const BadRequest& error) {
      return error.what();
    }
    return "accepted";
  }

  void ExpectAllCounted(const PlanService& service) {
    std::uint64_t answered = 0;
    for (const device::StreamStatistics& stream : service.statistics().streams) {
      EXPECT_EQ(stream.submitted,
                stream.completed + stream.dropped + stream.stopped + stream.failed + stream.cancelled)
          << stream.name;
      answered += stream.submitted;
    }
    EXPECT_EQ(answered, told.size());
  }

  PipelinePlan plan;
  ServiceOptions options;
  Answers told;
};

TEST_F(FollowingRequests, ReadWhatTheOneBeforeHasMade) {
  PlanService service(plan.Write(Chain()), options);
  for (unsigned char k = 0; k < 40; ++k) service.Submit("camera", FrameOf(k, 9, 3), told.Note());
  service.Drain();
  ASSERT_EQ(told.size(), 3U * 40);
  for (std::uint64_t k = 0; k < 40; ++k) {
    const auto number = static_cast<float>(k);
    EXPECT_EQ(told.Of("camera", k).outputs.at(0), (std::vector<float>{number, -9, 3, 1}));
    // Twice what is positive.
    EXPECT_EQ(told.Of("look", k).outputs.at(0), (std::vector<float>{2 * number, 0, 6, 2}));
    const std::vector<float>& kept = told.Of("keep", k).outputs.at(0);
    ASSERT_EQ(kept.size(), 2U) << "seven bytes";
    const unsigned char bytes[7] = {static_cast<unsigned char>(2 * k), 0, 6, 2, 7, 8, 9};
    EXPECT_EQ(std::memcmp(kept.data(), bytes, sizeof(bytes)), 0) << k;
    EXPECT_GE(told.Of("keep", k).latency, told.Of("look", k).latency) << "from Submit on";
  }
  ExpectAllCounted(service);
}

TEST_F(FollowingRequests, AreAnsweredBehindThoseThatTheyFollow) {
  PlanService service(plan.Write(Chain()), options);
  for (unsigned char k = 0; k < 20; ++k) service.Submit("camera", FrameOf(k), told.Note());
  service.Drain();
  std::map<std::uint64_t, std::vector<std::string>> order;
  for (const auto& [stream, number] : told.order()) order[number].push_back(stream);
  ASSERT_EQ(order.size(), 20U);
  for (const auto& [number, streams] : order) {
    EXPECT_EQ(streams, (std::vector<std::string>{"camera", "look", "keep"})) << number;
  }
}

TEST_F(FollowingRequests, AreThoseOfTheSimulation) {
  PlanService service(plan.Write(Objects()), options);
  for (unsigned char k = 0; k < 40; ++k) service.Submit("camera", FrameOf(k), told.Note());
  service.Drain();
  const std::map<std::string, Numbers> simulated = CompletedInSimulation(plan.Written());
  ASSERT_EQ(simulated.size(), 7U) << "three streams of objects";
  std::size_t all = 0;
  for (const auto& [stream, numbers] : simulated) {
    EXPECT_EQ(told.Numbers(stream, RequestStatus::kDone), numbers) << stream;
    all += numbers.size();
  }
  EXPECT_EQ(told.size(), all);
  EXPECT_LT(simulated.at("object_3").size(), simulated.at("object_1").size());
  EXPECT_EQ(simulated.at("third").size(), 14U) << "0, 3, ... 39";
}

TEST_F(FollowingRequests, AJoinWaitsForAll) {
  std::mutex mutex;
  std::map<std::uint64_t, std::size_t> answered_before;  // the result's function is called
  options.functions["track"] = [&](const StageCall& call) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(call.stream, "result");
    EXPECT_EQ(call.inputs.at(0).size, 16U);
    for (std::size_t i = 0; i < 16; ++i) {
      EXPECT_EQ(call.inputs[0].data[i], std::byte{0}) << "without \"data\" nothing is handed on";
    }
    answered_before[call.number] = told.order().size();
  };
  PlanService service(plan.Write(Objects()), options);
  for (unsigned char k = 0; k < 40; ++k) {
    service.Submit("camera", FrameOf(k), told.Note());
    service.Drain();  // so that the order of answers tells
  }
  const auto simulated = CompletedInSimulation(plan.Written());
  const auto order = told.order();
  for (std::uint64_t k = 0; k < 40; ++k) {
    std::size_t expected = 1;  // the frame's
    for (const char* stream : {"object_1", "object_2", "object_3", "third"}) {
      expected += simulated.at(stream).contains(k) ? 1U : 0U;
    }
    Numbers of_k;
    std::size_t before = 0;
    for (const auto& [stream, number] : order) {
      if (number != k) continue;
      if (stream == "result") break;
      if (stream != "maybe") ++before;
    }
    EXPECT_EQ(before, expected) << k;
  }
  EXPECT_EQ(answered_before.size(), 40U);
}

TEST_F(FollowingRequests, WhatIsDroppedIsToldAndFollowedByNothing) {
  Gate gate;
  options.functions["track"] = [&](const StageCall& call) {
    if (call.stream == "slow" && call.number == 0) gate.Pass();
  };
  // Each on a unit of its own: of those that wait for the slow one the latest is kept.
  PlanService service(plan.Write(std::string("[") + kCamera + R"(,
      {"name": "slow", "model": "./track.json", "keep_latest": 1, "depends_on": {"stream": "camera", "data": true}},
      {"name": "after", "model": "./track.json", "depends_on": {"stream": "slow"}}])",
                                 {{"decode", {"u0"}}, {"track", {"u1"}}}),
                      options);
  service.Submit("camera", FrameOf(0), told.Note());
  for (unsigned char k = 1; k < 5; ++k) {
    service.Submit("camera", FrameOf(k), told.Note());
    Await([&] { return told.Numbers("camera", RequestStatus::kDone).contains(k); });
  }
  gate.Open();
  service.Drain();
  EXPECT_EQ(told.Numbers("slow", RequestStatus::kDone), (Numbers{0, 4}));
  EXPECT_EQ(told.Numbers("slow", RequestStatus::kDropped), (Numbers{1, 2, 3}));
  EXPECT_EQ(told.Numbers("after", RequestStatus::kDone), (Numbers{0, 4}));
  EXPECT_EQ(told.size(), 5U + 5 + 2);
  EXPECT_EQ(service.statistics().streams.at(1).dropped, 3U);
}

TEST_F(FollowingRequests, AFailedRequestHasNone) {
  options.functions["decode"] = [](const StageCall& call) {
    if (call.number % 4 == 1) throw std::runtime_error("torn");
    DecodeBytes(call);
  };
  PlanService service(plan.Write(Objects()), options);
  for (unsigned char k = 0; k < 40; ++k) service.Submit("camera", FrameOf(k), told.Note());
  service.Drain();
  for (const auto& [stream, numbers] : CompletedInSimulation(plan.Written())) {
    Numbers expected;
    for (const std::uint64_t k : numbers) {
      if (k % 4 != 1) expected.insert(k);
    }
    EXPECT_EQ(told.Numbers(stream, RequestStatus::kDone), expected) << stream;
  }
  EXPECT_EQ(told.Numbers("camera", RequestStatus::kFailed).size(), 10U);
  ExpectAllCounted(service);
}

// One of those that are joined: nobody waits for it, as for one that was dropped.
TEST_F(FollowingRequests, AJoinDoesNotWaitForWhatHasFailed) {
  options.functions["track"] = [](const StageCall& call) {
    if (call.stream == "kept") throw std::runtime_error("no room");
  };
  PlanService service(plan.Write(std::string("[") + kCamera + R"(,
      {"name": "kept", "model": "./track.json", "depends_on": {"stream": "camera", "data": true}},
      {"name": "look", "model": "./net.json", "depends_on": {"stream": "camera", "data": true, "joins": ["kept"]}}])"),
                      options);
  service.Submit("camera", FrameOf(5, 0, 4), told.Note());
  service.Drain();
  EXPECT_EQ(told.Of("kept", 0).status, RequestStatus::kFailed);
  ASSERT_EQ(told.Of("look", 0).status, RequestStatus::kDone);
  EXPECT_EQ(told.Of("look", 0).outputs.at(0), (std::vector<float>{10, 0, 8, 2})) << "of the camera";
}

TEST_F(FollowingRequests, AFrameAndAScanOfTheSamePlaceAreJoined) {
  PlanService service(plan.Write(R"([
      {"name": "camera", "model": "./decode.json", "count": 9, "arrival": {"type": "periodic", "fps": 50}},
      {"name": "lidar", "model": "./net.json", "count": 6, "arrival": {"type": "periodic", "fps": 50}},
      {"name": "fuse", "model": "./track.json", "depends_on": {"stream": "camera", "data": true, "joins": ["lidar"]}}])"),
                      options);
  const std::uint64_t first = service.Submit("camera", FrameOf(1), told.Note());
  const std::uint64_t second = service.Submit("camera", FrameOf(2), told.Note());
  service.Drain();
  EXPECT_EQ(told.size(), 2U) << "there are no scans yet";
  service.Submit("lidar", {{0, 0, 0, 0}}, told.Note());
  service.Drain();
  EXPECT_EQ(told.Numbers("fuse", RequestStatus::kDone), Numbers{first}) << "it is the camera's";
  service.Cancel(second);
  service.Submit("lidar", {{0, 0, 0, 0}}, told.Note());
  service.Drain();
  EXPECT_EQ(told.size(), 5U) << "what joins a frame that was cancelled is nobody's";
}

TEST_F(FollowingRequests, ACancelledRequestTakesThemWithIt) {
  Gate gate;
  std::atomic<bool> inside{false};
  options.functions["track"] = [&](const StageCall&) {
    inside = true;
    gate.Pass();
  };
  PlanService service(plan.Write(std::string("[") + kCamera + R"(,
      {"name": "keep", "model": "./track.json", "depends_on": {"stream": "camera", "data": true}},
      {"name": "look", "model": "./net.json", "depends_on": {"stream": "camera", "data": true, "joins": ["keep"]}}])"),
                      options);
  const std::uint64_t number = service.Submit("camera", FrameOf(1), told.Note());
  Await([&] { return inside.load(); });
  service.Cancel(number);
  service.Drain();
  EXPECT_EQ(told.Of("camera", number).status, RequestStatus::kDone);
  EXPECT_EQ(told.Of("keep", number).status, RequestStatus::kCancelled) << "though it still runs";
  gate.Open();
  service.Submit("camera", FrameOf(1), told.Note());
  service.Drain();
  EXPECT_EQ(told.size(), 2U + 3);
  EXPECT_EQ(told.Numbers("look", RequestStatus::kDone), Numbers{number + 1});
  EXPECT_EQ(service.statistics().streams.at(1).cancelled, 1U);
}

TEST_F(FollowingRequests, AreAnsweredWhereTheServiceStopsBefore) {
  Gate gate;
  std::atomic<bool> inside{false};
  options.functions["track"] = [&](const StageCall&) {
    inside = true;
    gate.Pass();
  };
  PlanService service(plan.Write(Chain()), options);
  for (unsigned char k = 0; k < 10; ++k) service.Submit("camera", FrameOf(k), told.Note());
  Await([&] { return inside.load(); });
  std::thread stops([&] { service.Stop(); });
  Await([&] {
    return WhyNot([&] { service.Submit("camera", {}, nullptr); }) == "the service has been stopped" ||
           WhyNot([&] { service.Submit("camera", FrameOf(0), told.Note()); }) != "accepted";
  });
  gate.Open();
  stops.join();
  EXPECT_FALSE(told.Numbers("keep", RequestStatus::kDone).empty()) << "what runs goes on to its end";
  for (const char* stream : {"camera", "look", "keep"}) {
    EXPECT_TRUE(told.Numbers(stream, RequestStatus::kFailed).empty()) << stream;
  }
  ExpectAllCounted(service);
}

TEST_F(FollowingRequests, SeveralThreadsSubmitAndDrainWaitsForAll) {
  constexpr int kThreads = 3, kEach = 60;
  PlanService service(plan.Write(Chain()), options);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < kEach; ++k) {
        const std::uint64_t number =
            service.Submit("camera", FrameOf(static_cast<unsigned char>(t)), told.Note());
        if (k % 8 == 7) service.Cancel(number);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  service.Drain();
  ExpectAllCounted(service);
  EXPECT_GE(told.Numbers("keep", RequestStatus::kDone).size(), 3U * 53);
  EXPECT_EQ(told.order().size(), told.size());
}

TEST_F(FollowingRequests, AreNotSubmitted) {
  PlanService service(plan.Write(Chain()), options);
  EXPECT_EQ(service.streams().at(0).follows, "");
  EXPECT_EQ(service.streams().at(1).follows, "camera");
  EXPECT_EQ(
      WhyNot([&] {
        service.Submit("look", {{1, 2, 3, 4}}, nullptr);
      }),
      "requests of stream \"look\" follow those of \"camera\" (ServiceOptions::follow): submit to that one");
}

TEST_F(FollowingRequests, WithoutTheOptionNothingFollows) {
  options.follow = false;
  PlanService service(plan.Write(Chain()), options);
  EXPECT_EQ(service.streams().at(1).follows, "");
  service.Submit("camera", FrameOf(1), told.Note());
  service.Submit("look", {{1, -2, 3, 4}}, told.Note());
  service.Drain();
  EXPECT_EQ(told.size(), 2U);
  EXPECT_EQ(told.Of("look", 1).outputs.at(0), (std::vector<float>{2, 0, 6, 8}));
}

TEST_F(FollowingRequests, WhatCannotBeHandedOnIsRefused) {
  options.functions.erase("track");
  const auto why = [&](const std::string& follower) {
    const std::string file = plan.Write(std::string("[") + kCamera + ", " + follower + "]");
    const std::string text = WhyNot([&] { const PlanService service(file, options); });
    const std::size_t begin = text.find("stream \"");
    return begin == std::string::npos ? text : text.substr(begin);
  };
  EXPECT_EQ(
      why(R"({"name": "look", "model": "./net.json", "depends_on": {"stream": "camera"}})"),
      "stream \"look\" follows \"camera\" without \"data\", and no function runs it: nothing would bring "
      "what it reads; say \"data\": true in its \"depends_on\", or leave ServiceOptions::follow out");
  EXPECT_EQ(
      why(R"({"name": "again", "model": "./decode.json", "depends_on": {"stream": "camera", "data": true}})"),
      "stream \"again\" follows \"camera\" and reads \"in\" (3 numbers, 3 bytes), for which there is \"out\" "
      "(4 numbers, 16 bytes); let a stage between them make what it reads");
}

}  // namespace
}  // namespace tandem
