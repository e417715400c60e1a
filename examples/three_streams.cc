// Three threads of an application submit to three models of one plan and count what comes back.
// usage: three_streams PLAN [REQUESTS]
#include <tandem_device.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

namespace {

using tandem::device::PlanService;
using tandem::device::RequestResult;
using tandem::device::RequestStatus;
using tandem::device::StreamInfo;

// A picture, as far as this example cares: the same value everywhere.
std::vector<std::vector<float>> InputsOf(const StreamInfo& stream, float value) {
  std::vector<std::vector<float>> inputs;
  for (const auto& input : stream.inputs) inputs.emplace_back(input.floats, value);
  return inputs;
}

void PrintStatistics(const PlanService& service) {
  const tandem::device::ServiceStatistics statistics = service.statistics();
  for (const auto& stream : statistics.streams) {
    std::printf("%s: %llu completed, median latency %.3f ms\n", stream.name.c_str(),
                static_cast<unsigned long long>(stream.completed),
                static_cast<double>(stream.p50.count()) / 1e6);
  }
  for (const auto& unit : statistics.units) {
    std::printf("%s: %llu tasks\n", unit.name.c_str(), static_cast<unsigned long long>(unit.tasks));
  }
}

int Run(const std::string& plan, int requests) {
  PlanService service(plan);
  std::atomic<int> done{0}, others{0};
  std::vector<std::thread> threads;
  for (const StreamInfo& stream : service.streams()) {
    threads.emplace_back([&service, &stream, &done, &others, requests] {
      for (int k = 0; k < requests; ++k) {
        service.Submit(
            stream.name, InputsOf(stream, static_cast<float>(k)),
            [&](const RequestResult& result) { ++(result.status == RequestStatus::kDone ? done : others); });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  service.Drain();
  PrintStatistics(service);
  std::printf("%d done, %d not\n", done.load(), others.load());
  return others == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2 || count > 3) {
    std::fprintf(stderr, "usage: three_streams PLAN [REQUESTS]\n");
    return 2;
  }
  try {
    return Run(words[1], count == 3 ? std::atoi(words[2]) : 10);
  } catch (const tandem::device::BadRequest& error) {
    std::fprintf(stderr, "three_streams: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "three_streams: %s\n", error.what());
    return 3;
  }
}
