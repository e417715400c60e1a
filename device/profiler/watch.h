// What a long measurement does beside measuring: it tells how far it is, stops when it is asked to, and keeps
// what it has where a later run finds it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "device/profiler/samples.h"

namespace tandem {

// Called around a turn with the units (of the bench) that work in it: comes back when the machine is as it is
// to be, with how far off it was when it was called, as a fraction; 0: it was so. Empty: it is taken as it
// is.
using AwaitState = std::function<double(std::span<const std::size_t> units)>;

class ProfilerWatch {
 public:
  // `done` of `total`; false: asked to stop.
  using Progress = std::function<bool(const std::string& what, std::int64_t done, std::int64_t total)>;
  // `kept`: the file of unfinished samples; empty: none is kept.
  // `say`: takes a sentence that cannot wait for the result; may be empty.
  ProfilerWatch(Progress progress, std::filesystem::path kept,
                std::function<void(const std::string&)> say = {})
      : progress_(std::move(progress)),
        kept_(std::move(kept)),
        say_(std::move(say)),
        saved_(std::chrono::steady_clock::now()) {}

  // Between two measurements. False once it was asked to stop.
  bool Goes(const ProfilerSamples& samples, const std::string& what, std::int64_t done, std::int64_t total);
  bool stopped() const { return stopped_; }
  void Say(const std::string& sentence) const {
    if (say_ && !sentence.empty()) say_(sentence);
  }
  void Save(const ProfilerSamples& samples);
  void Remove();  // the file: all is done

 private:
  Progress progress_;
  std::filesystem::path kept_;
  std::function<void(const std::string&)> say_;
  std::chrono::steady_clock::time_point saved_;
  bool stopped_ = false;
};

}  // namespace tandem
