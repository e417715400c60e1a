// A policy's own keys beside name, label and granularity: one description of them reads, writes and documents
// them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "profiles/base/fields.h"

namespace tandem {

enum class Granularity : std::uint8_t { kModel, kGroup, kLayer };
inline constexpr std::array<Named<Granularity>, 3> kGranularityNames = {
    {{"model", Granularity::kModel}, {"group", Granularity::kGroup}, {"layer", Granularity::kLayer}}};

// What a policy's own keys say; each policy with keys derives its own.
struct PolicyParameters {
  PolicyParameters() = default;
  PolicyParameters(const PolicyParameters&) = delete;
  PolicyParameters& operator=(const PolicyParameters&) = delete;
  virtual ~PolicyParameters() = default;
};

// They are read and written in the context of the policy's Granularity, and of the Scenario without policies.
struct PolicyKeys {
  const AnyFields& (*fields)() = nullptr;  // null: there are none
  std::shared_ptr<const PolicyParameters> (*read)(const JsonReader& value, Context context) = nullptr;
  void (*write)(const PolicyParameters& parameters, JsonObject& into, Context context) = nullptr;
};

template <class Parameters>
std::type_identity<Parameters> DescribedBy(const Fields<Parameters>&);

// `kFields` returns the Fields of the policy's parameters.
template <auto kFields>
PolicyKeys KeysFrom() {
  using Parameters = typename decltype(DescribedBy(kFields()))::type;
  return {[]() -> const AnyFields& { return kFields(); },
          [](const JsonReader& value, Context context) -> std::shared_ptr<const PolicyParameters> {
            auto parameters = std::make_shared<Parameters>();
            kFields().ReadSteps(value, parameters.get(), context);
            return parameters;
          },
          [](const PolicyParameters& parameters, JsonObject& into, Context context) {
            kFields().WriteMembers(static_cast<const Parameters*>(&parameters), into, context);
          }};
}

}  // namespace tandem
