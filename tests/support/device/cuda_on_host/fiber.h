// A stack of its own that runs when it is switched to. The sanitizers are told.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace tandem::cuda_on_host {

class Fiber {
 public:
  Fiber() = default;                           // the stack of whoever switches away from it
  explicit Fiber(std::function<void()> body);  // which never returns
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

 private:
  friend void SwitchTo(Fiber& from, Fiber& to);
  friend void Arrive();

  std::function<void()> body_;
  std::unique_ptr<char[]> stack_;
  ucontext_t context_{};
  [[maybe_unused]] void* sanitizer_state_ = nullptr;
  const void* bottom_ = nullptr;
  [[maybe_unused]] std::size_t size_ = 0;
};

void SwitchTo(Fiber& from, Fiber& to);

}  // namespace tandem::cuda_on_host
