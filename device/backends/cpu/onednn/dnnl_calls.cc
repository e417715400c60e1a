#include "device/backends/cpu/onednn/dnnl_calls.h"

#include <array>
#include <utility>

#include "profiles/base/check.h"
#include "profiles/model/op_table.h"

namespace tandem {
namespace {

using dnnl::algorithm;
using dnnl::memory;
constexpr auto kInference = dnnl::prop_kind::forward_inference;

#if DNNL_VERSION_MAJOR >= 3
template <class Forward, class... Arguments>
auto Describe(const dnnl::engine& engine, const dnnl::primitive_attr& attributes, Arguments&&... arguments) {
  return typename Forward::primitive_desc(engine, std::forward<Arguments>(arguments)..., attributes, true);
}
void Append(dnnl::post_ops& posts, const PostOp& post) {
  post.sum ? posts.append_sum() : posts.append_eltwise(post.function, post.alpha, post.beta);
}
constexpr float kHardSwishAlpha = 1.0f / 6, kHardSwishBeta = 0.5f;
auto DescribeEltwise(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                     const memory::desc& desc, const PostOp& post) {
  return Describe<dnnl::eltwise_forward>(engine, attributes, kInference, post.function, desc, desc,
                                         post.alpha, post.beta);
}
auto DescribeLrn(const dnnl::engine& engine, const dnnl::primitive_attr& attributes, const memory::desc& desc,
                 algorithm kind, const LrnAttributes& a) {
  return Describe<dnnl::lrn_forward>(engine, attributes, kInference, kind, desc, desc, a.size,
                                     static_cast<float>(a.alpha), static_cast<float>(a.beta),
                                     static_cast<float>(a.k));
}
#else
template <class Forward, class... Arguments>
auto Describe(const dnnl::engine& engine, const dnnl::primitive_attr& attributes, Arguments&&... arguments) {
  const typename Forward::desc operation(std::forward<Arguments>(arguments)...);
  return typename Forward::primitive_desc(operation, attributes, engine, true);
}
void Append(dnnl::post_ops& posts, const PostOp& post) {
  post.sum ? posts.append_sum() : posts.append_eltwise(1.0f, post.function, post.alpha, post.beta);
}
constexpr float kHardSwishAlpha = 0, kHardSwishBeta = 0;  // built in
auto DescribeEltwise(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                     const memory::desc& desc, const PostOp& post) {
  return Describe<dnnl::eltwise_forward>(engine, attributes, kInference, post.function, desc, post.alpha,
                                         post.beta);
}
auto DescribeLrn(const dnnl::engine& engine, const dnnl::primitive_attr& attributes, const memory::desc& desc,
                 algorithm kind, const LrnAttributes& a) {
  return Describe<dnnl::lrn_forward>(engine, attributes, kInference, kind, desc, a.size,
                                     static_cast<float>(a.alpha), static_cast<float>(a.beta),
                                     static_cast<float>(a.k));
}
#endif

dnnl::primitive_attr AttributesOf(const std::vector<PostOp>& posts) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::post_ops operations;
  for (const PostOp& post : posts) Append(operations, post);
  attributes.set_post_ops(operations);
  return attributes;
}

memory::desc AnyDesc(const DnnlDims& dims) {
  return memory::desc(dims, memory::data_type::f32, memory::format_tag::any);
}

template <class Primitive, class Desc>
MadePrimitive Make(Desc desc, int choice = 0) {
  if (!desc) return {};
  if constexpr (requires { desc.next_impl(); }) {
    for (; choice > 0; --choice) {
      if (!desc.next_impl()) return {};
    }
  }
  MadePrimitive made;
  made.implementation = desc.impl_info_str();
  made.primitive = Primitive(desc);
  made.src = desc.src_desc();
  made.dst = desc.dst_desc();
  made.scratchpad = desc.scratchpad_desc();
  if constexpr (requires { desc.weights_desc(); }) made.weights = desc.weights_desc();
  return made;
}

template <class Forward>
MadePrimitive MakeConv(const dnnl::engine& engine, const ConvProblem& p, algorithm kind,
                       const memory::desc& src, const memory::desc& dst, int choice) {
  const dnnl::primitive_attr attributes = AttributesOf(p.posts);
  const memory::desc weights = AnyDesc(p.weights);
  if (!p.bias) {
    return Make<Forward>(Describe<Forward>(engine, attributes, kInference, kind, src, weights, dst, p.strides,
                                           p.dilates, p.pad_before, p.pad_after),
                         choice);
  }
  const memory::desc bias(DnnlDims{p.dst[1]}, memory::data_type::f32, memory::format_tag::a);
  return Make<Forward>(Describe<Forward>(engine, attributes, kInference, kind, src, weights, bias, dst,
                                         p.strides, p.dilates, p.pad_before, p.pad_after),
                       choice);
}

}  // namespace

memory::desc PlainDesc(const DnnlDims& dims) {
  if (dims.empty()) return PlainDesc({1});  // oneDNN knows no tensor without axes
  DnnlDims strides(dims.size(), 1);
  for (std::size_t i = dims.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * dims[i + 1];
  return memory::desc(dims, memory::data_type::f32, strides);
}

DnnlContext::DnnlContext() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
#if DNNL_VERSION_MAJOR < 3
  // What its cache holds of a problem it gives for every place in the list of implementations: a choice would
  // mean one kernel while it is there, and another, the plain loops at worst, later.
  dnnl::set_primitive_cache_capacity(0);
#endif
  if (!HasBlock(16) && !HasBlock(8)) block_ = 1;
}

// Does a usual convolution between blocked tensors have a kernel of its own?
bool DnnlContext::HasBlock(std::int64_t block) {
  block_ = block;
  ConvProblem problem;
  problem.src = problem.dst = {1, 64, 14, 14};
  problem.weights = {64, 64, 3, 3};
  problem.strides = problem.pad_before = problem.pad_after = {1, 1};
  problem.dilates = {0, 0};
  problem.src_layout = problem.dst_layout = Layout::kBlocked;
  const MadePrimitive made = Conv(problem, 0);
  return made && made.implementation.find("jit") != std::string::npos;
}

memory::desc DnnlContext::Describe(const DnnlDims& dims, Layout layout) const {
  if (layout == Layout::kPlain) return PlainDesc(dims);
  TANDEM_CHECK(dims.size() == 4, "only images have other layouts");
  if (layout == Layout::kLast) return memory::desc(dims, memory::data_type::f32, memory::format_tag::nhwc);
  TANDEM_CHECK(block_ > 1, "this processor has no blocks");
  const auto tag = block_ == 16 ? memory::format_tag::nChw16c : memory::format_tag::nChw8c;
  return memory::desc(dims, memory::data_type::f32, tag);
}

MadePrimitive DnnlContext::Conv(const ConvProblem& p, int choice) const {
  const memory::desc src = Describe(p.src, p.src_layout), dst = Describe(p.dst, p.dst_layout);
  try {
    if (p.transposed) {
      return MakeConv<dnnl::deconvolution_forward>(engine_, p, algorithm::deconvolution_direct, src, dst,
                                                   choice);
    }
    const algorithm kind = p.winograd ? algorithm::convolution_winograd : algorithm::convolution_direct;
    return MakeConv<dnnl::convolution_forward>(engine_, p, kind, src, dst, choice);
  } catch (const dnnl::error&) {  // not a problem that it knows
    return {};
  }
}

MadePrimitive DnnlContext::InnerProduct(const DnnlDims& src, const DnnlDims& weights, const DnnlDims& dst,
                                        bool bias, const std::vector<PostOp>& posts) const {
  using Forward = dnnl::inner_product_forward;
  const dnnl::primitive_attr attributes = AttributesOf(posts);
  const memory::desc from = PlainDesc(src), to = PlainDesc(dst), any = AnyDesc(weights);
  if (!bias) return Make<Forward>(tandem::Describe<Forward>(engine_, attributes, kInference, from, any, to));
  const memory::desc offsets = PlainDesc({dst[1]});
  return Make<Forward>(tandem::Describe<Forward>(engine_, attributes, kInference, from, any, offsets, to));
}

MadePrimitive DnnlContext::Eltwise(const DnnlDims& dims, Layout layout, const PostOp& function) const {
  return Make<dnnl::eltwise_forward>(
      DescribeEltwise(engine_, AttributesOf({}), Describe(dims, layout), function));
}

MadePrimitive DnnlContext::Lrn(const DnnlDims& dims, Layout layout, const LrnAttributes& attributes) const {
  const algorithm kind =
      attributes.within_channel ? algorithm::lrn_within_channel : algorithm::lrn_across_channels;
  return Make<dnnl::lrn_forward>(
      DescribeLrn(engine_, AttributesOf({}), Describe(dims, layout), kind, attributes));
}

MadePrimitive DnnlContext::Reorder(const memory::desc& from, const memory::desc& to) const {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return Make<dnnl::reorder>(dnnl::reorder::primitive_desc(engine_, from, engine_, to, attributes));
}

AlignedFloats DnnlContext::Pack(const float* values, const memory::desc& from, const memory::desc& to) const {
  AlignedFloats packed((to.get_size() + sizeof(float) - 1) / sizeof(float));
  // oneDNN only reads it.
  memory source(from, engine_, const_cast<float*>(values)), target(to, engine_, packed.data());
  dnnl::stream stream = stream_;
  dnnl::reorder(source, target).execute(stream, source, target);
  stream.wait();
  return packed;
}

namespace {

std::vector<PostOp> One(algorithm function, double alpha = 0, double beta = 0) {
  return {{false, function, static_cast<float>(alpha), static_cast<float>(beta)}};
}

template <algorithm kFunction>
std::vector<PostOp> Same(const Layer&) {
  return One(kFunction);
}

std::vector<PostOp> HardSigmoid(const Layer& layer) {
  const auto& a = layer.As<HardSigmoidAttributes>();
  std::vector<PostOp> posts = One(algorithm::eltwise_linear, a.alpha, a.beta);
  posts.push_back(One(algorithm::eltwise_clip, 0, 1)[0]);
  return posts;
}

using PostOps = OpTable<std::vector<PostOp> (*)(const Layer& layer)>;
const PostOps kPostOps{
    {Op::kRelu, Same<algorithm::eltwise_relu>},
    {Op::kRelu6, [](const Layer&) { return One(algorithm::eltwise_clip, 0, 6); }},
    {Op::kLeakyRelu,
     [](const Layer& layer) { return One(algorithm::eltwise_relu, layer.As<LeakyReluAttributes>().slope); }},
    {Op::kElu,
     [](const Layer& layer) { return One(algorithm::eltwise_elu, layer.As<EluAttributes>().alpha); }},
    {Op::kSigmoid, Same<algorithm::eltwise_logistic>},
    {Op::kHardSigmoid, HardSigmoid},
    {Op::kHardSwish,
     [](const Layer&) { return One(algorithm::eltwise_hardswish, kHardSwishAlpha, kHardSwishBeta); }},
    {Op::kTanh, Same<algorithm::eltwise_tanh>},
    {Op::kSoftplus,
     [](const Layer&) { return One(algorithm::eltwise_soft_relu, DNNL_VERSION_MAJOR >= 3 ? 1 : 0); }},
    {Op::kGelu, Same<algorithm::eltwise_gelu_erf>},
    {Op::kExp, Same<algorithm::eltwise_exp>},
    {Op::kLog, Same<algorithm::eltwise_log>},
    {Op::kSqrt, Same<algorithm::eltwise_sqrt>},
    {Op::kAbs, Same<algorithm::eltwise_abs>},
    {Op::kNeg, [](const Layer&) { return One(algorithm::eltwise_linear, -1); }},
    {Op::kClip,
     [](const Layer& layer) {
       const auto& a = layer.As<ClipAttributes>();
       return One(algorithm::eltwise_clip, a.min, a.max);
     }},
};

}  // namespace

std::vector<PostOp> PostOpsOf(const Layer& layer) {
  const auto posts = PostOps::Find(layer.op);
  return posts == nullptr ? std::vector<PostOp>{} : posts(layer);
}

PrimitiveStep::PrimitiveStep(std::vector<LayerId> layers, std::string how, const DnnlContext& context,
                             dnnl::primitive primitive)
    : CpuStep(std::move(layers), std::move(how)), context_(context), primitive_(std::move(primitive)) {}

void PrimitiveStep::Use(int argument, const memory::desc& desc, ValueId value) {
  tensors_.push_back({value, desc, {}, false, {}});
  arguments_.push_back({argument, nullptr});
}

void PrimitiveStep::Use(int argument, const memory::desc& desc, AlignedFloats constant) {
  bytes_ += static_cast<std::int64_t>(constant.size() * sizeof(float));
  const memory made(desc, context_.engine(), constant.data());
  arguments_.push_back({argument, made.get()});
  tensors_.push_back({ValueId(), desc, made, false, std::move(constant)});
}

void PrimitiveStep::Bind(const Addresses& at) {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    Tensor& tensor = tensors_[i];
    if (!tensor.value.valid()) continue;
    float* address = at[tensor.value];
    tensor.moves = address == nullptr;
    tensor.memory = memory(tensor.desc, context_.engine(), tensor.moves ? DNNL_MEMORY_NONE : address);
    arguments_[i].memory = tensor.memory.get();
  }
}

void PrimitiveStep::Run(const Addresses& at) {
  for (const Tensor& tensor : tensors_) {
    if (tensor.moves) tensor.memory.set_data_handle(at[tensor.value]);
  }
  const dnnl_status_t status = dnnl_primitive_execute(primitive_.get(), context_.stream().get(),
                                                      static_cast<int>(arguments_.size()), arguments_.data());
  if (status != dnnl_success) throw dnnl::error(status, "oneDNN could not run it");
}

}  // namespace tandem
