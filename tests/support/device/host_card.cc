#include "tests/support/device/host_card.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "profiles/base/input_error.h"
#include "tests/support/device/host_card_stream.h"

namespace tandem::gpu {
namespace {

constexpr std::size_t kBorder = 256;
constexpr int kPoison = 0xff;  // NaN, in float and in half

std::size_t RoundedUp(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + kBorder - 1) / kBorder * kBorder;
}

class HostEvent final : public Event {
 public:
  bool Passed() override { return true; }
  Nanos Since(const Event& earlier) override { return at - static_cast<const HostEvent&>(earlier).at; }
  Nanos at{0};
};

// As cuDNN does: the output's extents have to follow from the others.
bool Follows(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
             std::int64_t dilation, std::int64_t pad) {
  const std::int64_t room = in + 2 * pad - (kernel - 1) * dilation - 1;
  return room >= 0 && room / stride + 1 == out;
}

bool IsSound(const CardConv& p) {
  const bool t = p.transposed;
  return Follows(t ? p.out_h : p.in_h, t ? p.in_h : p.out_h, p.kernel.h, p.stride.h, p.dilation.h, p.pad_h) &&
         Follows(t ? p.out_w : p.in_w, t ? p.in_w : p.out_w, p.kernel.w, p.stride.w, p.dilation.w, p.pad_w);
}

}  // namespace

HostCard::HostCard(const std::string& name) : HostCard(name, Options{}) {}

HostCard::HostCard(const std::string& name, Options options) : options_(std::move(options)) {
  info_.name = name;
  info_.library = "host 1.0";
  info_.driver = "1.2";
  info_.memory_bytes = options_.memory_bytes;
  info_.integrated = options_.integrated;
  info_.multiprocessors = 1;
  const int access = options_.guard ? PROT_NONE : PROT_READ | PROT_WRITE;
  void* const at = mmap(nullptr, static_cast<std::size_t>(options_.memory_bytes), access,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(at);
}

HostCard::~HostCard() { munmap(memory_, static_cast<std::size_t>(options_.memory_bytes)); }

std::int64_t HostCard::FreeBytes() {
  const std::lock_guard lock(mutex_);
  return options_.memory_bytes - used_;
}

CardRoom HostCard::Room() {
  const std::lock_guard lock(mutex_);
  const std::int64_t most = std::exchange(most_since_room_, used_);
  return {options_.memory_bytes - used_, options_.memory_bytes - most};
}

// The first gap that is large enough.
void* HostCard::Carve(std::size_t bytes) {
  std::byte* at = memory_;
  for (const auto& [begin, range] : ranges_) {
    if (range.space != Space::kCard) continue;
    if (at + bytes <= begin) break;
    at = memory_ + (begin - memory_) + RoundedUp(range.bytes);
  }
  if (at + bytes > memory_ + options_.memory_bytes) throw std::bad_alloc();
  return at;
}

void* HostCard::Allocate(Space space, std::size_t bytes) {
  try {
    Note(CardCall::kAllocate);
  } catch (const EnvironmentError&) {
    throw std::bad_alloc();
  }
  void* at = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t room = RoundedUp(bytes);
    at = space == Space::kCard ? Carve(room) : ::operator new(room, std::align_val_t(kBorder));
    ranges_[static_cast<const std::byte*>(at)] = {bytes, space};
    used_ += static_cast<std::int64_t>(room);
    most_used_ = std::max(most_used_, used_);
    most_since_room_ = std::max(most_since_room_, used_);
  }
  if (!options_.computes) return at;
  const Touch touch(*this);
  std::memset(at, kPoison, bytes);
  return at;
}

void HostCard::Free(Space space, void* at) noexcept {
  if (at == nullptr) return;
  const std::lock_guard lock(mutex_);
  const auto range = ranges_.find(static_cast<const std::byte*>(at));
  used_ -= static_cast<std::int64_t>(RoundedUp(range->second.bytes));
  ranges_.erase(range);
  if (space != Space::kCard) ::operator delete(at, std::align_val_t(kBorder));
}

std::optional<Space> HostCard::SpaceOf(const void* at) const {
  const std::lock_guard lock(mutex_);
  auto range = ranges_.upper_bound(static_cast<const std::byte*>(at));
  if (range == ranges_.begin()) return std::nullopt;
  --range;
  if (static_cast<const std::byte*>(at) >= range->first + range->second.bytes) return std::nullopt;
  return range->second.space;
}

void HostCard::Note(CardCall call) {
  ++counts_[Index(call)];
  std::atomic<int>& left = fail_at_[Index(call)];
  if (left > 0 && --left == 0) throw EnvironmentError("the test wants this call to fail");
}

void HostCard::Pass(Nanos time) {
  const double longer = 1 + options_.slowing * static_cast<double>(calls_++);
  clock_ += static_cast<std::int64_t>(static_cast<double>(time.count()) * longer);
}

void HostCard::Start(const void* what, bool capturing) {
  const std::lock_guard lock(mutex_);
  if (!capturing) {
    started_.insert(what);
  } else if (started_.count(what) == 0) {
    throw EnvironmentError("what is loaded when it is first started cannot be captured");
  }
}

HostCard::Touch::Touch(HostCard& card) : card_(card) {
  if (!card_.options_.guard) return;
  const std::lock_guard lock(card_.mutex_);
  if (card_.touching_++ > 0) return;
  mprotect(card_.memory_, static_cast<std::size_t>(card_.options_.memory_bytes), PROT_READ | PROT_WRITE);
}

HostCard::Touch::~Touch() {
  if (!card_.options_.guard) return;
  const std::lock_guard lock(card_.mutex_);
  if (--card_.touching_ > 0) return;
  mprotect(card_.memory_, static_cast<std::size_t>(card_.options_.memory_bytes), PROT_NONE);
}

std::unique_ptr<CardStream> HostCard::MakeStream(int urgency) {
  return std::make_unique<HostStream>(*this, urgency);
}

std::unique_ptr<CardStream> HostCard::MakePartStream(int parts, int part, int urgency) {
  if (parts > options_.most_parts) throw EnvironmentError("the host is not divided like that");
  const std::lock_guard lock(mutex_);
  auto& all = parts_[parts];
  while (static_cast<int>(all.size()) < parts) all.push_back(std::make_shared<const int>(parts));
  return std::make_unique<HostStream>(*this, urgency, all.at(static_cast<std::size_t>(part)));
}

std::vector<int> HostCard::StreamsOnParts(int parts) const {
  const std::lock_guard lock(mutex_);
  std::vector<int> streams;
  const auto found = parts_.find(parts);
  if (found == parts_.end()) return streams;
  for (const auto& part : found->second) streams.push_back(static_cast<int>(part.use_count()) - 1);
  return streams;
}

std::unique_ptr<Event> HostCard::MakeEvent() { return std::make_unique<HostEvent>(); }

void SetEvent(Event& event, Nanos at) { static_cast<HostEvent&>(event).at = at; }

// Of some of them, one is too large and one does not do what it says.
std::vector<ConvWay> HostCard::ConvWays(const CardConv& p, std::size_t most_workspace, std::size_t most) {
  const bool fused = p.bias || p.added || p.relu;
  const bool grouped_last = p.format == Format::kNhwc && p.groups > 1;
  if (!IsSound(p) || !options_.conv_formats.contains(p.format)) return {};
  if (fused && (!p.bias || p.transposed || grouped_last)) return {};
  std::vector<ConvWay> ways = {{kImplicit, 0, "implicit_gemm"}};
  if (!p.transposed) ways.push_back({kPrecomputed, 4096, "implicit_precomp_gemm"});
  if (!p.transposed && p.kernel == Extent{3, 3} && p.stride == Extent{1, 1}) {
    ways.push_back({kWinograd, std::size_t{1} << 20, "winograd"});
  }
  ways.push_back({kHuge, std::size_t{1} << 40, "fft"});
  ways.push_back({kBroken, 0, "broken"});
  std::erase_if(ways, [&](const ConvWay& way) { return way.workspace > most_workspace; });
  ways.resize(std::min(ways.size(), most));
  return ways;
}

std::unique_ptr<Conv> HostCard::MakeConv(const CardConv& problem, const ConvWay& way) {
  if (way.algorithm == kBroken) throw EnvironmentError("this way is not supported after all");
  return std::make_unique<HostConv>(problem, way);
}

}  // namespace tandem::gpu
