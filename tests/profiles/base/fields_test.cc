// Does a key that is described once reach the reader, the writer, the schema and the reference?
#include "profiles/base/fields.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "profiles/base/file_kinds.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

enum class Taste : std::uint8_t { kSweet, kSour };
constexpr std::array<Named<Taste>, 2> kTasteNames = {{{"sweet", Taste::kSweet}, {"sour", Taste::kSour}}};

struct Pip {
  std::int64_t weight = 1;
};

struct Fruit {
  std::string name;
  Taste taste = Taste::kSweet;
  std::optional<double> price;
  std::vector<Pip> pips;
  Pip stone;
  std::map<std::string, Nanos> ripe;
};

const Fields<Pip>& PipFields() {
  static const auto fields = Fields<Pip>("pip").Optional("weight_mg", &Pip::weight, as::Integer(1, 9));
  return fields;
}

void SourIsCheap(const JsonReader& value, const Fruit& fruit, Context context) {
  if (fruit.taste != Taste::kSour || fruit.price.value_or(0) <= context.As<double>()) return;
  value.Get("price").Fail("too dear for something sour");
}

Fields<Fruit> WithoutTaste() {
  return Fields<Fruit>("fruit", "something to eat")
      .Kind("fruit/1", false)
      .Needed("name", &Fruit::name, as::Name(), "What it is called.")
      .Optional("price", &Fruit::price, as::Number(0, 10))
      .Optional("pips", &Fruit::pips,
                as::ListOf(as::ObjectOf(PipFields()), {.most = 2, .many = "too many pips"}))
      .Part(&Fruit::stone, Fields<Pip>().Optional("stone_mg", &Pip::weight, as::Integer(1, 9)))
      .Optional("ripe_us", &Fruit::ripe, as::MapOf(as::Micros()));
}

// The one place where the key is added.
Fields<Fruit> WithTaste() {
  return WithoutTaste()
      .Optional("taste", &Fruit::taste, as::OneOf(kTasteNames, "taste"), "On the tongue.")
      .Rule(SourIsCheap, R"({"not": {"required": ["taste", "stone_mg"]}})");
}

const Fields<Fruit>& FruitFields() {
  static const auto fields = WithTaste();
  return fields;
}

Fruit Read(const Fields<Fruit>& fields, const char* text) {
  const double dear = 5;
  return fields.Read(JsonDocument::Parse(text, "f").root(), Context::Of(dear));
}

constexpr char kPear[] = R"({
  "tandem": "fruit/1",
  "name": "pear",
  "price": 0.5,
  "pips": [
    {},
    {"weight_mg": 3}
  ],
  "stone_mg": 2,
  "ripe_us": {"autumn": 1.5},
  "taste": "sour"
}
)";

TEST(Fields, KeyThatIsAddedInOnePlaceIsReadWrittenSuggestedAndDescribed) {
  EXPECT_EQ(ErrorOf([] { Read(WithoutTaste(), kPear); }),
            "f: unknown key \"taste\"; known: tandem, name, price, pips, stone_mg, ripe_us");
  const Fruit pear = Read(FruitFields(), kPear);
  EXPECT_EQ(pear.taste, Taste::kSour);
  EXPECT_EQ(FruitFields().File(pear), kPear);
  EXPECT_EQ(ErrorOf([] { Read(FruitFields(), R"({"tandem": "fruit/1", "name": "a", "tast": "sour"})"); }),
            "f: unknown key \"tast\"; did you mean \"taste\"?");
  const FileKindDeclaration kind{"fruit/1", AsAnyFields<Fruit, FruitFields>};
  const std::string schema = SchemaText(kind);
  const std::string node =
      R"("taste": {"enum": ["sweet", "sour"], "default": "sweet", "description": "On the tongue."})";
  EXPECT_NE(schema.find(node), std::string::npos) << schema;
  EXPECT_NE(ReferenceText(kind).find("| `taste` | `sweet`, `sour`; `sweet` where absent | On the tongue. |"),
            std::string::npos)
      << ReferenceText(kind);
}

TEST(Fields, DefaultsAreLeftOutOfTheWriting) {
  Fruit fruit;
  fruit.name = "fig";
  const double dear = 5;
  EXPECT_EQ(FruitFields().Text(fruit, Context::Of(dear)), R"({"tandem": "fruit/1", "name": "fig"})");
}

TEST(Fields, RulesSeeWhatStandsBeforeThemAndTheContext) {
  const char* sour = R"({"tandem": "fruit/1", "name": "a", "taste": "sour", "price": 6})";
  EXPECT_EQ(ErrorOf([&] { Read(FruitFields(), sour); }), "f:/price: too dear for something sour");
}

TEST(Fields, WhatIsWrongInsideIsToldWithItsPlace) {
  const auto error = [](const char* rest) {
    return ErrorOf([&] {
      Read(FruitFields(), (R"({"tandem": "fruit/1", "name": "a", )" + std::string(rest) + "}").c_str());
    });
  };
  EXPECT_EQ(error(R"("pips": [{}, {"weight_mg": 10}])"),
            "f:/pips/1/weight_mg: 10 is out of range: from 1 to 9");
  EXPECT_EQ(error(R"("pips": [{}, {}, {}])"), "f:/pips: too many pips");
  EXPECT_EQ(error(R"("taste": "bitter")"), "f:/taste: unknown taste \"bitter\"; known: sweet, sour");
  EXPECT_EQ(ErrorOf([] { Read(FruitFields(), R"({"tandem": "fruit/1"})"); }),
            "f: the key \"name\" is missing");
}

TEST(Fields, SchemaAndReferenceTellEverything) {
  const FileKindDeclaration kind{"fruit/1", AsAnyFields<Fruit, FruitFields>};
  EXPECT_EQ(ReferenceText(kind), R"(| key | takes | |
|---|---|---|
| `tandem` | `fruit/1` |  |
| `name` | name | What it is called. |
| `price` | number, 0 to 10; optional |  |
| `pips` | list of object; optional |  |
| `pips[].weight_mg` | integer, 1 to 9; `1` where absent |  |
| `stone_mg` | integer, 1 to 9; `1` where absent |  |
| `ripe_us` | object of any keys, each number, at least 0; optional |  |
| `taste` | `sweet`, `sour`; `sweet` where absent | On the tongue. |
)");
  EXPECT_NE(SchemaText(kind).find(R"({"not": {"required": ["taste", "stone_mg"]}})"), std::string::npos)
      << SchemaText(kind);
}

TEST(Fields, IndependentMistakesAreToldTogether) {
  const auto error = [](const std::string& text) {
    return ErrorOf([&] { Read(FruitFields(), text.c_str()); });
  };
  const std::string head = R"({"tandem": "fruit/1", "name": "a", )";
  EXPECT_EQ(
      error(
          head +
          R"("tsate": "sour", "price": 11, "pips": [{"weight_mg": 0}, {}], "ripe_us": {"x": 1, "y": "z"}})"),
      "f: unknown key \"tsate\"; did you mean \"taste\"?\n"
      "f:/price: 11 is out of range: from 0 to 10\n"
      "f:/pips/0/weight_mg: 0 is out of range: from 1 to 9\n"
      "f:/ripe_us/y: expected a number, found the string \"z\"");
  EXPECT_EQ(error(R"({"tandem": "fruit/1", "pips": [{"weight_mg": 0}, {"wieght_mg": 2}]})"),
            "f: the key \"name\" is missing\n"
            "f:/pips/0/weight_mg: 0 is out of range: from 1 to 9\n"
            "f:/pips/1: unknown key \"wieght_mg\"; did you mean \"weight_mg\"?");
}

TEST(Fields, WhatFollowsFromAMistakeIsNoOther) {
  // The key that is missing is the one that is misspelt; the rule would miss the taste.
  EXPECT_EQ(ErrorOf([] { Read(FruitFields(), R"({"tandem": "fruit/1", "nmae": "a"})"); }),
            "f: unknown key \"nmae\"; did you mean \"name\"?");
  EXPECT_EQ(ErrorOf([] {
              Read(FruitFields(), R"({"tandem": "fruit/1", "name": 1, "taste": "sour", "price": 6})");
            }),
            "f:/name: expected a string, found 1");
}

TEST(Fields, TenMistakesAreEnough) {
  const auto error = [](int wrong) {
    std::string ripe;
    for (int i = 0; i < wrong; ++i) ripe += (i == 0 ? "\"" : ", \"") + std::to_string(100 + i) + "\": -1";
    return ErrorOf([&] {
      Read(FruitFields(), (R"({"tandem": "fruit/1", "name": "a", "ripe_us": {)" + ripe + "}}").c_str());
    });
  };
  const auto lines = [](const std::string& text) { return 1 + std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(lines(error(10)), 10);
  EXPECT_EQ(error(10).find("more"), std::string::npos);
  EXPECT_EQ(lines(error(1000)), 11);
  EXPECT_TRUE(error(11).ends_with("\nand more mistakes, which are not told")) << error(11);
}

// What is read in view of an object is not judged by half of it.
struct Basket {
  std::int64_t room = 0;
  std::vector<std::int64_t> fruit;
};

const Fields<Basket>& BasketFields() {
  static const auto piece =
      as::ReadOnly<std::int64_t>([](SchemaDefs&) { return SchemaNode(); },
                                 [](const JsonReader& value, std::int64_t& into, Context context) {
                                   into = value.Integer(0);
                                   if (into > context.As<Basket>().room) value.Fail("does not fit");
                                 });
  static const auto fields = Fields<Basket>("basket")
                                 .IsContext()
                                 .Needed("room", &Basket::room, as::Integer(1))
                                 .Needed("fruit", &Basket::fruit, as::ListOf(piece));
  return fields;
}

TEST(Fields, NothingIsJudgedByWhatCouldNotBeRead) {
  const auto error = [](const std::string& text) {
    return ErrorOf([&] { BasketFields().Read(JsonDocument::Parse(text, "f").root()); });
  };
  EXPECT_EQ(error(R"({"room": 3, "fruit": [1, 4, 2, 5]})"),
            "f:/fruit/1: does not fit\nf:/fruit/3: does not fit");
  EXPECT_EQ(error(R"({"room": 0, "fruit": [1, "x", 2]})"),
            "f:/room: 0 is out of range: at least 1\n"
            "f:/fruit/1: expected an integer, found the string \"x\"");
}

struct Boiling {
  Nanos time{0}, rest{0};
  std::vector<Nanos> stirred;
  std::optional<Nanos> late;
};

const Fields<Boiling>& BoilingFields() {
  using B = Boiling;
  static const auto fields =
      Fields<B>("boiling", "how long it is on the fire")
          .Needed("time_us", &B::time, as::Micros(Nanos{1}), "On the fire.")
          .Own<Nanos>(
              "rest_ms_per_egg", as::Millis(), [](const B& from) { return std::optional(from.rest); },
              [](B& into, Nanos rest) { into.rest = rest; })
          .Optional("stirred_us", &B::stirred, as::ListOf(as::Micros()))
          .Optional("late_us", &B::late, as::Micros());
  return fields;
}

std::string BoilingError(const std::string& members) {
  return ErrorOf([&] { BoilingFields().Read(JsonDocument::Parse("{" + members + "}", "f").root()); });
}

TEST(Fields, DurationsAreReadInEveryUnitAndWrittenInTheirOwn) {
  const auto document = JsonDocument::Parse(
      R"({"time_s": 1.5, "rest_us_per_egg": 2, "stirred_ms": [1, 0.5], "late_ms": 16.6666666})", "f");
  const Boiling boiling = BoilingFields().Read(document.root());
  EXPECT_EQ(BoilingFields().Text(boiling), R"({"time_us": 1500000, "rest_ms_per_egg": 0.002, )"
                                           R"("stirred_us": [1000, 500], "late_us": 16666.667})");
}

TEST(Fields, ADurationIsGivenOnce) {
  EXPECT_EQ(BoilingError(R"("time_s": 1, "time_ms": 1)"),
            "f:/time_ms: \"time_s\" and \"time_ms\" say the same thing twice");
  EXPECT_EQ(BoilingError(R"("late_us": 1)"), "f: the key \"time_us\" is missing");
  EXPECT_EQ(BoilingError(R"("time_s": 1e99)"),
            "f:/time_s: 1e99 s is out of range: from 0.000000001 s to 9007199.254740992 s");
}

TEST(Fields, ASuggestedUnitIsTold) {
  EXPECT_EQ(BoilingError(R"("time": 1)"),
            "f: unknown key \"time\"; did you mean \"time_us\", \"time_ms\" or \"time_s\"?");
  EXPECT_EQ(BoilingError(R"("time_ns": 1)"),
            "f: unknown key \"time_ns\"; did you mean \"time_us\"? 1 us is 1000 ns");
  EXPECT_EQ(BoilingError(R"("tmie_ms": 1)"), "f: unknown key \"tmie_ms\"; did you mean \"time_ms\"?");
  EXPECT_EQ(BoilingError(R"("stirred_usec": [])"),
            "f: unknown key \"stirred_usec\"; did you mean \"stirred_us\" (microseconds)?");
}

TEST(Fields, SchemaTakesADurationInEveryUnitAndTheReferenceTellsItOnce) {
  const FileKindDeclaration kind{"boiling/1", AsAnyFields<Boiling, BoilingFields>};
  const auto schema = nlohmann::json::parse(SchemaText(kind));
  EXPECT_EQ(schema["properties"]["time_ms"]["minimum"], 0.000001);
  EXPECT_EQ(schema["properties"]["time_s"]["description"], "In seconds.");
  EXPECT_EQ(schema["properties"]["stirred_s"]["type"], "array");
  EXPECT_EQ(schema["allOf"][0], nlohmann::json::parse(R"({"oneOf": [{"required": ["time_us"]},
      {"required": ["time_ms"]}, {"required": ["time_s"]}]})"));
  EXPECT_EQ(schema["allOf"][3]["not"]["anyOf"][0],
            nlohmann::json::parse(R"({"required": ["late_us", "late_ms"]})"));
  const std::string reference = ReferenceText(kind);
  EXPECT_NE(reference.find("| `time_us` | number, at least 0.001 | On the fire. |"), std::string::npos)
      << reference;
  EXPECT_EQ(reference.find("time_ms"), std::string::npos) << reference;
}

struct Recipe {
  std::int64_t servings = 4;
  double grams = 0, price = 0;
};

// So much for each of those who eat.
CodecOf<double> ForEach() {
  return as::ReadOnly<double>([](SchemaDefs& defs) { return as::Number(0)->Schema(defs); },
                              [](const JsonReader& value, double& into, Context context) {
                                into = value.Number(0) * static_cast<double>(context.As<std::int64_t>());
                              });
}

const Fields<Recipe>& RecipeFields() {
  static const auto fields =
      Fields<Recipe>("recipe", "what is cooked")
          .IsContext(&Recipe::servings)
          .Reads("grams", ForEach(), [](Recipe& recipe, double grams) { recipe.grams = grams; })
          .Default("100")
          .Later()
          .Then([](const JsonReader&, Recipe& recipe, Context context) {
            recipe.price = recipe.grams * context.As<double>();
          })
          .Later()
          .Optional("servings", &Recipe::servings, as::Integer(1));
  return fields;
}

TEST(Fields, KeysMaySayMoreTogetherAndInViewOfOthersThatFollow) {
  const double per_gram = 0.5;
  const auto document = JsonDocument::Parse(R"({"grams": 3, "servings": 5})", "f");
  const Recipe recipe = RecipeFields().Read(document.root(), Context::Of(per_gram));
  EXPECT_EQ(recipe.grams, 15);
  EXPECT_EQ(recipe.price, 7.5);
  EXPECT_EQ(RecipeFields().Text(recipe), R"({"servings": 5})");  // grams are only read
  const FileKindDeclaration kind{"recipe/1", AsAnyFields<Recipe, RecipeFields>};
  EXPECT_NE(ReferenceText(kind).find("| `grams` | number, at least 0; `100` where absent |  |"),
            std::string::npos)
      << ReferenceText(kind);
}

}  // namespace
}  // namespace tandem
