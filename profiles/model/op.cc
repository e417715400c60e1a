#include "profiles/model/op.h"

#include <deque>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/model/op_declaration.h"
#include "profiles/model/op_table.h"

namespace tandem {
namespace {

// By id; a place without a name is still to be filled. A function's static, so that it is there before the
// first registration whatever the order of files.
std::deque<OpDeclaration>& Declarations() {
  static std::deque<OpDeclaration> declarations(static_cast<std::size_t>(Op::kOutside));
  return declarations;
}

OpKind KindOf(Op op) { return Declaration(op).kind; }

}  // namespace

const OpDeclaration& Declaration(Op op) {
  const auto id = static_cast<std::size_t>(op);
  TANDEM_CHECK(id < Declarations().size() && !Declarations()[id].name.empty(), "every operation is declared");
  return Declarations()[id];
}

OpRegistration::OpRegistration(Op known, OpDeclaration declaration) : op(known) {
  TANDEM_CHECK(!FindOp(declaration.name), "every operation has a name of its own");
  Declarations()[static_cast<std::size_t>(op)] = std::move(declaration);
}

OpRegistration::OpRegistration(OpDeclaration declaration)
    : OpRegistration((Declarations().emplace_back(), static_cast<Op>(Declarations().size() - 1)),
                     std::move(declaration)) {}

const std::string& OpName(Op op) { return Declaration(op).name; }

std::optional<Op> FindOp(std::string_view name) {
  for (std::size_t id = 0; id < Declarations().size(); ++id) {
    if (Declarations()[id].name == name) return static_cast<Op>(id);
  }
  return std::nullopt;
}

std::vector<std::string_view> OpNames() {
  std::vector<std::string_view> names;
  for (const OpDeclaration& declaration : Declarations()) names.push_back(declaration.name);
  return names;
}

bool IsActivation(Op op) { return KindOf(op) == OpKind::kActivation; }
bool IsNothing(Op op) { return KindOf(op) == OpKind::kNothing; }
bool IsFree(Op op) { return KindOf(op) == OpKind::kInput || IsNothing(op) || KindOf(op) == OpKind::kReform; }
bool IsView(Op op) { return KindOf(op) == OpKind::kPart || IsNothing(op) || KindOf(op) == OpKind::kReform; }

void RefuseOperation(const char* who, const Layer& layer) {
  throw EnvironmentError(std::string(who) + " has no kernel for operation " + Quoted(OpName(layer.op)) +
                         " of layer " + Quoted(layer.name));
}

Attributes DefaultAttributes(Op op) { return Declaration(op).attributes.defaults; }

double LayerShapes::ElementsRead() const {
  double elements = 0;
  for (const Shape* input : inputs) elements += static_cast<double>(Elements(*input));
  return elements;
}

double LayerShapes::ElementsWritten() const { return static_cast<double>(Elements(out)); }

}  // namespace tandem
