// Frames through the stages of an application: it decodes them itself, a network looks at them, for each
// object that is found something of its own is done, and a result waits for all of that. The service releases
// what follows a frame as frame-stages.scenario.json says, and hands on what was made. usage: frame_stages
// PLAN [FRAMES]
#include <tandem_device.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

using tandem::device::PlanService;
using tandem::device::RequestResult;
using tandem::device::RequestStatus;
using tandem::device::ServiceOptions;
using tandem::device::StageCall;

// From bytes, point by point, to numbers from 0 to 1, plane by plane.
void Decode(const StageCall& call) {
  const std::size_t points = call.inputs[0].size / 3;
  for (std::size_t plane = 0; plane < 3; ++plane) {
    for (std::size_t point = 0; point < points; ++point) {
      const int value = std::to_integer<int>(call.inputs[0].data[3 * point + plane]);
      const float number = static_cast<float>(value) / 255;
      std::memcpy(call.outputs[0].data + (plane * points + point) * sizeof(float), &number, sizeof(number));
    }
  }
}

std::vector<float> Floats(const tandem::device::InputBytes& bytes) {
  std::vector<float> numbers(bytes.size / sizeof(float));
  std::memcpy(numbers.data(), bytes.data, bytes.size);
  return numbers;
}

// What the functions know of the frames under way; they are called from the units' threads.
class Frames {
 public:
  // The best class for stream object_1, the next for object_2.
  void Object(const StageCall& call) {
    std::vector<float> scores = Floats(call.inputs[0]);
    std::int32_t best = 0;
    for (int rank = call.stream.back() - '0'; rank > 0; --rank) {
      best = static_cast<std::int32_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
      scores[static_cast<std::size_t>(best)] = -1e30F;
    }
    std::memcpy(call.outputs[0].data, &best, sizeof(best));
    const std::lock_guard<std::mutex> lock(mutex_);
    classes_[call.number].push_back(best);
  }

  // All objects of the frame have ended.
  void Result(const StageCall& call) {
    std::string text = "nothing";
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      std::vector<std::int32_t>& classes = classes_[call.number];
      std::sort(classes.begin(), classes.end());
      if (!classes.empty()) text = "classes";
      for (const std::int32_t each : classes) text += " " + std::to_string(each);
      classes_.erase(call.number);
    }
    text.resize(std::min(text.size(), call.outputs[0].size - 1));
    std::memcpy(call.outputs[0].data, text.c_str(), text.size() + 1);
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<std::int32_t>> classes_;  // of frames that have no result yet
};

// A picture as its camera sends it, in the floats that carry bytes.
std::vector<std::vector<float>> Picture(const tandem::device::TensorInfo& frame, int number) {
  std::vector<float> carried(frame.floats);
  std::vector<unsigned char> bytes(frame.bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(i * static_cast<std::size_t>(number + 1));
  }
  std::memcpy(carried.data(), bytes.data(), bytes.size());
  return {carried};
}

int Run(const std::string& plan, int count) {
  Frames frames;
  ServiceOptions options;
  options.follow = true;
  options.force = true;  // nobody profiles the application's functions: their times are written by hand
  options.functions = {{"decode", Decode},
                       {"object", [&](const StageCall& call) { frames.Object(call); }},
                       {"result", [&](const StageCall& call) { frames.Result(call); }}};
  PlanService service(plan, options);
  int others = 0;  // callbacks come one at a time
  const auto told = [&](const RequestResult& result) {
    if (result.status != RequestStatus::kDone) {
      ++others;
      std::printf("frame %d, %s: %s\n", static_cast<int>(result.number), result.stream.c_str(),
                  result.why.c_str());
    } else if (result.stream == "result" && result.computed) {
      std::printf("frame %d: %s\n", static_cast<int>(result.number),
                  reinterpret_cast<const char*>(result.outputs[0].data()));
    }
  };
  for (int k = 0; k < count; ++k) {
    service.Submit("decode", Picture(service.streams()[0].inputs[0], k), told);
  }
  service.Drain();
  for (const auto& stream : service.statistics().streams) {
    std::printf("%s: %llu completed, median %.3f ms after its frame came\n", stream.name.c_str(),
                static_cast<unsigned long long>(stream.completed),
                static_cast<double>(stream.p50.count()) / 1e6);
  }
  return others == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2 || count > 3) {
    std::fprintf(stderr, "usage: frame_stages PLAN [FRAMES]\n");
    return 2;
  }
  try {
    return Run(words[1], count == 3 ? std::atoi(words[2]) : 10);
  } catch (const tandem::device::BadRequest& error) {
    std::fprintf(stderr, "frame_stages: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "frame_stages: %s\n", error.what());
    return 3;
  }
}
