#include "scenarios/exchange/run_order.h"

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "scenarios/scenario/parts.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostRepeats = 100'000;

// In place, or a file's name; nobody writes a request from its plans.
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
          const JsonDocument document = JsonDocument::ReadFile(ResolvePath(value.Name(), value.file()));
          return ReadPlan(document.root(), options);
        });
      },
      [](const PlanFile&, std::string&, Context) {});
}

const Fields<RunOrder>& RunOrderFields() {
  using O = RunOrder;
  static const auto fields =
      Fields<O>("run_request", "plans that `tandem-device run` is to execute in turn")
          .Kind("run-request/1")
          .Needed("plans", &O::plans,
                  as::ListOf(PlanOrName(), {.least = 1, .few = "a request has at least one plan"}),
                  "Each in place, or a file.")
          .Optional("repeats", &O::repeats, as::Integer(1, kMostRepeats), "Runs of every plan.")
          .Optional("seed", &O::seed, as::Unsigned(),
                    "Of weights, inputs and the order in which plans take turns.")
          .Optional("check", &O::check, as::Boolean(), "Outputs against those of one unit alone.")
          .Optional("trace", &O::trace, as::Boolean(), "The result carries a trace of every run.")
          .Optional("force", &O::force, as::Boolean(),
                    "Run plans of other machines or library versions too.");
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

RunOrder ReadRunOrder(const JsonReader& root, const ScenarioOptions& options) {
  if (!FileKind(root).starts_with("plan/")) return RunOrderFields().Read(root, Context::Of(options));
  RunOrder request;
  request.plans.push_back(ReadPlan(root, options));
  return request;
}

}  // namespace tandem
