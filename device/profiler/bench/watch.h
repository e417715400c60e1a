// What a long measurement does beside measuring: it tells how far it is, stops when it is asked to, and keeps
// what it has where a later run finds it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "device/profiler/samples/samples.h"

namespace tandem {

// Called around a turn with the units (of the bench) that work in it: comes back when the machine is as it is
// to be, with how far off it was when it was called, as a fraction; 0: it was so. Empty: it is taken as it
// is.
using AwaitState = std::function<double(std::span<const std::size_t> units)>;

// `done` of `total`; false: asked to stop.
using ProfilerProgress = std::function<bool(const std::string& what, std::int64_t done, std::int64_t total)>;

// Who looks on; all may be empty.
struct ProfilerOnlooker {
  ProfilerProgress progress = {};
  std::function<void(const std::string&)> say = {};        // a sentence that cannot wait for the result
  std::function<void(const ProfilerSamples&)> known = {};  // so far: before each `progress`
  std::function<void(Nanos)> takes = {};                   // all of it, about, from now on
};

class ProfilerWatch {
 public:
  // `kept`: the file of unfinished samples; empty: none is kept.
  ProfilerWatch(ProfilerOnlooker onlooker, std::filesystem::path kept)
      : onlooker_(std::move(onlooker)), kept_(std::move(kept)), saved_(std::chrono::steady_clock::now()) {}

  // Between two measurements. False once it was asked to stop.
  bool Goes(const ProfilerSamples& samples, const std::string& what, std::int64_t done, std::int64_t total);
  bool stopped() const { return stopped_; }
  void Say(const std::string& sentence) const {
    if (onlooker_.say && !sentence.empty()) onlooker_.say(sentence);
  }
  void Takes(Nanos all) const {
    if (onlooker_.takes) onlooker_.takes(all);
  }
  void Save(const ProfilerSamples& samples);
  void Remove();  // the file: all is done

 private:
  ProfilerOnlooker onlooker_;
  std::filesystem::path kept_;
  std::chrono::steady_clock::time_point saved_;
  bool stopped_ = false;
};

}  // namespace tandem
