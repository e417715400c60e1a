// What a backend or a file format has for each operation: kernels, emitters, writers, one table for each type
// of them. The files in which they stand register them:
//
//   using Kernels = OpTable<void (*)(const Call&)>;
//   const Kernels kProducts{{Op::kFc, Fc}, {Op::kMatmul, Matmul}};
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "profiles/base/check.h"
#include "profiles/model/layer.h"

namespace tandem {

// Throws EnvironmentError: `who` ("the backend cpu") has nothing for the layer's operation.
[[noreturn]] void RefuseOperation(const char* who, const Layer& layer);

template <class Kernel>
class OpTable {
 public:
  OpTable(std::initializer_list<std::pair<Op, Kernel>> kernels) {
    for (const auto& [op, kernel] : kernels) {
      const auto id = static_cast<std::size_t>(op);
      if (id >= ByOp().size()) ByOp().resize(id + 1);
      TANDEM_CHECK(ByOp()[id] == nullptr, "an operation stands in a table once");
      ByOp()[id] = kernel;
    }
  }

  // nullptr where there is none.
  static Kernel Find(Op op) {
    const auto id = static_cast<std::size_t>(op);
    return id < ByOp().size() ? ByOp()[id] : nullptr;
  }
  static Kernel For(const Layer& layer, const char* who) {
    const Kernel kernel = Find(layer.op);
    if (kernel == nullptr) RefuseOperation(who, layer);
    return kernel;
  }

 private:
  // A function's static, so that it is there before the first registration whatever the order of files.
  static std::vector<Kernel>& ByOp() {
    static std::vector<Kernel> kernels;
    return kernels;
  }
};

}  // namespace tandem
