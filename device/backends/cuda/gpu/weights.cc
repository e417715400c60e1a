#include "device/backends/cuda/gpu/weights.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

#include "profiles/base/stored_numbers.h"

namespace tandem::gpu {
namespace {

std::uint64_t HashOf(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = bytes.size();
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 32;
  }
  return hash;
}

// What lies on the cards, as long as somebody holds it.
class Shared {
 public:
  static Shared& All() {
    static auto* const all = new Shared;  // segments may go while the program ends
    return *all;
  }

  std::shared_ptr<const GpuBuffer> Get(Card& card, CardStream& stream, std::span<const std::byte> numbers) {
    const Key key{&card, numbers.size(), HashOf(numbers)};
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end()) {
      if (auto held = known->second.lock(); held && Holds(stream, *held, numbers)) return held;
    }
    auto made = std::make_shared<GpuBuffer>(card, Space::kCard, numbers.size());
    stream.Copy(made->data(), numbers.data(), numbers.size());
    stream.Wait();
    std::erase_if(known_, [](const auto& one) { return one.second.expired(); });
    known_[key] = made;
    return made;
  }

 private:
  using Key = std::tuple<const Card*, std::size_t, std::uint64_t>;

  // A hash may be that of other numbers, too.
  static bool Holds(CardStream& stream, const GpuBuffer& buffer, std::span<const std::byte> numbers) {
    std::vector<std::byte> there(numbers.size());
    stream.Copy(there.data(), buffer.data(), there.size());
    stream.Wait();
    return std::equal(there.begin(), there.end(), numbers.begin());
  }

  std::mutex mutex_;
  std::map<Key, std::weak_ptr<const GpuBuffer>> known_;
};

}  // namespace

const void* GpuWeights::Add(std::span<const float> values, Element element) {
  if (element == Element::kFloat) return Bring(std::as_bytes(values));
  std::vector<std::uint16_t> halves(values.size());
  std::transform(values.begin(), values.end(), halves.begin(), HalfOf);
  return Bring(std::as_bytes(std::span(halves)));
}

const std::int32_t* GpuWeights::Positions(const std::vector<std::int64_t>& positions) {
  const std::vector<std::int32_t> narrow(positions.begin(), positions.end());
  return static_cast<const std::int32_t*>(Bring(std::as_bytes(std::span(narrow))));
}

const void* GpuWeights::Bring(std::span<const std::byte> numbers) {
  bytes_ += static_cast<std::int64_t>(numbers.size());
  return buffers_.emplace_back(Shared::All().Get(card_, stream_, numbers))->data();
}

std::vector<float> SecondAxisLast(const float* weights, std::int64_t a, std::int64_t b, std::int64_t window) {
  std::vector<float> moved(static_cast<std::size_t>(a * b * window));
  std::size_t to = 0;
  for (std::int64_t i = 0; i < a; ++i) {
    for (std::int64_t k = 0; k < window; ++k) {
      for (std::int64_t j = 0; j < b; ++j) moved[to++] = weights[(i * b + j) * window + k];
    }
  }
  return moved;
}

}  // namespace tandem::gpu
