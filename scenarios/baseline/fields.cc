#include "scenarios/baseline/fields.h"

#include <limits>

#include "profiles/base/fields.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

const Fields<KeptFigure>& KeptFigureFields() {
  static const auto fields = Fields<KeptFigure>("baseline_figure")
                                 .Needed("value", &KeptFigure::value, as::ValueOfFigure(),
                                         "null: the run could not tell. The winner is a word.")
                                 .Optional("tolerance", &KeptFigure::tolerance, as::ToleranceOrPercent(),
                                           "0: exact. Else in the figure's unit, or \"2%\" of its value.")
                                 .Always();
  return fields;
}

// Of one name after another: a word of the winner's, a number of all others.
void CheckWord(const JsonReader& value, const FigureName& figure, const KeptFigure& kept) {
  const bool word = figure.kind->better == Better::kNeither;
  if (std::holds_alternative<std::monostate>(kept.value)) return;
  if (std::holds_alternative<std::string>(kept.value) == word) return;
  value.Get("value").Fail("the figure " + Quoted(figure.Text()) + " is " +
                          (word ? "the label of a policy" : "a number"));
}

// Files say whole names, never brief ones.
FigureName WholeFigure(const JsonReader& value, std::string_view name) {
  const auto figure = FindFigure(name);
  if (!figure || figure->Text() != name) value.Fail(WhyNoFigure(name));
  return *figure;
}

// JSON of a pattern.
std::string PatternOfFigures() {
  return R"("^(streams\\..+\\.)?()" + Joined(FigureKinds(), "|", &FigureKind::name) + R"()$")";
}

void ReadFigures(const JsonReader& value, KeptFigures& into, Context context) {
  into.clear();
  for (const JsonReader member : value.Members()) {
    const FigureName figure = WholeFigure(member, member.key());
    KeptFigure kept = KeptFigureFields().Read(member, context);
    CheckWord(member, figure, kept);
    into.emplace_back(std::string(member.key()), std::move(kept));
  }
  if (into.empty()) value.Fail("there are no figures");
}

SchemaNode FiguresSchema(SchemaDefs& defs) {
  SchemaNode node = as::MapSchema(KeptFigureFields().Schema(defs));
  node.Add("minProperties", "1");
  node.Add("propertyNames", "{\"pattern\": " + PatternOfFigures() + "}");
  return node;
}

}  // namespace

CodecOf<std::string> as::FigureText() {
  return TextReadBy(
      [](SchemaDefs&) { return SchemaNode(R"("type": "string", "pattern": )" + PatternOfFigures()); },
      [](const JsonReader& value, std::string& into, Context) {
        into = WholeFigure(value, value.String()).Text();
      });
}

CodecOf<FigureValue> as::ValueOfFigure() {
  return Custom<FigureValue>(R"("type": ["number", "string", "null"])",
                             [](const JsonReader& value, FigureValue& into, Context) {
                               if (value.kind() == JsonKind::kNull) {
                                 into = FigureValue();
                               } else if (value.IsString()) {
                                 into = std::string(value.String());
                               } else {
                                 into = value.Number(std::numeric_limits<double>::lowest());
                               }
                             },
                             [](const FigureValue& from, std::string& text, Context) {
                               if (const auto* number = std::get_if<double>(&from)) {
                                 text += JsonNumber(*number);
                               } else if (const auto* word = std::get_if<std::string>(&from)) {
                                 text += JsonString(*word);
                               } else {
                                 text += "null";
                               }
                             });
}

CodecOf<KeptFigures> as::FigureLines(std::string before, std::string after) {
  return Custom<KeptFigures>(FiguresSchema, ReadFigures,
                             [before, after](const KeptFigures& from, std::string& text, Context context) {
                               text += '{';
                               for (std::size_t i = 0; i < from.size(); ++i) {
                                 text += (i == 0 ? "" : ",") + before + JsonString(from[i].first) + ": " +
                                         KeptFigureFields().Text(from[i].second, context);
                               }
                               text += after + "}";
                             });
}

}  // namespace tandem
