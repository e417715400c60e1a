#include "tests/support/device/cuda_on_host/fiber.h"

#include <utility>

#include "profiles/base/check.h"

#if defined(__SANITIZE_ADDRESS__)
#define TANDEM_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define TANDEM_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TANDEM_ASAN 1
#elif __has_feature(thread_sanitizer)
#define TANDEM_TSAN 1
#endif
#endif
#ifdef TANDEM_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef TANDEM_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace tandem::cuda_on_host {
namespace {

constexpr std::size_t kStack = 128 << 10;

// Who switched last, for the first steps of a new fiber.
thread_local Fiber *left = nullptr, *entered = nullptr;

}  // namespace

// The first thing that runs on the stack of a fiber.
void Arrive() {
#ifdef TANDEM_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &left->bottom_, &left->size_);
#endif
  entered->body_();
  TANDEM_CHECK(false, "a fiber never ends");
}

Fiber::Fiber(std::function<void()> body)
    : body_(std::move(body)), stack_(new char[kStack]), bottom_(stack_.get()), size_(kStack) {
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_.get();
  context_.uc_stack.ss_size = kStack;
  makecontext(&context_, Arrive, 0);
#ifdef TANDEM_TSAN
  sanitizer_state_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#ifdef TANDEM_TSAN
  if (stack_ != nullptr) __tsan_destroy_fiber(sanitizer_state_);
#endif
}

void SwitchTo(Fiber& from, Fiber& to) {
  left = &from;
  entered = &to;
#ifdef TANDEM_ASAN
  __sanitizer_start_switch_fiber(&from.sanitizer_state_, to.bottom_, to.size_);
#endif
#ifdef TANDEM_TSAN
  if (from.stack_ == nullptr) from.sanitizer_state_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.sanitizer_state_, 0);
#endif
  swapcontext(&from.context_, &to.context_);
#ifdef TANDEM_ASAN
  __sanitizer_finish_switch_fiber(from.sanitizer_state_, nullptr, nullptr);
#endif
}

}  // namespace tandem::cuda_on_host
