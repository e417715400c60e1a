#include "scenarios/exchange/run_order.h"

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "scenarios/scenario/parts.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostRepeats = 100'000;
constexpr std::int64_t kMostTries = 1000;

// In place, or a file's name.
CodecOf<PlanFile> PlanOrName() {
  return as::Custom<PlanFile>(
      [](SchemaDefs& defs) {
        return SchemaNode().Add("anyOf",
                                R"([{"$ref": "plan.schema.json"}, )" + as::Name()->Schema(defs).Text() + "]");
      },
      [](const JsonReader& value, PlanFile& into, Context context) {
        const auto& options = context.As<ScenarioOptions>();
        if (value.IsObject()) {
          into = ReadPlan(value, options);
          return;
        }
        into = Within(value, [&] {
          const JsonDocument document = JsonDocument::ReadFile(FileToRead(value.Name(), value.file()));
          return ReadPlan(document.root(), options);
        });
      },
      [](const PlanFile&, std::string&, Context) {});
}
CodecOf<std::string> PlanText() {
  return as::Custom<std::string>([](SchemaDefs&) { return SchemaNode(); },
                                 [](const JsonReader&, std::string&, Context) {},
                                 [](const std::string& from, std::string& text, Context) { text += from; });
}

template <class Order, class Plan>
Fields<Order> FieldsOf(CodecOf<Plan> plan) {
  using O = Order;
  return Fields<O>("run_request", "plans that `tandem-device run` is to execute in turn")
      .Kind("run-request/1")
      .Needed("plans", &O::plans, as::ListOf(plan, {.least = 1, .few = "a request has at least one plan"}),
              "Each in place, or a file.")
      .Optional("repeats", &O::repeats, as::Integer(1, kMostRepeats), "Runs of every plan.")
      .Always()
      .Optional("tries", &O::tries, as::Integer(1, kMostTries),
                "A run that found the machine disturbed is made again, up to so many times in all; the least "
                "disturbed one counts.")
      .Optional("seed", &O::seed, as::Unsigned(),
                "Of weights, inputs and the order in which plans take turns.")
      .Always()
      .Optional("check", &O::check, as::Boolean(), "Outputs against those of one unit alone.")
      .Always()
      .Optional("trace", &O::trace, as::Boolean(), "The result carries a trace of every run.")
      .Optional("force", &O::force, as::Boolean(), "Run plans of other machines or library versions too.")
      .Optional(
          "each", &O::each, as::Boolean(),
          "With --json a result for each run as soon as it is done, and one without runs in the end, each "
          "followed by the byte 0x1e.");
}

const Fields<RunOrder>& RunOrderFields() {
  static const auto fields = FieldsOf<RunOrder>(PlanOrName());
  return fields;
}

std::string JudgeRunOrder(const JsonReader& root) {
  const RunOrder request = ReadRunOrder(root);
  return Counted(static_cast<std::int64_t>(request.plans.size()), "plan") + ", " +
         Counted(request.repeats, "run") + " of each";
}

const FileKindRegistration kRunOrderKind{
    {"run-request/1", AsAnyFields<RunOrder, RunOrderFields>, JudgeRunOrder}};

}  // namespace

std::string RunOrderText(const RunOrderToWrite& order) {
  return FieldsOf<RunOrderToWrite>(PlanText()).Text(order) + "\n";
}

RunOrder ReadRunOrder(const JsonReader& root, const ScenarioOptions& options) {
  const std::string_view kind = FileKind(root);
  if (kind.starts_with("run-request/")) return RunOrderFields().Read(root, Context::Of(options));
  if (!kind.starts_with("plan/")) {
    root.Get("tandem").Fail(
        "expected \"plan/1\" or \"run-request/1\", found " + Quoted(kind) +
        (kind.starts_with("scenario/") ? "; `tandem plan FILE -o -` makes a plan of a scenario" : ""));
  }
  RunOrder request;
  request.plans.push_back(ReadPlan(root, options));
  return request;
}

}  // namespace tandem
