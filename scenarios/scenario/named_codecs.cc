#include "scenarios/scenario/named_codecs.h"

namespace tandem::as {

CodecOf<UnitId> UnitNamed() {
  return Custom<UnitId>(R"("type": "string")",
                        [](const JsonReader& value, UnitId& into, Context context) {
                          into = FindUnit(context.As<Scenario>(), value.String(), value);
                        },
                        [](const UnitId& from, std::string& text, Context context) {
                          if (from.valid())
                            text += JsonString(context.As<Scenario>().platform->unit(from).name);
                        });
}

CodecOf<ModelId> ModelNamed() {
  return Custom<ModelId>([](SchemaDefs& defs) { return Name()->Schema(defs); },
                         [](const JsonReader& value, ModelId& into, Context context) {
                           into = FindModel(context.As<Scenario>(), value.String(), value);
                         },
                         [](const ModelId& from, std::string& text, Context context) {
                           text += JsonString(context.As<Scenario>().model(from).name);
                         });
}

}  // namespace tandem::as
