// Where the figures of a profile come from.
#include "profiles/costs/fields.h"

namespace tandem {
namespace {

// "2026-11-20", or the same with a time behind it: "2026-11-20T09:15:00Z".
bool IsDate(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  if (text.size() != 10 && text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == 'd' ? !digit : text[i] != kForm[i]) return false;
  }
  const auto number = [&](std::size_t at) { return (text[at] - '0') * 10 + text[at + 1] - '0'; };
  return number(5) >= 1 && number(5) <= 12 && number(8) >= 1 && number(8) <= 31;
}

CodecOf<std::string> Date() {
  return as::TextReadBy(
      [](SchemaDefs&) {
        return SchemaNode(
            R"("type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$")");
      },
      [](const JsonReader& value, std::string& into, Context) {
        into = value.String();
        if (!IsDate(into)) value.Fail("expected a date such as 2026-11-20 or 2026-11-20T09:15:00Z");
      });
}

void OriginIsWhole(const JsonReader& value, const Origin& origin, Context) {
  const auto needs = [&](std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (value.Find(key)) continue;
      value.Fail("the key \"" + std::string(key) + "\" is missing, which the origin " +
                 std::string(NameOf(kOriginKindNames, origin.kind)) + " needs");
    }
  };
  if (origin.kind == OriginKind::kMeasured)
    needs({"host", "clocks", "libraries", "threads", "date", "cache_mode"});
  if (origin.kind == OriginKind::kPublished) needs({"source"});
  if (origin.kind == OriginKind::kEstimated) needs({"method"});
}

constexpr std::string_view kOriginNeeds =
    R"({"allOf": [
      {"if": {"properties": {"kind": {"const": "measured"}}},
       "then": {"required": ["host", "clocks", "libraries", "threads", "date", "cache_mode"]}},
      {"if": {"properties": {"kind": {"const": "published"}}}, "then": {"required": ["source"]}},
      {"if": {"properties": {"kind": {"const": "estimated"}}}, "then": {"required": ["method"]}}]})";

// Measured origins have all three, even if there is nothing in them.
template <class Map, Map Origin::*kMember>
std::optional<Map> WhereItBelongs(const Origin& origin) {
  if (origin.kind != OriginKind::kMeasured && (origin.*kMember).empty()) return std::nullopt;
  return origin.*kMember;
}
template <class Map, Map Origin::*kMember>
std::optional<Map> WhereThere(const Origin& origin) {
  return (origin.*kMember).empty() ? std::nullopt : std::optional(origin.*kMember);
}
template <class Map, Map Origin::*kMember>
void Put(Origin& origin, Map map) {
  origin.*kMember = std::move(map);
}

const Fields<MachineStretch>& StretchFields() {
  static const auto fields =
      Fields<MachineStretch>("profile_machine_stretch",
                             "A stretch of time in which a unit was as fast throughout.")
          .Needed("lasts_ms", &MachineStretch::lasts, as::Millis())
          .Needed("slowdown", &MachineStretch::slowdown,
                  as::Number(kLeastSlowdownOfState, kMostSlowdownOfState),
                  "All work took so many times as long as in the state that was measured in.");
  return fields;
}

Fields<Origin> FieldsOfOne(std::string_view name) {
  using Texts = std::map<std::string, std::string>;
  using Yardsticks = std::map<std::string, Nanos>;
  using Rows = std::map<std::string, std::int64_t>;
  using Machine = std::map<std::string, MachineCourse>;
  using Threads = std::map<std::string, std::vector<std::int64_t>>;
  return Fields<Origin>(name, "Where the figures come from.")
      .Needed("kind", &Origin::kind, as::OneOf(kOriginKindNames, "origin"))
      .Rule(OriginIsWhole, kOriginNeeds)
      .Optional("source", &Origin::source, as::Words(), "Of what was published.")
      .Optional("method", &Origin::method, as::Words(), "Of what was estimated.")
      .Optional("host", &Origin::host, as::Words(), "This and what follows: of what was measured.")
      .Optional("date", &Origin::date, Date())
      .Own("clocks", as::MapOf(as::Words()), WhereItBelongs<Texts, &Origin::clocks>,
           Put<Texts, &Origin::clocks>)
      .Own("libraries", as::MapOf(as::Words()), WhereItBelongs<Texts, &Origin::libraries>,
           Put<Texts, &Origin::libraries>)
      .Own("threads", as::MapOf(as::ListOf(as::Integer(0, kMostCores - 1))),
           WhereItBelongs<Threads, &Origin::threads>, Put<Threads, &Origin::threads>,
           "Per unit the cores that its threads were pinned to.")
      .Optional("cache_mode", &Origin::cache_mode, as::OneOf(kCacheModeNames, "cache mode"),
                "In the network, after what runs before; repeated alone; caches emptied before each run.")
      .Own("yardsticks_us", as::MapOf(as::Micros()), WhereThere<Yardsticks, &Origin::yardsticks>,
           Put<Yardsticks, &Origin::yardsticks>,
           "Per unit what a fixed piece of work took in the state of the machine that was measured in.")
      .Own("yardsticks_at_once_us", as::MapOf(as::Micros()),
           WhereThere<Yardsticks, &Origin::yardsticks_at_once>, Put<Yardsticks, &Origin::yardsticks_at_once>,
           "The same, while the units that can work beside it did theirs.")
      .Own("yardstick_rows", as::MapOf(as::Integer(1, 64)), WhereThere<Rows, &Origin::yardstick_rows>,
           Put<Rows, &Origin::yardstick_rows>,
           "Per unit the rows of that piece of work where it is too slow for 64.")
      .Own("machine", as::MapOf(as::ListOf(as::ObjectOf(StretchFields()))),
           WhereThere<Machine, &Origin::machine>, Put<Machine, &Origin::machine>,
           "Per unit how disturbed it was while this was measured, in order of time, by the same piece of "
           "work. "
           "All units' stretches begin together and end together.")
      .Optional("error", &Origin::error, as::Number(0, 100),
                "Relative standard error that all its times may share: drift of what was measured, the "
                "method's error of what was estimated.")
      .Optional("note", &Origin::note, as::Text());
}

}  // namespace

const Fields<Origin>& OriginFields() {
  static const auto of_one = FieldsOfOne("profile_merged_origin");
  static const auto fields =
      FieldsOfOne("profile_origin")
          .Optional("merged", &Origin::merged, as::ListOf(as::ObjectOf(of_one)),
                    "Of a profile that several were made one in: the origin of each; what stands beside it "
                    "is of them all, the date the first.");
  return fields;
}

}  // namespace tandem
