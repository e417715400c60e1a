// The fields of each operation's attributes as a model file names them: one description for reading and
// writing.
#pragma once

#include <string_view>
#include <tuple>

#include "profiles/model/op.h"

namespace tandem {

template <class Attributes, class Value>
struct AttributeField {
  std::string_view key;
  Value Attributes::*member;
  bool required;  // else it may be left out where it has its default
};

template <class Attributes, class Value>
constexpr AttributeField<Attributes, Value> Needed(std::string_view key, Value Attributes::*member) {
  return {key, member, true};
}
template <class Attributes, class Value>
constexpr AttributeField<Attributes, Value> Field(std::string_view key, Value Attributes::*member) {
  return {key, member, false};
}

// A tuple of AttributeFields for each of the attribute structs; the argument's value does not matter.
inline constexpr auto FieldsOf(const NoAttributes&) { return std::tuple(); }
inline constexpr auto FieldsOf(const InputAttributes&) {
  return std::tuple(Needed("shape", &InputAttributes::shape));
}
inline constexpr auto FieldsOf(const ConvAttributes&) {
  using A = ConvAttributes;
  return std::tuple(Needed("out_channels", &A::out_channels), Needed("kernel", &A::kernel),
                    Field("stride", &A::stride), Field("pad", &A::pad), Field("dilation", &A::dilation),
                    Field("groups", &A::groups), Field("bias", &A::bias),
                    Field("output_pad", &A::output_pad));
}
inline constexpr auto FieldsOf(const FcAttributes&) {
  using A = FcAttributes;
  return std::tuple(Needed("out_features", &A::out_features), Field("bias", &A::bias),
                    Field("axis", &A::axis));
}
inline constexpr auto FieldsOf(const PoolAttributes&) {
  using A = PoolAttributes;
  return std::tuple(Field("global", &A::global), Field("kernel", &A::kernel), Field("stride", &A::stride),
                    Field("pad", &A::pad), Field("dilation", &A::dilation), Field("ceil_mode", &A::ceil_mode),
                    Field("count_include_pad", &A::count_include_pad));
}
inline constexpr auto FieldsOf(const LeakyReluAttributes&) {
  return std::tuple(Field("slope", &LeakyReluAttributes::slope));
}
inline constexpr auto FieldsOf(const PreluAttributes&) {
  return std::tuple(Field("shared", &PreluAttributes::shared));
}
inline constexpr auto FieldsOf(const EluAttributes&) {
  return std::tuple(Field("alpha", &EluAttributes::alpha));
}
inline constexpr auto FieldsOf(const HardSigmoidAttributes&) {
  return std::tuple(Field("alpha", &HardSigmoidAttributes::alpha),
                    Field("beta", &HardSigmoidAttributes::beta));
}
inline constexpr auto FieldsOf(const ClipAttributes&) {
  return std::tuple(Needed("min", &ClipAttributes::min), Needed("max", &ClipAttributes::max));
}
inline constexpr auto FieldsOf(const LrnAttributes&) {
  using A = LrnAttributes;
  return std::tuple(Field("size", &A::size), Field("alpha", &A::alpha), Field("beta", &A::beta),
                    Field("k", &A::k), Field("within_channel", &A::within_channel));
}
inline constexpr auto FieldsOf(const BatchNormAttributes&) {
  return std::tuple(Field("epsilon", &BatchNormAttributes::epsilon),
                    Field("affine", &BatchNormAttributes::affine));
}
inline constexpr auto FieldsOf(const LayerNormAttributes&) {
  using A = LayerNormAttributes;
  return std::tuple(Field("epsilon", &A::epsilon), Field("axis", &A::axis), Field("bias", &A::bias));
}
inline constexpr auto FieldsOf(const ScaleAttributes&) {
  return std::tuple(Field("bias", &ScaleAttributes::bias));
}
inline constexpr auto FieldsOf(const ElementwiseAttributes&) {
  using A = ElementwiseAttributes;
  return std::tuple(Field("coefficients", &A::coefficients), Field("has_constant", &A::has_constant),
                    Field("constant_shape", &A::constant_shape), Field("constant_first", &A::constant_first));
}
inline constexpr auto FieldsOf(const AxisAttributes&) {
  return std::tuple(Field("axis", &AxisAttributes::axis));
}
inline constexpr auto FieldsOf(const DropoutAttributes&) {
  return std::tuple(Field("ratio", &DropoutAttributes::ratio));
}
inline constexpr auto FieldsOf(const ReshapeAttributes&) {
  return std::tuple(Needed("shape", &ReshapeAttributes::shape));
}
inline constexpr auto FieldsOf(const TransposeAttributes&) {
  return std::tuple(Needed("order", &TransposeAttributes::order));
}
inline constexpr auto FieldsOf(const PadAttributes&) {
  using A = PadAttributes;
  return std::tuple(Needed("before", &A::before), Needed("after", &A::after), Field("mode", &A::mode),
                    Field("value", &A::value));
}
inline constexpr auto FieldsOf(const SliceAttributes&) {
  using A = SliceAttributes;
  return std::tuple(Needed("axes", &A::axes), Needed("starts", &A::starts), Needed("ends", &A::ends),
                    Needed("steps", &A::steps));
}
inline constexpr auto FieldsOf(const UpsampleAttributes&) {
  using A = UpsampleAttributes;
  return std::tuple(Field("scale_h", &A::scale_h), Field("scale_w", &A::scale_w), Field("mode", &A::mode));
}
inline constexpr auto FieldsOf(const ReduceAttributes&) {
  return std::tuple(Needed("axes", &ReduceAttributes::axes),
                    Field("keep_dims", &ReduceAttributes::keep_dims));
}

}  // namespace tandem
