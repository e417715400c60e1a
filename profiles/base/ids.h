// Small distinct integers, so that a unit is never taken for a layer.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace tandem {

template <class Tag>
struct Id {
  std::int32_t value = -1;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::int32_t>(index)) {}

  constexpr bool valid() const { return value >= 0; }
  constexpr std::size_t index() const { return static_cast<std::size_t>(value); }
  friend constexpr auto operator<=>(Id, Id) = default;
};

using LayerId = Id<struct LayerTag>;
using UnitId = Id<struct UnitTag>;
using MemoryId = Id<struct MemoryTag>;
using LinkId = Id<struct LinkTag>;
using HubId = Id<struct HubTag>;
using StreamId = Id<struct StreamTag>;
using ModelId = Id<struct ModelTag>;

}  // namespace tandem

template <class Tag>
struct std::hash<tandem::Id<Tag>> {
  std::size_t operator()(tandem::Id<Tag> id) const noexcept { return std::hash<std::int32_t>{}(id.value); }
};
