// All that differs between oneDNN 2 and 3, and the few of its primitives that the backend uses, made from
// plain descriptions.
#pragma once

#include <dnnl.hpp>
#include <optional>
#include <string>
#include <vector>

#include "device/backends/cpu/loops/step.h"

namespace tandem {

using DnnlDims = dnnl::memory::dims;

// What a kernel does to its sums before it writes them.
struct PostOp {
  bool sum = false;  // adds what the output holds; else:
  dnnl::algorithm function = dnnl::algorithm::undef;
  float alpha = 0, beta = 0;
  friend bool operator==(const PostOp&, const PostOp&) = default;
};

struct ConvProblem {
  bool transposed = false;
  DnnlDims src, weights, dst;  // weights with a leading axis for groups where there are several
  DnnlDims strides, dilates, pad_before, pad_after;
  bool bias = false;
  std::vector<PostOp> posts;
  Layout src_layout = Layout::kPlain, dst_layout = Layout::kPlain;
  bool winograd = false;
};

// A primitive and the tensors that it wants.
struct MadePrimitive {
  dnnl::primitive primitive;
  dnnl::memory::desc src, weights, dst, scratchpad;
  std::string implementation;  // "jit:avx512_core"
  explicit operator bool() const { return static_cast<bool>(primitive); }
  // One number after the other, by code that no compiler makes vectors of: our loops are faster.
  bool IsReference() const { return implementation.starts_with("ref"); }
};

class DnnlContext {
 public:
  // From the thread that will run its primitives, with its number of threads set.
  DnnlContext();

  const dnnl::engine& engine() const { return engine_; }
  const dnnl::stream& stream() const { return stream_; }
  // Channels in a block of Layout::kBlocked on this processor, 1 where oneDNN has no such kernels for it.
  std::int64_t block() const { return block_; }
  dnnl::memory::desc Describe(const DnnlDims& dims, Layout layout) const;

  // The `choice`-th implementation in oneDNN's order of preference; empty where there are not as many.
  MadePrimitive Conv(const ConvProblem& problem, int choice) const;
  MadePrimitive InnerProduct(const DnnlDims& src, const DnnlDims& weights, const DnnlDims& dst, bool bias,
                             const std::vector<PostOp>& posts) const;
  MadePrimitive Eltwise(const DnnlDims& dims, Layout layout, const PostOp& function) const;
  MadePrimitive Lrn(const DnnlDims& dims, Layout layout, const LrnAttributes& attributes) const;
  MadePrimitive Reorder(const dnnl::memory::desc& from, const dnnl::memory::desc& to) const;

  // `values` in the layout that a primitive wants.
  AlignedFloats Pack(const float* values, const dnnl::memory::desc& from, const dnnl::memory::desc& to) const;

 private:
  bool HasBlock(std::int64_t block);

  dnnl::engine engine_;
  dnnl::stream stream_;
  std::int64_t block_ = 1;
};

// The activation of a layer as what a kernel does at its end; empty where oneDNN does not know it.
std::vector<PostOp> PostOpsOf(const Layer& layer);

// Every dimension's default order: {"", "a", "ab", "abc", ...}.
dnnl::memory::desc PlainDesc(const DnnlDims& dims);

// One call of a primitive. Its tensors are values of the segment or constants.
class PrimitiveStep final : public CpuStep {
 public:
  PrimitiveStep(std::vector<LayerId> layers, std::string how, const DnnlContext& context,
                dnnl::primitive primitive);
  void Use(int argument, const dnnl::memory::desc& desc, ValueId value);
  void Use(int argument, const dnnl::memory::desc& desc, AlignedFloats constant);

  void Bind(const Addresses& at) override;
  void Run(const Addresses& at) override;
  std::int64_t Bytes() const override { return bytes_; }

 private:
  struct Tensor {
    ValueId value;  // invalid: a constant
    dnnl::memory::desc desc;
    dnnl::memory memory;
    bool moves = false;  // its address is another one at every run
    AlignedFloats constant;
  };
  const DnnlContext& context_;
  dnnl::primitive primitive_;
  std::vector<Tensor> tensors_;
  std::vector<dnnl_exec_arg_t> arguments_;
  std::int64_t bytes_ = 0;
};

}  // namespace tandem
