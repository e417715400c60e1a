// How files name what a scenario has: codecs for values that are read and written in its context.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/base/codecs.h"
#include "scenarios/scenario/scenario.h"

namespace tandem::as {

// Invalid without a platform; it is not written then.
CodecOf<UnitId> UnitNamed();
CodecOf<ModelId> ModelNamed();

// An object from models to values; nothing for those that are not named.
template <class Value>
CodecOf<std::vector<std::optional<Value>>> PerModel(CodecOf<Value> codec) {
  using Values = std::vector<std::optional<Value>>;
  return Custom<Values>([codec](SchemaDefs& defs) { return MapSchema(codec->Schema(defs)); },
                        [codec](const JsonReader& value, Values& into, Context context) {
                          const auto& scenario = context.As<Scenario>();
                          into.assign(scenario.models.size(), std::nullopt);
                          for (const JsonReader member : value.Members()) {
                            const ModelId model = FindModel(scenario, member.key(), member);
                            if (into[model.index()]) member.Fail("the model is named already");
                            codec->Read(member, into[model.index()].emplace(), context);
                          }
                        },
                        [codec](const Values& from, std::string& text, Context context) {
                          JsonObject models;
                          bool any = false;
                          for (std::size_t m = 0; m < from.size(); ++m) {
                            if (!from[m]) continue;
                            std::string written;
                            codec->Write(*from[m], written, context);
                            models.Add(context.As<Scenario>().models[m].name, written);
                            any = true;
                          }
                          if (any) text += models.Text();
                        },
                        UnitsOf(codec, [](CodecOf<Value> other) { return PerModel(std::move(other)); }));
}

// An object from units to values. What stands for a unit counts only where there is a platform.
template <class Value>
CodecOf<std::vector<Value>> PerUnit(CodecOf<Value> codec) {
  return Custom<std::vector<Value>>(
      [codec](SchemaDefs& defs) { return MapSchema(codec->Schema(defs)); },
      [codec](const JsonReader& value, std::vector<Value>& into, Context context) {
        const auto& scenario = context.As<Scenario>();
        into.assign(scenario.units.size(), Value{});
        for (const JsonReader member : value.Members()) {
          const UnitId unit = FindUnit(scenario, member.key(), member);
          Value read{};
          codec->Read(member, read, context);
          if (unit.valid()) into[unit.index()] = std::move(read);
        }
      },
      [codec](const std::vector<Value>& from, std::string& text, Context context) {
        JsonObject units;
        bool any = false;
        for (std::size_t u = 0; u < from.size(); ++u) {
          std::string written;
          codec->Write(from[u], written, context);
          if (!written.empty()) units.Add(context.As<Scenario>().platform->units[u].name, written);
          any = any || !written.empty();
        }
        if (any) text += units.Text();
      });
}

}  // namespace tandem::as
